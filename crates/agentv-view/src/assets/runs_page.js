// The page of all runs.

/** The fields of the filter of runs: their names in the address. */
const RUN_FIELDS = ["file", "target", "since", "q"];

class RunsPage {
  constructor() {
    this.runs = [];
    this.at = -1;
  }

  async start() {
    byId("progress").hidden = true;
    byId("title").textContent = "Runs";
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
    setInterval(() => this.renew(), 3000);
  }

  async read() {
    const { runs, folder } = await ask("/api/runs");
    this.folder = folder;
    this.runs = runs;
    this.show();
  }

  /** Reads the runs again while one of them is running, or a new one may have begun. */
  async renew() {
    if (document.hidden) return;
    const before = JSON.stringify(this.runs);
    const { runs } = await ask("/api/runs").catch(() => ({ runs: this.runs }));
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
      && (since === "" || (line.started_at ?? "") >= since)
      && (words === "" || `${line.id} ${line.files.join(" ")} ${line.targets.join(" ")}`.toLowerCase().includes(words)));
  }

  show() {
    const focused = document.activeElement?.id;
    const lines = this.lines();
    const trends = trendsOf(this.runs.flatMap((run) => run.lines));
    const empty = this.runs.length === 0 ? `There are no runs in ${this.folder}. “agentv run PATH” creates one.` : "No run matches the filter.";
    this.box.replaceChildren(
      make("h2", { class: "unseen", text: "Runs" }), this.controls(new Set(lines.map((line) => line.id)).size),
      lines.length === 0 ? make("p", { class: "notice theirs", text: empty }) : make("div", { class: "sheet runs" }, this.table(lines, trends)));
    if (focused) byId(focused)?.focus({ preventScroll: true });
    this.mark();
  }

  controls(shown) {
    const filter = this.filter();
    const all = this.runs.flatMap((run) => run.lines);
    const distinct = (field) => [...new Set(all.flatMap((line) => line[field]))].sort();
    const choice = (name, label, pairs) => {
      const field = make("select", { id: `runs-${name}`, "aria-label": label, change: () => this.narrow({ [name]: field.value }) },
        make("option", { value: "", text: `${label}: any` }), ...pairs.map(([value, words]) => make("option", { value, text: clipped(words) })));
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
      choice("since", "Started", [["1", "in the last day"], ["7", "in the last week"], ["30", "in the last 30 days"]]),
      make("div", { class: "count", role: "status" }, counted(shown, "run")));
  }

  table(lines, trends) {
    const kind = (isNumber) => (isNumber ? "number" : undefined);
    const columns = [["Run"], ["Files"], ["Target"], ["Passed", true], ["95% interval", true], ["Trend"], ["Score", true], ["Trials", true], ["Errors", true], ["Cost", true], ["Duration", true], ["State"]];
    const head = make("tr", {}, ...columns.map(([text, isNumber]) => make("th", { scope: "col", class: kind(isNumber), text })));
    const cells = (line) => [
      make("div", {}, make("a", { href: `/run/${encodeURIComponent(line.id)}`, class: "theirs" }, line.id), make("small", { text: timeText(line.started_at)?.slice(0, 16) ?? "" }), make("small", { class: "narrow", text: firstAndOthers(line.files) })),
      theirs(firstAndOthers(line.files)), theirs(firstAndOthers(line.targets)),
      percent(line.pass_rate), line.pass_rate_interval ? line.pass_rate_interval.map(percent).join(" – ") : NONE,
      trends.get(line) ?? "", scoreText(line.mean_score),
      line.planned > line.trials ? `${count(line.trials)} of ${count(line.planned)}` : count(line.trials),
      count(line.statuses?.error), dollars(line.cost_usd), durationOf(line), stateOf(line),
    ];
    const row = (line) => {
      const filled = cells(line).map((content, at) => {
        const isElement = content instanceof Node;
        return make("td", { class: kind(columns[at][1]), text: isElement ? undefined : content }, isElement ? content : undefined);
      });
      return make("tr", { class: "run" }, ...filled);
    };
    return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines.map(row))));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const { key } = event;
    const rows = [...this.box.querySelectorAll("tr.run")];
    const actions = {
      "?": () => showKeys(RUNS_KEYS), t: changeTheme, "/": () => byId("text").focus(),
      Enter: () => rows[this.at]?.querySelector("a").click(),
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

const RUNS_KEYS = [
  [["j", "↓"], "next run"], [["k", "↑"], "previous run"], [["Enter"], "open the run"], [["/"], "search"],
  [["t"], "switch between light and dark"], [["?"], "show these shortcuts"],
];

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
  const groups = new Map();
  for (const line of [...lines].reverse()) {
    const key = JSON.stringify([[...line.files].sort(), line.targets, line.dry_run ?? false]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(line);
  }
  const plots = new Map();
  for (const group of groups.values()) {
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
