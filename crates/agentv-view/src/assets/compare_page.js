// The page of runs or targets side by side: a row for each case, a column for each run.

/** The fields of the page in the address. */
const COMPARE_FIELDS = ["run", "columns", "threshold", "q", "outcome", "target", "sort", "case"];

const OUTCOME_WORDS = {
  loss: "worse", win: "better", tie: "same", missing: "grade missing", unmatched: "not in all", changed: "case changed",
};

const COMPARE_KEYS = [
  [["j", "↓"], "next case"], [["k", "↑"], "previous case"], [["Home", "End"], "first and last case"],
  [["Enter"], "open the case"], [["Esc"], "close the dialog"], [["/"], "search"], [["w"], "only worse cases, or all"],
  [["a"], "add a run or a target"], [["t"], "switch between light and dark"], [["?"], "show these shortcuts"],
];

/** Returns the address of the comparison of columns; a column is `[run]` or `[run, target]`. */
function compareAddress(columns) {
  return `/compare#${new URLSearchParams({ columns: JSON.stringify(columns) })}`;
}

/** The list of cases: each has a cell for each column. */
class CompareList extends List {
  row(at) {
    const row = this.app.found.row(at);
    if (!row) return super.row(at);
    const labels = this.app.about.runs.map((run) => run.label);
    const shown = row.cells.map((cell, column) => {
      const side = sideCell(cell, column, row.cells[0]);
      side.prepend(unseen(`${labels[column]}: `));
      return side;
    });
    const under = [row.target, row.file, row.outcomes.includes("changed") ? "the case changed" : ""].filter(Boolean).join(" · ");
    const name = make("div", { class: "words" }, make("div", { class: "name" }, make("b", { text: clipped(row.id) })), make("div", { class: "why", text: under }));
    return make("div", {
      class: "row", role: "option", id: `row-${at}`, "data-at": at,
      "aria-selected": String(at === this.at), "aria-setsize": this.app.found.length, "aria-posinset": at + 1,
    }, make("div", { class: "cells" }, name, ...shown));
  }
}

/** Shows a case in one run: its score, the change since the first run, and its repeats. */
function sideCell(cell, column, base) {
  if (!cell) return make("div", { class: "side muted", text: column > 0 && base ? "not in this run" : NONE });
  const { trials } = cell;
  const isMixed = trials.some((one) => one.status !== trials[0].status);
  const status = isMixed ? "borderline" : trials[0].status;
  const kind = cell.delta > 1e-9 ? "up" : cell.delta < -1e-9 ? "down" : "muted";
  const change = isFigure(cell.delta) ? make("span", { class: `delta ${kind}`, text: signed(cell.delta) }) : undefined;
  const dots = cell.count > 1 ? repeatDots(trials, cell.count, cell.passed) : undefined;
  const score = isFigure(cell.score) ? scoreText(cell.score) : trials[0].status;
  return make("div", { class: "side" }, make("div", { class: "line" }, meter(cell.score ?? NaN, status, score), change), dots);
}

class ComparePage {
  constructor() {
    this.known = new Map();
    this.source = { two: false, repeats: false };
    this.found = { length: 0, total: 0, item: () => undefined, row: () => undefined, indexOf: () => -1 };
    this.cut = 0;
    this.turn = 0;
    this.keys = COMPARE_KEYS;
  }

  async start() {
    byId("title").textContent = "Compare";
    byId("title").classList.add("unseen");
    document.title = "Compare · agentv";
    document.body.classList.add("compare");
    const { runs } = await ask("/api/runs");
    this.runs = runs.filter((run) => run.lines.length > 0);
    this.list = new CompareList(this);
    this.view = new CompareCase(this);
    byId("cases-title").textContent = "Cases";
    byId("list").setAttribute("aria-label", "Cases");
    listenToKeys(this);
    addEventListener("hashchange", () => this.follow());
    addEventListener("popstate", () => this.follow());
    await this.follow();
    byId("progress").hidden = true;
    document.documentElement.dataset.ready = "yes";
  }

  /** Returns the state of the address. */
  state() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    return Object.fromEntries(COMPARE_FIELDS.map((name) => [name, fields.get(name) ?? ""]));
  }

  write(change, isStep) {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...this.state(), ...change })) {
      if (value !== "") fields.set(name, value);
    }
    const address = `#${fields}`;
    if (address === location.hash) return;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }

  /** Shows the state of the address. */
  async follow() {
    const state = this.state();
    let columns = readColumns(state.columns);
    if (columns.length === 0) {
      columns = this.usualColumns(state.run);
      if (columns.length > 0) this.write({ run: "", columns: JSON.stringify(columns) });
    }
    this.columns = columns;
    byId("list").setAttribute("aria-busy", "true");
    if (columns.length < 2) this.showNothing();
    else if (await this.describe()) await this.refresh();
    byId("list").setAttribute("aria-busy", "false");
    const wanted = readCase(this.state().case);
    if (wanted) await this.openNamed(wanted);
    else if (byId("case").open) byId("case").close();
  }

  /** Returns a run, usually the newest, and the one before it with the same files. */
  usualColumns(id) {
    const names = (run) => JSON.stringify([...run.lines[0].files].sort());
    const at = id === "" ? 0 : this.runs.findIndex((run) => run.id === id);
    const run = this.runs[at];
    if (!run) return [];
    const before = this.runs.slice(at + 1).find((other) => names(other) === names(run));
    return before ? [[before.id], [run.id]] : [[run.id]];
  }

  showNothing() {
    byId("cases").hidden = true;
    const words = this.columns.length === 1 ? "Choose at least one more run or target." : "Choose runs or targets to compare. The first is the baseline of the others.";
    byId("overview").replaceChildren(make("div", { class: "sheet" }, make("h2", { text: "Side by side" }), make("p", { class: "muted", text: words }), this.columnTable(), this.adder()));
  }

  fields() {
    const { threshold, q, outcome, target, sort } = this.state();
    const fields = new URLSearchParams({ columns: JSON.stringify(this.columns) });
    for (const [name, value] of Object.entries({ threshold, q, outcome, target, sort })) {
      if (value !== "") fields.set(name, value);
    }
    return fields;
  }

  /** Reads the figures; returns false if there are none. */
  async describe() {
    const fields = this.fields();
    const key = `${fields.get("columns")} ${fields.get("threshold")}`;
    if (this.about && this.describedKey === key) return true;
    byId("notices").replaceChildren();
    try {
      this.about = await ask(`/api/compare?${fields}`);
    } catch (error) {
      this.about = undefined;
      this.failed(error);
      this.showNothing();
      return false;
    }
    this.describedKey = key;
    byId("cases").hidden = false;
    document.body.style.setProperty("--runs", String(this.columns.length));
    byId("overview").replaceChildren(...this.overview());
    this.controls();
    this.headings();
    this.list.measure();
    return true;
  }

  failed(error) {
    byId("notices").replaceChildren(make("p", { class: "notice theirs", role: "alert", text: error.message }));
  }

  overview() {
    const { pairs, runs } = this.about;
    const sheets = [make("div", { class: "sheet" }, make("h2", { text: "Side by side" }), this.columnTable(), this.adder())];
    for (const run of runs) {
      if (run.unfinished) byId("notices").append(make("p", { class: "notice theirs", text: `${run.label} is not finished: it is still running or was stopped.` }));
      if (run.dry_run) byId("notices").append(make("p", { class: "notice theirs", text: `${run.label} is a dry run: mocks answered instead of the targets.` }));
      if (run.damaged_lines > 0) byId("notices").append(make("p", { class: "notice theirs", text: `${counted(run.damaged_lines, "line")} of ${run.label} could not be read.` }));
    }
    sheets.push(make("section", { class: "sheet", "aria-label": "Differences" }, make("h2", { text: "Differences" }), ...pairs.map((pair) => this.pair(pair))));
    return sheets;
  }

  /** Shows the columns: what each is, and its totals. */
  columnTable() {
    const described = this.about?.runs ?? [];
    const rows = this.columns.map((column, at) => ({ column, at, label: described[at]?.label ?? "", totals: described[at]?.totals ?? {}, targets: described[at]?.targets ?? column.slice(1) }));
    if (rows.length === 0) return make("div", {});
    const remove = (at) => this.choose(this.columns.filter((_, other) => other !== at));
    const first = (at) => this.choose([this.columns[at], ...this.columns.filter((_, other) => other !== at)]);
    return table(rows, [
      ["Column", (row) => make("b", { text: row.label })],
      ["Run", (row) => make("a", { class: "theirs", href: `/run/${encodeURIComponent(row.column[0])}${row.column[1] === undefined ? "" : `#${new URLSearchParams({ target: row.column[1] })}`}` }, row.column[0])],
      ["Target", (row) => theirs(row.targets.join(", "))],
      ["Passed", (row) => percent(row.totals.pass_rate), true],
      ["Mean score", (row) => scoreText(row.totals.mean_score), true],
      ["Trials", (row) => count(row.totals.trials), true],
      ["Errors", (row) => count(row.totals.statuses?.error), true],
      ["Cost", (row) => costText(row.totals.cost_usd, row.totals.unpriced), true],
      ["Median latency", (row) => milliseconds(row.totals.median_ms), true],
      ["Actions", (row) => make("div", { class: "acts" },
        row.at === 0 ? make("span", { class: "muted", text: "baseline" }) : make("button", { type: "button", text: "make baseline", click: () => first(row.at) }),
        make("button", { type: "button", "aria-label": `Remove ${row.label || row.column.join(" ")}`, text: "remove", click: () => remove(row.at) }))],
    ]);
  }

  /** Returns a list of runs and targets to add. */
  adder() {
    const options = this.runs.flatMap((run) => {
      const targets = [...new Set(run.lines.flatMap((line) => line.targets))];
      const whole = [[run.id]];
      return targets.length > 1 ? [...whole, ...targets.map((target) => [run.id, target])] : whole;
    });
    const chosen = new Set(this.columns.map((column) => JSON.stringify(column)));
    const left = options.filter((column) => !chosen.has(JSON.stringify(column)));
    const field = make("select", { id: "add-column", "aria-label": "Add a run or a target", change: () => field.value && this.choose([...this.columns, JSON.parse(field.value)]) },
      make("option", { value: "", text: "Add a run or a target …" }),
      ...left.slice(0, MOST_CHOICES).map((column) => make("option", { value: JSON.stringify(column), text: clipped(column.join(" · ")) })));
    return make("p", { class: "adder" }, field);
  }

  choose(columns) {
    this.write({ columns: JSON.stringify(columns), case: "" }, true);
    this.follow();
  }

  /** Shows the difference of two columns, with the statistics that “agentv compare” computes. */
  pair(pair) {
    const title = make("h3", { text: `${pair.a} → ${pair.b}` });
    if (pair.not_compared) return make("div", { class: "pair-of" }, title, make("p", { class: "muted theirs", text: `${pair.not_compared}.` }));
    const sentences = pair.sentences ? Object.entries(pair.sentences) : [["", pair.sentence]];
    const members = listOf(pair.targets).length > 0 ? pair.targets : [wholeMember(pair)].filter(Boolean);
    const lost = pair.summary.missing > 0 ? make("p", { class: "muted", text: `${counted(pair.summary.missing, "graded case")} of ${pair.a} without a grade in ${pair.b}.` }) : undefined;
    const changed = pair.summary.changed > 0 ? make("p", { class: "muted", text: `${counted(pair.summary.changed, "case")} ask or grade something else now.` }) : undefined;
    return make("div", { class: "pair-of" }, title,
      ...sentences.map(([target, sentence]) => make("p", { class: "theirs", text: target ? `${target}: ${sentence}` : sentence })), lost, changed,
      members.length > 0 ? memberTable(members, listOf(pair.targets).length > 0 ? "Target" : "Cases compared", pair) : undefined,
      listOf(pair.evaluators).length > 0 ? make("details", {}, make("summary", { class: "muted", text: "By evaluator" }), memberTable(pair.evaluators, "Evaluator", pair)) : undefined);
  }

  controls() {
    const state = this.state();
    const choice = (name, label, pairs) => {
      const field = make("select", { id: `compare-${name}`, "aria-label": label, change: () => this.narrow({ [name]: field.value }) },
        ...pairs.map(([value, words]) => make("option", { value, text: clipped(words) })));
      field.value = state[name];
      return field;
    };
    const search = make("input", {
      type: "search", id: "text", placeholder: "Search ids and files …  ( / )", "aria-label": "Search cases", autocomplete: "off", spellcheck: "false",
      input: () => this.narrow({ q: search.value }),
    });
    search.value = state.q;
    const chip = ([name, number]) => make("button", {
      type: "button", class: `chip ${name}`, "data-outcome": name, "aria-pressed": String(state.outcome === name), hidden: number === 0 && state.outcome !== name,
      click: () => this.narrow({ outcome: this.state().outcome === name ? "" : name }),
    }, make("span", { text: OUTCOME_WORDS[name] }), make("small", { text: count(number) }));
    const { targets, threshold, outcomes } = this.about;
    const least = make("input", { type: "number", id: "compare-threshold", min: "0", max: "1", step: "0.05", "aria-label": "Smallest difference that counts", change: () => this.narrow({ threshold: least.value }) });
    least.value = String(threshold);
    this.count = make("span", { role: "status", "aria-live": "polite" });
    this.shownFields = { search, least };
    byId("controls").replaceChildren(...[search,
      make("div", { class: "chips", role: "group", "aria-label": "Outcome" }, ...outcomes.map(chip)),
      targets.length > 1 ? choice("target", "Target", [["", "Target: any"], ...targets.map((name) => [name, name])]) : undefined,
      choice("sort", "Order", [["", "Worst change first"], ["improvement", "Best change first"], ["name", "By file and case"]]),
      make("span", { class: "range" }, "Counts from", least),
      make("div", { class: "count" }, this.count)].filter(Boolean));
  }

  headings() {
    const { runs } = this.about;
    byId("columns").replaceChildren(make("div", { class: "cells" }, make("div", { text: "Case" }),
      ...runs.map((run, at) => make("div", { class: "side theirs", title: [run.name, run.only].filter(Boolean).join(" · "), text: `${run.label} · ${shortRun(this.columns[at])}` }))));
  }

  narrow(change) {
    this.write(change);
    if ("threshold" in change) return this.follow();
    return this.refresh();
  }

  page(query, page, signal) {
    const fields = new URLSearchParams(query);
    fields.set("first", page * PAGE_ROWS);
    fields.set("count", PAGE_ROWS);
    return ask(`/api/compare/rows?${fields}`, { signal });
  }

  async refresh() {
    this.turn += 1;
    const { turn } = this;
    byId("list").setAttribute("aria-busy", "true");
    const query = this.fields();
    try {
      const answer = await this.page(query, 0);
      if (turn !== this.turn) return;
      this.found = new SideFound({ known: this.known, page: (...all) => this.page(...all), failed: (error) => this.failed(error) }, query, answer, () => this.list.show());
      this.list.at = -1;
      this.list.fill();
      if (this.found.length === 0) byId("nothing").textContent = "No case matches the filter.";
    } catch (error) {
      if (turn === this.turn) this.failed(error);
    }
    if (turn === this.turn) this.reflect();
  }

  reflect() {
    const { length, total } = this.found;
    const { outcome } = this.state();
    this.count.textContent = length === total ? counted(total, "case") : `${count(length)} of ${counted(total, "case")}`;
    for (const chip of document.querySelectorAll("#controls [data-outcome]")) chip.setAttribute("aria-pressed", String(chip.dataset.outcome === outcome));
    byId("list").setAttribute("aria-busy", "false");
  }

  /** Returns what a key of this page does. */
  ownAction(key) {
    if (key === "w") return () => this.narrow({ outcome: this.state().outcome === "loss" ? "" : "loss" });
    if (key === "a") return () => byId("add-column")?.focus();
    return undefined;
  }

  openAt(at) {
    const row = this.found.row(at);
    if (row) this.open(row, at);
  }

  open(row, at) {
    const isStep = !byId("case").open;
    this.view.show(row, at);
    this.write({ case: JSON.stringify([row.file, row.id, row.target ?? ""]) }, isStep);
  }

  /** Opens the case that an address names. */
  async openNamed([file, id, target]) {
    if (this.view.isShown(file, id, target)) return;
    const query = new URLSearchParams({ columns: JSON.stringify(this.columns), q: id, count: "1000" });
    const { rows } = await ask(`/api/compare/rows?${query}`);
    const row = rows.find((one) => one.file === file && one.id === id && (one.target ?? "") === target);
    if (row) this.open(row, -1);
  }

  step(by) {
    const at = this.view.at + by;
    if (this.view.at < 0 || at < 0 || at >= this.found.length) return;
    this.list.choose(at);
    this.openAt(at);
  }

  closed() {
    this.write({ case: "" });
    byId("list").focus({ preventScroll: true });
  }
}

/** The cases that match a filter; the rows arrive page by page. */
class SideFound extends ServerFound {
  take(answer) {
    Object.assign(this, { length: answer.length, total: answer.total, version: answer.version, note: "" });
    this.keep(answer.first / PAGE_ROWS, answer.rows);
  }

  keep(page, rows) {
    this.pages.delete(page);
    this.pages.set(page, rows);
    if (this.pages.size > KEPT_PAGES) this.pages.delete(this.pages.keys().next().value);
  }
}

function readCase(text) {
  try {
    const names = JSON.parse(text);
    return Array.isArray(names) && names.length === 3 ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the name of a column in few words: the end of the run's id, or its target. */
function shortRun([run, target]) {
  return target ?? run.replace(/^\d{4}-/, "").replace(/T(\d\d)-(\d\d)-\d\dZ-/, " $1:$2 ");
}

/** Returns the figures of all cases in the form of those of a target. */
function wholeMember({ summary }) {
  if (!isFigure(summary.mean_delta)) return undefined;
  return {
    name: "all cases", cases: summary.statistics?.cases, mean_a: summary.mean_a, mean_b: summary.mean_b, mean_delta: summary.mean_delta,
    difference: summary.statistics?.difference, wins: summary.statistics?.wins, corrected_p_value: summary.p_value, significant: summary.significant,
    statistics: summary.statistics,
  };
}

function probability(value) {
  if (!isFigure(value)) return NONE;
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}

function memberTable(members, heading, { a, b }) {
  const passes = members.some((member) => member.statistics);
  return table(members, [
    [heading, (row) => theirs(row.target ? `${row.name} · ${row.target}` : row.name)],
    ["Cases", (row) => count(row.cases), true],
    [`Mean of ${a}`, (row) => scoreText(row.mean_a), true],
    [`Mean of ${b}`, (row) => scoreText(row.mean_b), true],
    ["Change", (row) => make("b", { class: !row.significant ? "muted" : row.mean_delta > 0 ? "up" : "down", text: signed(row.mean_delta) }), true],
    ["95% interval", (row) => (row.difference ? `${signed(row.difference.difference.low)} to ${signed(row.difference.difference.high)}` : NONE), true],
    ["p", (row) => probability(row.corrected_p_value), true],
    ["Better", (row) => count(row.wins?.wins), true],
    ["Worse", (row) => count(row.wins?.losses), true],
    ["Same", (row) => count(row.wins?.ties), true],
    ...(passes ? [["p, passes", (row) => probability(row.statistics?.mcnemar?.p_value ?? row.statistics?.pass_rates?.p_value), true]] : []),
    ["Finding", (row) => (row.significant ? "significant" : "may be chance")],
  ], true);
}
