// The top of the page: the runs and their results.

const STOPS = {
  interrupted: "it was interrupted", terminated: "it was terminated", hung_up: "its terminal was closed",
  budget: "its budget was used up", time: "its time limit was reached", broken: "it could not continue",
};

function showOverview(app) {
  const { runs } = app.facts;
  const title = runs.map((run) => run.name).join(" → ");
  byId("title").textContent = title;
  document.title = `${title} · agentv`;
  byId("notices").replaceChildren(...notices(runs, app.source));
  const headlines = runs.map((run, at) => headline(app, run, at, runs));
  byId("overview").replaceChildren(make("div", { class: "sheet" }, ...headlines), more(app));
}

function notices(runs, { moment, isRunning }) {
  const texts = [];
  for (const run of runs) {
    const of = runs.length === 2 ? ` of ${run.name}` : "";
    const { summary } = run;
    if (!isRunning) texts.push(...incomplete(run, `The run${of && ` ${run.name}`}`, of, moment));
    for (const gate of listOf(run.run?.gates)) {
      if (!gate.met) texts.push(`Gate not met${of}: ${gate.required}: found ${gate.found}.`);
    }
    if (run.run?.dry_run) texts.push(`Dry run${of}: mocks answered instead of the targets.`);
    if (run.shown < summary.trials) {
      texts.push(
        `This page has ${count(run.shown)} of ${counted(summary.trials, "trial")}${of}: those that failed, errored or were borderline, and an even sample of the rest. Totals cover all trials; plots and the list cover the trials on this page.`,
      );
    }
    if (run.damaged > 0) texts.push(`${counted(run.damaged, "line")} of the results${of} could not be read and ${run.damaged === 1 ? "was" : "were"} skipped.`);
    if (summary.outdated > 0) texts.push(`${counted(summary.outdated, "result")}${of} ${summary.outdated === 1 ? "is" : "are"} of an earlier version of the cases, targets or settings.`);
    const judges = listOf(summary.different_judges);
    if (judges.length > 0) texts.push(`${judges.map((one) => `${one.target} was graded by ${one.judges.join(" and ")}`).join(", ")}${of}: scores of different judges cannot be compared.`);
    if (summary.skipped > 0) texts.push(`${counted(summary.skipped, "invalid case")}${of} ${summary.skipped === 1 ? "was" : "were"} skipped.`);
  }
  return texts.map((text) => make("p", { class: "notice theirs", text }));
}

/** Reports missing trials, with the reason if the run has one. */
function incomplete(run, it, of, moment) {
  if (!run.run) return [];
  const { planned, finished_at: ended, stopped } = run.run;
  const missing = planned > run.summary.trials
    ? `${count(planned - run.summary.trials)} of ${counted(planned, "trial")}${of} ${planned - run.summary.trials === 1 ? "was" : "were"} not run.` : "";
  const why = !ended ? moment === "" ? `${it} is not finished` : `${it} was not finished ${moment}` : stopped ? `${it} stopped early because ${STOPS[stopped] ?? stopped}` : "";
  if (!why) return missing ? [missing] : [];
  return [missing ? `${why}: ${missing}` : `${why}.`];
}

function headline(app, run, at, runs) {
  const { summary } = run;
  return make("div", { class: "headline" },
    runs.length === 2 ? runName(runs, at) : undefined, ...rates(run), figureList(run), shareBar(summary), legend(app, summary));
}

/** Shows the pass rate of each target: the average of several is the rate of none of them. */
function rates(run) {
  const targets = listOf(run.summary.targets);
  if (targets.length < 2 || run.summary.skipped > 0) return [rate(run)];
  const sure = new Map(listOf(run.statistics.targets).map((target) => [target.target, target]));
  const shown = targets.slice(0, MOST_RATES).map((target) => {
    const { statuses } = target;
    const interval = sure.get(target.target)?.pass_rate;
    return rateOf({
      name: target.target,
      figure: percent(target.pass_rate),
      under: gradedText(statuses.pass + statuses.borderline + statuses.fail),
      sure: interval ? `95% interval ${between(interval, percent)}` : "",
    });
  });
  const more = targets.length - shown.length;
  if (more > 0) shown.push(make("div", { class: "rate muted", text: `and ${counted(more, "more target")} below` }));
  return shown;
}

/** The number of targets whose rates are in the headline. */
const MOST_RATES = 8;

function gradedText(graded) {
  return graded > 0 ? `passed of ${count(graded)} graded` : "nothing was graded";
}

function rate(run) {
  const { summary } = run;
  const interval = run.statistics.pass_rate;
  const several = listOf(run.statistics.targets).length > 1;
  const sure = interval ? `95% interval ${between(interval, percent)}` : several ? "intervals by target below" : "";
  const graded = gradedText(summary.graded);
  const passed = summary.graded > 0 ? `${count(summary.statuses.pass)} of ${counted(summary.graded, "graded trial")} passed` : graded;
  // Trials that were not run may be of further cases.
  const all = run.run?.planned > summary.trials ? "" : ` of ${count(summary.cases + summary.skipped)}`;
  // The share of those that ran would read as that of all cases.
  const [figure, under] = summary.skipped > 0
    ? [`${count(summary.cases)}${all}`, `cases ran · ${passed}`]
    : [percent(summary.pass_rate), graded];
  return rateOf({ figure, under, sure });
}

function rateOf({ name, figure, under, sure }) {
  return make("div", { class: "rate" },
    name === undefined ? undefined : make("div", { class: "theirs", text: name }),
    make("div", { class: "figure", text: figure }),
    make("div", { text: under }),
    make("div", { class: "muted number-like", text: sure }));
}

function figureList(run) {
  const { summary } = run;
  const list = make("dl", { class: "figures" });
  const add = (name, value, under) => {
    list.append(make("div", {}, make("dt", { text: name }), make("dd", {}, value, make("small", { text: under ?? "" }))));
  };
  const { scores, latency, first_token, tokens } = summary;
  add("Trials", count(summary.trials), summary.cached > 0 ? `${count(summary.cached)} from the cache` : "");
  if (listOf(summary.targets).length < 2) add("Mean score", scoreText(scores?.mean), meanNote(run));
  add("Cost", dollars(summary.cost_usd), costNote(summary.cost_usd, summary.unpriced, summary));
  if (isFigure(summary.judge_cost_usd) || listOf(summary.unpriced_judges).length > 0) {
    add("Judges", dollars(summary.judge_cost_usd), costNote(summary.judge_cost_usd, summary.unpriced_judges, summary));
  }
  if (isFigure(summary.replaced_cost_usd)) add("Replaced", dollars(summary.replaced_cost_usd), "spent on answers and grades that later ones replaced");
  if (isFigure(summary.graded_cost_usd)) add("Graded answers", dollars(summary.graded_cost_usd), "spent by the run that is graded again");
  add("Tokens", tokens ? shortCount(tokens.input + tokens.output) : NONE, tokens ? `${shortCount(tokens.input)} in, ${shortCount(tokens.output)} out` : "");
  const judged = summary.judge_tokens;
  const own = listOf(summary.self_judged);
  if (judged || own.length > 0) add("Judge tokens", judged ? shortCount(judged.input + judged.output) : NONE, own.length > 0 ? `graded their own answers: ${own.join(", ")}` : "");
  const gates = listOf(run.run?.gates);
  if (gates.length > 0) add("Gates", `${gates.filter((gate) => gate.met).length} of ${gates.length} met`, gates.map((gate) => `${gate.required}: found ${gate.found}`).join("; "));
  if (summary.truncated > 0) add("Truncated", count(summary.truncated), "answers cut off at the limit of tokens");
  if (summary.out_of_steps > 0) add("Out of steps", count(summary.out_of_steps), "trials that used up their steps or turns");
  add("Median latency", latency ? milliseconds(latency.median_ms) : NONE, latency ? `95% within ${milliseconds(latency.p95_ms)}` : "");
  if (first_token) add("Median first token", milliseconds(first_token.median_ms), `95% within ${milliseconds(first_token.p95_ms)}`);
  return list;
}

/** Names those whose cost is unknown; a cost that lacks nothing is also shown per trial. */
function costNote(cost, unpriced, { trials, without_usage }) {
  const silent = new Set(listOf(without_usage));
  const names = listOf(unpriced).map((name) => (silent.has(name) ? `${name} (reported no tokens)` : name));
  if (names.length > 0) return `${isFigure(cost) ? "+ " : ""}unpriced: ${names.join(", ")}`;
  return isFigure(cost) && trials > 0 ? `${dollars(cost / trials)} per trial` : "";
}

/** Shows a cost, marked if a part of it is unknown. */
function costText(cost, unpriced) {
  if (listOf(unpriced).length === 0) return dollars(cost);
  return isFigure(cost) ? `${dollars(cost)} + unpriced` : "unpriced";
}

function meanNote(run) {
  const mean = run.statistics.mean_score;
  if (mean) return `95% interval ${between(mean, scoreText)}`;
  return run.summary.scores ? `median ${scoreText(run.summary.scores.median)}` : "";
}

/** Shows an interval, with more decimals if both ends would look the same. */
function between({ low, high }, show) {
  const shown = show(low) === show(high) ? (value) => String(Number(value.toFixed(6))) : show;
  return `${shown(low)} – ${shown(high)}`;
}

/** Shows the statistics of repeated trials, for each target. */
function repeats(app, run) {
  const targets = listOf(run.statistics.targets).filter((target) => target.trials);
  if (targets.length === 0) return undefined;
  return make("div", {}, ...targets.map((target) => make("div", {},
    targets.length > 1 ? make("h3", { class: "theirs", text: target.target }) : undefined, repeatsOf(app, target.trials))));
}

function repeatsOf(app, trials) {
  const among = trials.pass_among[trials.pass_among.length - 1];
  const lines = [];
  if (among) lines.push([`pass@${among.k}`, percent(among.pass_at_k)], [`pass^${among.k}`, percent(among.pass_hat_k)]);
  if (trials.flakes) lines.push(["Flaky cases", `${count(trials.flakes.flaky)} of ${count(trials.flakes.cases)}, ${percent(trials.flakes.flake_rate)}`]);
  if (trials.variance) lines.push(["Deviation", `${scoreText(Math.sqrt(trials.variance.between))} between cases, ${scoreText(Math.sqrt(trials.variance.within))} within`]);
  const flaky = listOf(trials.flaky_cases);
  const named = flaky.length === 0 ? undefined : table(flaky, [
    ["Flaky case", (row) => chooser(row.eval_id, () => app.narrow({ text: row.eval_id }))],
    ["Passed", (row) => `${count(row.passed)} of ${count(row.trials)}`, true],
  ]);
  return make("div", {}, facts(lines), named);
}

function shareBar(summary) {
  const bar = make("div", { class: "share", "aria-hidden": "true" });
  for (const status of STATUSES) {
    const number = summary.statuses[status];
    if (number === 0) continue;
    const part = make("span", { class: status });
    part.style.flexGrow = number / summary.trials;
    bar.append(part);
  }
  return bar;
}

function legend(app, summary) {
  const entry = (status) => make("li", { class: status },
    make("button", { type: "button", click: () => app.narrow({ statuses: new Set([status]) }) },
      make("span", { class: "dot", "aria-hidden": "true" }),
      make("b", { text: count(summary.statuses[status]) }), ` ${status}`));
  return make("ul", { class: "legend", "aria-label": "Statuses" }, ...STATUSES.map(entry));
}

function more(app) {
  const { runs } = app.facts;
  const panels = make("div", { class: "panels" });
  const add = (title, part) => {
    const parts = runs.map((run, at) => forRun(runs, at, part(run))).filter(Boolean);
    if (parts.length > 0) panels.append(make("section", { class: "sheet" }, make("h2", { text: title }), ...parts));
  };
  add("Targets", (run) => targetTable(app, run));
  add("Repeated trials", (run) => repeats(app, run));
  add("Evaluators", (run) => evaluatorTable(app, run));
  add("Datasets", () => datasetTable(app));
  add("Errors", (run) => errorTable(app, run));
  add("Run", runFacts);
  return make("details", { class: "more", open: true }, make("summary", { text: "Figures and facts" }), distributions(app), panels);
}

function distributions(app) {
  const plots = plotsOf(app);
  if (plots.length === 0) return undefined;
  const which = app.source.two ? make("small", {}, make("span", { class: "key before" }), "first run", make("span", { class: "key" }), "second run") : undefined;
  return make("section", { class: "sheet" }, make("h2", {}, "Distributions", which), make("div", { class: "plots" }, ...plots));
}

/** Shows one run, under its name if there are two. */
function forRun(runs, at, element) {
  if (!element || runs.length === 1) return element;
  return make("div", { class: "of-run" }, runName(runs, at), element);
}

function runName(runs, at) {
  return make("div", { class: "run-name" }, make("span", { class: "muted", text: at === 0 ? "first" : "second" }), theirs(runs[at].name));
}

function plotsOf(app) {
  const { runs } = app.facts;
  const plots = [];
  if (runs.some((run) => run.summary.scores)) {
    plots.push(histogram({
      title: "Scores",
      series: runs.map((run) => run.summary.scores?.histogram ?? new Array(10).fill(0)),
      labels: Array.from({ length: 10 }, (_, bin) => `${(bin / 10).toFixed(1)} to ${((bin + 1) / 10).toFixed(1)}`),
      ticks: [[0, "0"], [5, "0.5"], [10, "1"]],
      choose: (bin) => app.narrow({ least: String(bin / 10), most: String((bin + 1) / 10) }),
    }));
  }
  const { latency } = runs[runs.length - 1].summary;
  plots.push(logHistogram("Latency", app.source.spreads("ms"), milliseconds,
    latency ? [[latency.median_ms, "median"], [latency.p95_ms, "p95"]] : []));
  plots.push(logHistogram("Cost per answer", app.source.spreads("cost"), dollars));
  return plots.filter(Boolean);
}

function chooser(text, choose) {
  return make("button", { type: "button", click: choose }, theirs(text));
}

function targetTable(app, run) {
  const sure = new Map(listOf(run.statistics.targets).map((target) => [target.target, target]));
  const rows = listOf(run.summary.targets).map((target) => ({ ...target, sure: sure.get(target.target) ?? {} }));
  if (rows.length === 0) return undefined;
  const graded = (row) => row.statuses.pass + row.statuses.borderline + row.statuses.fail;
  return table(rows, [
    ["Target", (row) => chooser(row.target, () => app.narrow({ target: row.target }))],
    ["Passed", (row) => percent(row.pass_rate), true],
    ["95% interval", (row) => (row.sure.pass_rate ? between(row.sure.pass_rate, percent) : NONE), true],
    ["Mean", (row) => scoreText(row.mean_score), true],
    ["95% interval", (row) => (row.sure.mean_score ? between(row.sure.mean_score, scoreText) : NONE), true],
    ["Graded", (row) => count(graded(row)), true],
    ["Errors", (row) => count(row.statuses.error), true],
    ["Cost", (row) => costText(row.cost_usd, row.unpriced), true],
    ...(rows.some(hasJudges) ? [["Judges", (row) => costText(row.judge_cost_usd, row.unpriced_judges), true]] : []),
  ]);
}

function hasJudges(row) {
  return isFigure(row.judge_cost_usd) || listOf(row.unpriced_judges).length > 0;
}

function evaluatorTable(app, run) {
  if (run.evaluators.length === 0) return undefined;
  const shown = table(run.evaluators, [
    ["Evaluator", (row) => make("div", {}, chooser(row.name, () => app.narrow({ evaluator: row.name })),
      row.type === row.name ? undefined : make("small", { class: "theirs", text: row.type }))],
    ["Mean", (row) => scoreText(row.mean ?? NaN), true],
    ["Passed", (row) => (row.scored > 0 ? percent(row.passed / row.scored) : NONE), true],
    ["Scored", (row) => count(row.scored), true],
    ["Errors", (row) => count(row.errors), true],
    ["Skipped", (row) => count(row.skipped), true],
  ]);
  const others = run.other_evaluator_results;
  if (others > 0) shown.append(make("p", { class: "muted", text: `${counted(others, "result")} of other evaluators` }));
  return shown;
}

/** Shows the statuses and the mean score of each dataset, if there are several. */
function datasetTable(app) {
  const rows = listOf(app.source.datasets);
  if (rows.length < 2) return undefined;
  const graded = (row) => row.statuses[0] + row.statuses[1] + row.statuses[2];
  return table(rows, [
    ["Dataset", (row) => chooser(row.name, () => app.narrow({ dataset: row.name }))],
    ["Passed", (row) => (graded(row) > 0 ? percent(row.statuses[0] / graded(row)) : NONE), true],
    ["Mean", (row) => scoreText(row.mean_score), true],
    ["Graded", (row) => count(graded(row)), true],
    ["Errors", (row) => count(row.statuses[3]), true],
  ]);
}

function errorTable(app, run) {
  const rows = listOf(run.summary.errors);
  if (rows.length === 0) return undefined;
  return table(rows, [
    ["Error", (row) => chooser(row.message, () => app.narrow({ statuses: new Set(["error"]), text: longestPiece(row.message) }))],
    ["Stage", (row) => row.stage],
    ["Trials", (row) => count(row.count), true],
  ]);
}

/** Returns the part of a message that all errors of its kind share. */
function longestPiece(message) {
  const pieces = message.split("…").map((piece) => piece.trim());
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), "").slice(0, 120);
}

function runFacts(run) {
  const asked = run.run;
  if (!asked) return facts([["Results", run.name]]);
  const names = (targets) => listOf(targets).map((target) => `${target.name} (${target.provider})`).join("\n");
  const files = listOf(asked.files).map((file) => `${file.path} · ${counted(file.cases, "case")}${file.skipped ? `, ${count(file.skipped)} skipped` : ""}`);
  const lines = (text) => (text ? make("div", { class: "text", text }) : undefined);
  return facts([
    ["Run", run.name],
    ["Tags", listOf(asked.tags).join(", ")],
    ["Started", timeText(asked.started_at)],
    ["Finished", timeText(asked.finished_at) ?? "not yet"],
    ["Stopped early", asked.stopped ? STOPS[asked.stopped] ?? asked.stopped : undefined],
    ["Files", lines(files.slice(0, 50).join("\n") + (files.length > 50 ? `\nand ${count(files.length - 50)} more` : ""))],
    ["Targets", lines(names(asked.targets))],
    ["Judges", lines(names(asked.judges))],
    ["Repeats", asked.trials > 1 ? `${asked.trials} trials per case` : undefined],
    ["Selected ids", listOf(asked.eval_ids).join(", ")],
    ["Shard", asked.shard],
    ["Limit", asked.limit === undefined ? undefined : counted(asked.limit, "case")],
    ["Dry run", asked.dry_run ? "yes, with mock answers" : undefined],
    ["Rerun of", asked.rerun_of],
    ["Answers from", asked.graded_from],
    ["Calibration with", asked.calibrated_with],
    ["Evaluators from", asked.evaluators_file],
    ["Required checks", asked.stop_on_required ? "judges skipped after a failed check" : undefined],
    ["Merged from", lines(listOf(asked.merged_from).join("\n"))],
    ["Retried", run.summary.retried > 0 ? counted(run.summary.retried, "trial") : undefined],
    ["agentv", asked.version],
  ]);
}
