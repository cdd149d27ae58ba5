// The page of all runs.

/** The fields of the filter of runs: their names in the address. */
const RUN_FIELDS = ["file", "target", "tag", "since", "q", "pick"];

class RunsPage {
  constructor() {
    this.runs = [];
    this.at = -1;
  }

  async start() {
    byId("progress").hidden = true;
    byId("title").textContent = "Runs";
    byId("title").classList.add("unseen");
    document.title = "Runs · agentv";
    this.box = make("section", { id: "runs", "aria-label": "Runs" });
    byId("overview").replaceWith(this.box);
    byId("cases").remove();
    await this.read();
    addEventListener("hashchange", () => this.show());
    document.addEventListener("keydown", (event) => this.key(event));
    byId("show-keys").addEventListener("click", () => showKeys(RUNS_KEYS));
    byId("theme").addEventListener("click", changeTheme);
    document.documentElement.dataset.ready = "yes";
    if (SITE.isLive) setInterval(() => this.renew(), 3000);
  }

  async read() {
    const { runs, folder, title } = await SITE.runs();
    Object.assign(this, { runs, folder, heading: title });
    if (title) document.title = `${title} · agentv`;
    this.show();
  }

  /** Reads the runs again while one of them is running, or a new one may have begun. */
  async renew() {
    if (document.hidden) return;
    const before = JSON.stringify(this.runs);
    const { runs } = await SITE.runs().catch(() => ({ runs: this.runs }));
    this.runs = runs;
    if (JSON.stringify(runs) !== before) this.show();
  }

  filter() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    return Object.fromEntries(RUN_FIELDS.map((name) => [name, fields.get(name) ?? ""]));
  }

  narrow(change) {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...this.filter(), ...change })) {
      if (value !== "") fields.set(name, value);
    }
    history.replaceState(null, "", `#${fields}`);
    this.show();
  }

  /** Returns the lines of the list: a line for each target of a run, or a run with a problem. */
  lines() {
    const filter = this.filter();
    const words = filter.q.trim().toLowerCase();
    const days = Number(filter.since);
    const since = days > 0 && days < 36_500 ? new Date(Date.now() - days * 86_400_000).toISOString() : "";
    const all = this.runs.flatMap((run) => (run.lines.length > 0 ? run.lines : [{ id: run.id, problem: run.problem, files: [], targets: [] }]));
    return all.filter((line) => (filter.file === "" || line.files.includes(filter.file))
      && (filter.target === "" || line.targets.includes(filter.target))
      && (filter.tag === "" || listOf(line.tags).includes(filter.tag))
      && (since === "" || (line.started_at ?? "") >= since)
      && (words === "" || `${line.id} ${line.files.join(" ")} ${line.targets.join(" ")} ${listOf(line.tags).join(" ")}`.toLowerCase().includes(words)));
  }

  show() {
    const focused = document.activeElement?.id;
    const lines = this.lines();
    const trends = trendsOf(this.runs.flatMap((run) => run.lines));
    const isOpen = this.box.querySelector("details.trends")?.open ?? this.heading !== undefined;
    const empty = this.runs.length === 0 ? `There are no runs in ${this.folder}. “agentv run PATH” creates one.` : "No run matches the filter.";
    this.box.replaceChildren(
      make("h2", { class: this.heading ? undefined : "unseen", text: this.heading ?? "Runs" }), this.controls(new Set(lines.map((line) => line.id)).size),
      this.trend(lines, isOpen),
      lines.length === 0 ? make("p", { class: "notice theirs", text: empty }) : make("div", { class: "sheet runs" }, this.table(lines, trends)));
    if (focused) byId(focused)?.focus({ preventScroll: true });
    this.mark();
  }

  /** Shows the figures of the listed runs from oldest to newest. */
  trend(lines, isOpen) {
    const rated = lines.filter((line) => isFigure(line.pass_rate) || isFigure(line.mean_score));
    const groups = trendGroups(rated).filter((group) => group.length > 1 || this.heading !== undefined).slice(0, MOST_TRENDS);
    if (groups.length === 0) return make("div", {});
    const name = ([line]) => [groups.length > 1 || !this.heading ? firstAndOthers(line.files) : "", firstAndOthers(line.targets)].filter(Boolean).join(" · ");
    const key = (kind, words) => [make("span", { class: `trend-key of-${kind}`, "aria-hidden": "true" }), words];
    return make("details", { class: "trends", open: isOpen }, make("summary", { text: "Trend" }),
      make("div", { class: "sheet" }, make("p", { class: "muted" }, ...key("rate", "pass rate with 95% interval"), ...key("score", "mean score")),
        make("div", { class: "trend-plots" }, ...groups.map((group) => trendPlot(name(group), group.slice(-200), (line) => SITE.run(line.id))))));
  }

  controls(shown) {
    const filter = this.filter();
    const all = this.runs.flatMap((run) => run.lines);
    const distinct = (field) => [...new Set(all.flatMap((line) => line[field] ?? []))].sort();
    const choice = (name, label, pairs) => {
      const field = make("select", { id: `runs-${name}`, "aria-label": label, change: () => this.narrow({ [name]: field.value }) },
        make("option", { value: "", text: `${label}: any` }), ...pairs.map(([value, words]) => make("option", { value, text: clipped(words) })));
      if (filter[name] !== "" && !pairs.some(([value]) => value === filter[name])) field.append(make("option", { value: filter[name], text: clipped(filter[name]) }));
      field.value = filter[name];
      return field;
    };
    const same = (values) => values.map((value) => [value, value]);
    const search = make("input", {
      type: "search", id: "text", placeholder: "Search runs …  ( / )", "aria-label": "Search runs", autocomplete: "off", spellcheck: "false",
      input: () => this.narrow({ q: search.value }),
    });
    search.value = filter.q;
    return make("div", { id: "controls", role: "search", "aria-label": "Filter" }, search,
      choice("file", "File", same(distinct("files"))), choice("target", "Target", same(distinct("targets"))),
      distinct("tags").length > 0 || filter.tag !== "" ? choice("tag", "Tag", same(distinct("tags"))) : undefined,
      choice("since", "Started", [["1", "in the last day"], ["7", "in the last week"], ["30", "in the last 30 days"]]),
      make("div", { class: "count" }, make("span", { role: "status", text: counted(shown, "run") }), this.comparer()));
  }

  picked() {
    return readColumns(this.filter().pick);
  }

  /** Returns the button that compares the chosen runs. */
  comparer() {
    const picked = this.picked();
    if (picked.length === 0 || !SITE.isLive) return undefined;
    return make("span", {}, make("button", { type: "button", id: "compare-picked", disabled: picked.length < 2, text: `Compare ${count(picked.length)} chosen`, click: () => this.compare() }), " ",
      make("button", { type: "button", text: "Choose none", click: () => this.narrow({ pick: "" }) }));
  }

  compare() {
    const picked = this.picked();
    // The oldest is the baseline.
    const order = this.runs.map((run) => run.id);
    const sorted = [...picked].sort((a, b) => order.indexOf(b[0]) - order.indexOf(a[0]));
    const address = SITE.compare(sorted);
    if (picked.length > 1 && address) location.assign(address);
  }

  /** Returns the column of a line in a comparison: its run, and its target if the run has several. */
  columnOf(line) {
    const run = this.runs.find((one) => one.id === line.id);
    return run && run.lines.length > 1 ? [line.id, line.targets[0]] : [line.id];
  }

  pick(line) {
    if (line.problem) return;
    const key = JSON.stringify(this.columnOf(line));
    const picked = this.picked().map((column) => JSON.stringify(column));
    const left = picked.includes(key) ? picked.filter((one) => one !== key) : [...picked, key];
    this.narrow({ pick: left.length > 0 ? `[${left.join(",")}]` : "" });
  }

  table(lines, trends) {
    const kind = (isNumber) => (isNumber ? "number" : undefined);
    const judged = lines.some((line) => isFigure(line.judge_cost_usd) || listOf(line.unpriced_judges).length > 0);
    const columns = [[SITE.isLive ? "Compare" : ""], ["Run"], ["Files"], ["Target"], ["Passed", true], ["95% interval", true], ["Trend"], ["Score", true], ["Trials", true], ["Errors", true], ["Cost", true], ["Duration", true], ["State"], ...(judged ? [["Judges", true]] : [])];
    const head = make("tr", {}, ...columns.map(([text, isNumber]) => make("th", { scope: "col", class: kind(isNumber), text })));
    const picked = new Set(this.picked().map((column) => JSON.stringify(column)));
    // A further target of the run above.
    const isAgain = (at) => at > 0 && lines[at - 1].id === lines[at].id;
    const cells = (line, at) => [
      this.chooser(line, at, picked),
      make("div", {}, this.nameOf(line), make("small", { text: isAgain(at) ? "" : timeText(line.started_at)?.slice(0, 16) ?? "" }), isAgain(at) ? undefined : this.tagsOf(line), make("small", { class: "narrow", text: [firstAndOthers(line.files), firstAndOthers(line.targets)].filter(Boolean).join(" · ") })),
      theirs(firstAndOthers(line.files)), theirs(firstAndOthers(line.targets)),
      make("b", { text: percent(line.pass_rate) }), make("span", { class: "muted", text: line.pass_rate_interval ? line.pass_rate_interval.map(percent).join(" – ") : NONE }),
      trends.get(line) ?? "", scoreText(line.mean_score),
      line.planned > line.trials ? `${count(line.trials)} of ${count(line.planned)}` : count(line.trials),
      make("span", { class: line.statuses?.error > 0 ? "some" : "muted", text: count(line.statuses?.error) }), costText(line.cost_usd, line.unpriced), durationOf(line), stateOf(line),
      ...(judged ? [costText(line.judge_cost_usd, line.unpriced_judges)] : []),
    ];
    const row = (line, place) => {
      const filled = cells(line, place).map((content, at) => {
        const isElement = content instanceof Node;
        return make("td", { class: kind(columns[at][1]), text: isElement ? undefined : content }, isElement ? content : undefined);
      });
      return make("tr", { class: isAgain(place) ? "run again" : "run" }, ...filled);
    };
    return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines.map(row))));
  }

  nameOf(line) {
    const href = SITE.run(line.id);
    return href ? make("a", { href, class: "theirs", text: line.id }) : theirs(line.id);
  }

  /** Returns the tags of a line; each lists the runs that have it. */
  tagsOf(line) {
    const tags = listOf(line.tags);
    if (tags.length === 0) return undefined;
    const tag = (name) => make("button", { type: "button", class: "tag theirs", title: "List only runs with this tag", text: clipped(name), click: () => this.narrow({ tag: name }) });
    return make("div", { class: "tags" }, ...tags.slice(0, MOST_TAGS).map(tag), tags.length > MOST_TAGS ? make("small", { text: `+${tags.length - MOST_TAGS}` }) : undefined);
  }

  /** Returns the check box of a line, or the link to the comparison with the run before. */
  chooser(line, at, picked) {
    if (line.problem) return "";
    if (!SITE.isLive) {
      const href = SITE.before(line.id);
      return href ? make("a", { href, text: "compare", title: "Compare with the run before" }) : "";
    }
    return make("input", {
      type: "checkbox", id: `pick-${at}`, "aria-label": `Choose ${line.id} ${line.targets.join(" ")} for a comparison`,
      checked: picked.has(JSON.stringify(this.columnOf(line))), change: () => this.pick(line),
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    if (isTyping(event.target) && event.target.type !== "checkbox") {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const { key } = event;
    const rows = [...this.box.querySelectorAll("tr.run")];
    const actions = {
      "?": () => showKeys(RUNS_KEYS), t: changeTheme, "/": () => byId("text").focus(),
      Enter: () => rows[this.at]?.querySelector("td:nth-child(2) a")?.click(),
      x: () => rows[this.at]?.querySelector("input")?.click(), c: () => this.compare(),
    };
    const onLink = ["A", "BUTTON"].includes(event.target.tagName);
    const action = key in STEPS ? () => this.choose(Math.max(0, Math.min(rows.length - 1, this.at + STEPS[key]))) : actions[key];
    if (!action || (key === "Enter" && (onLink || this.at < 0))) return;
    event.preventDefault();
    action();
  }

  choose(at) {
    this.at = at;
    this.mark();
    this.box.querySelector("tr.run[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  mark() {
    this.box.querySelectorAll("tr.run").forEach((row, at) => {
      if (at === this.at) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
  }
}

/** The largest number of tags of a line. */
const MOST_TAGS = 8;
/** The largest number of plots. */
const MOST_TRENDS = 6;

const RUNS_KEYS = [
  [["j", "↓"], "next run"], [["k", "↑"], "previous run"], [["Enter"], "open the run"], [["x"], "choose the run for a comparison"],
  [["c"], "compare the chosen runs"], [["/"], "search"],
  [["t"], "switch between light and dark"], [["?"], "show these shortcuts"],
];

/** Returns the columns of a comparison; each is `[run]` or `[run, target]`. */
function readColumns(text) {
  try {
    const columns = JSON.parse(text);
    return Array.isArray(columns) ? columns.filter((one) => Array.isArray(one) && one.length > 0).map((one) => one.slice(0, 2).map(String)) : [];
  } catch {
    return [];
  }
}

function firstAndOthers(names) {
  return names.length > 1 ? `${names[0]} +${names.length - 1}` : names[0] ?? "";
}

function durationOf(line) {
  const took = Date.parse(line.finished_at) - Date.parse(line.started_at);
  return Number.isFinite(took) && took >= 0 ? milliseconds(took) : NONE;
}

const STATES = { finished: "", running: "running", stopped: "stopped", unfinished: "unfinished" };

function stateOf(line) {
  if (line.problem) return make("span", { class: "theirs down", text: line.problem });
  const notes = [line.state === "stopped" ? STOPS[line.stopped] ?? "stopped" : STATES[line.state] ?? line.state];
  if (line.dry_run) notes.push("dry run");
  if (line.skipped > 0) notes.push(`${counted(line.skipped, "case")} skipped`);
  if (line.shard) notes.push(`shard ${line.shard}`);
  if (line.rerun_of) notes.push(`rerun of ${line.rerun_of}`);
  if (line.graded_from) notes.push(`graded from ${line.graded_from}`);
  if (line.calibrated_with) notes.push(`calibration with ${line.calibrated_with}`);
  if (line.merged_from?.length > 0) notes.push(`merged from ${counted(line.merged_from.length, "run")}`);
  return make("span", { class: line.state === "running" ? "theirs up" : "theirs muted", text: notes.filter(Boolean).join(" · ") });
}

/** Returns for each line a plot of the pass rates up to it, of runs with the same files and target. */
function trendsOf(lines) {
  const plots = new Map();
  for (const group of trendGroups(lines)) {
    const rated = group.filter((line) => isFigure(line.pass_rate));
    rated.forEach((line, at) => plots.set(line, sparkline(rated.slice(Math.max(0, at - 19), at + 1).map((one) => one.pass_rate))));
  }
  return plots;
}

/** Draws shares from 0 to 1 as a line, oldest first. */
function sparkline(shares) {
  const [width, height] = [84, 22];
  const x = (at) => (shares.length === 1 ? width - 3 : 3 + (at / (shares.length - 1)) * (width - 6));
  const y = (share) => 3 + (1 - share) * (height - 6);
  const svg = draw("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Pass rates, oldest first: ${shares.map(percent).join(", ")}` });
  if (shares.length > 1) svg.append(draw("polyline", { points: shares.map((share, at) => `${x(at).toFixed(1)},${y(share).toFixed(1)}`).join(" ") }));
  const last = shares.length - 1;
  svg.append(draw("circle", { cx: x(last).toFixed(1), cy: y(shares[last]).toFixed(1), r: 2.5 }));
  return svg;
}
