// The source of a page that is one file: all trials are in memory.

/** The sort orders: a value for each item; items without one come last. */
const SORT_VALUES = {
  id: (items, item) => items.trials(item).id[items.place(item)],
  score: (items, item) => items.figure(item, "score"),
  delta: (items, item) => items.delta(item),
  ms: (items, item) => items.figure(item, "ms"),
  cost: (items, item) => items.figure(item, "cost"),
};

/** Returns the items that match a filter, in its order. `found` checks if the texts of an item match. */
function filtered(items, filter, evaluators, found) {
  const tests = [];
  if (filter.statuses.size > 0) {
    const wanted = STATUSES.map((status) => filter.statuses.has(status));
    tests.push((item) => items.statuses(item).some((status) => wanted[status]));
  }
  const equal = (column, value) => {
    if (value !== "") tests.push((item) => items.trials(item)[column][items.place(item)] === value);
  };
  equal("target", filter.target);
  equal("file", filter.file);
  if (isBound(filter.least)) tests.push((item) => items.figure(item, "score") >= Number(filter.least) - 1e-9);
  if (isBound(filter.most)) tests.push((item) => items.figure(item, "score") <= Number(filter.most) + 1e-9);
  if (filter.evaluator !== "" || filter.said !== "") tests.push(evaluatorTest(items, filter, evaluators));
  const change = CHANGES.find(([name]) => name === filter.change);
  if (items.two && change) tests.push((item) => change[2](items.change(item)));
  if (filter.text !== "") tests.push(found);
  const left = [];
  for (let item = 0; item < items.length; item += 1) {
    if (tests.every((test) => test(item))) left.push(item);
  }
  return sorted(items, left, filter);
}

function evaluatorTest(items, filter, evaluators) {
  const named = evaluators.names.map((name) => filter.evaluator === "" || name === filter.evaluator);
  const said = SAID.indexOf(filter.said);
  const isMeant = (results) => {
    for (let at = 0; at < results.length; at += 3) {
      if (named[results[at]] && (said < 0 || results[at + 2] === said)) return true;
    }
    return false;
  };
  return (item) => items.rows(item).some((row) => isMeant(items.trials(item).results[row]));
}

function sorted(items, left, filter) {
  const value = SORT_VALUES[filter.sort];
  if (!value) return left;
  const values = new Map(left.map((item) => [item, value(items, item)]));
  const sign = filter.descending ? -1 : 1;
  const isNone = (one) => typeof one === "number" && Number.isNaN(one);
  return left.sort((a, b) => {
    const [one, other] = [values.get(a), values.get(b)];
    if (isNone(one) || isNone(other)) return isNone(one) - isNone(other) || a - b;
    return (one < other ? -sign : one > other ? sign : 0) || a - b;
  });
}

/** The trials of a page that match a filter, in its order; every source has such a list. */
class PackedFound {
  constructor(source, list) {
    this.source = source;
    this.list = list;
    this.length = list.length;
    this.total = source.items.length;
    this.statuses = source.statuses;
  }

  item(at) {
    return this.list[at];
  }

  row(at) {
    return this.source.row(this.list[at]);
  }

  indexOf(item) {
    return this.list.indexOf(item);
  }
}

/**
 * The source of a page that is one file. Every source has these fields and methods:
 *
 * - `facts`: the runs and their figures, and `two`, set if there are two of them;
 * - `moment`: the moment whose state is shown, in words; empty if it is now;
 * - `isRunning`: set while the run is in progress;
 * - `repeats`: set if a case has several trials;
 * - `unit`: `case` if a row of the list is a case with all of its trials, otherwise `trial`;
 * - `statuses`: the number of rows with each status;
 * - `names`: the names that can be chosen in the filter, by field;
 * - `find(filter, show)` calls `show` with the list of matching trials, now or later, once or more often;
 * - `share`: the finished part of the search, 1 at its end;
 * - `row(item)`: what the list shows of a trial, if it is known by now;
 * - `detail(item, chosen)`: a promise of the row of a trial, its records, those of the first of two runs, and the rows of
 *   all trials of its case; if it is a case of two runs, `chosen` are the places of the wanted trials among `repeats`;
 * - `locate(file, id, target, trial)`: a promise of the item of a trial, -1 if there is none;
 * - `bytes(item, record, from)`: a promise of bytes of a `result` or `transcript` from an offset, and of its length;
 *   only if `hasBytes` is set: otherwise there is nothing but what `detail` returns;
 * - `spreads(column)`: for each run a histogram of `ms` or `cost`.
 */
class PackedSource {
  constructor(facts, runs, evaluators) {
    this.facts = facts;
    this.evaluators = evaluators;
    // Of all trials of a run, including those that the page omits.
    const withTarget = facts.runs.some((run) => listOf(run.summary.targets).length > 1);
    const isWhole = facts.runs.every((run) => run.shown >= run.summary.trials);
    this.items = new Items(runs, withTarget, isWhole);
    this.two = this.items.two;
    this.moment = "when this report was written";
    this.hasBytes = false;
    this.repeats = runs.some((trials) => trials.trial.some((trial) => trial > 1));
    this.statuses = new Array(STATUSES.length).fill(0);
    for (let item = 0; item < this.items.length; item += 1) for (const status of this.items.statuses(item)) this.statuses[status] += 1;
    this.unit = this.items.groups ? "case" : "trial";
    const distinct = (column) => [...new Set(runs.flatMap((trials) => [...new Set(trials[column])]))].sort();
    this.names = { target: distinct("target"), file: distinct("file"), evaluator: [...new Set(evaluators.names)].sort(), dataset: [], tool: [] };
    this.search = new Search(this.items, () => this.show());
    this.show = () => {};
  }

  get share() {
    return this.search.share;
  }

  find(filter, show) {
    this.search.look(filter.text);
    this.show = () => show(new PackedFound(this, filtered(this.items, filter, this.evaluators, (item) => this.search.found[item] === 1)));
    this.show();
  }

  row(item) {
    if (item === undefined) return undefined;
    const { items } = this;
    const [trials, row] = [items.trials(item), items.place(item)];
    const of = (column) => trials[column][row];
    const statuses = items.statuses(item);
    return {
      item, status: statuses.length > 1 ? "mixed" : STATUSES[statuses[0]], id: of("id"), question: of("question"), reason: of("reason"), target: of("target"),
      file: of("file"), trial: of("trial"), score: items.figure(item, "score"), ms: items.figure(item, "ms"), cost: items.figure(item, "cost"),
      change: this.two ? this.change(item) : undefined, repeats: items.groups ? this.repeatsOf(trials, items.rows(item)) : undefined,
    };
  }

  /** Returns the trials of a case in a run. */
  repeatsOf(trials, rows) {
    return rows.map((row) => ({ trial: trials.trial[row], status: STATUSES[trials.status[row]], score: trials.score[row] }));
  }

  change(item) {
    const { items } = this;
    const kind = items.change(item);
    if (kind === "first" || kind === "second") return { kind };
    if (items.byCase) return { kind, delta: items.delta(item), means: items.means(item), isOther: false };
    const [before, after] = [items.runs[0].status[items.base[item]], items.now.status[items.row[item]]];
    return { kind, delta: items.delta(item), before: STATUSES[before], isOther: before !== after };
  }

  async detail(item, chosen = [0, 0]) {
    const { items } = this;
    const wanted = items.groups ? items.groups[item].map((rows, run) => rows[chosen[run]] ?? -1) : [items.base?.[item] ?? -1, items.row[item]];
    const now = wanted[1] >= 0 ? await items.now.detail(wanted[1]) : undefined;
    const before = wanted[0] >= 0 ? await items.runs[0].detail(wanted[0]) : undefined;
    const repeats = items.groups?.[item].map((rows, run) => this.repeatsOf(items.runs[run], rows));
    return { row: this.row(item), now, before, repeats, siblings: items.siblings(item).map((other) => this.row(other)) };
  }

  async locate(file, id, target, trial) {
    return this.items.find(file, id, target, trial);
  }

  spreads(column) {
    return spreadsOf(this.items.runs.map((trials) => Array.from(trials[column])));
  }
}
