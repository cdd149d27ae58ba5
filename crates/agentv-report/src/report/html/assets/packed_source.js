// The source of a page that is one file: all trials are in memory.

/** The sort orders: a value for each item; items without one come last. */
const SORT_VALUES = {
  id: (items, item) => items.trials(item).id[items.place(item)],
  score: (items, item) => items.score(item),
  delta: (items, item) => items.delta(item),
  ms: (items, item) => items.trials(item).ms[items.place(item)],
  cost: (items, item) => items.trials(item).cost[items.place(item)],
};

/** Returns the items that match a filter, in its order. `found` checks if the texts of an item match. */
function filtered(items, filter, evaluators, found) {
  const tests = [];
  if (filter.statuses.size > 0) {
    const wanted = STATUSES.map((status) => filter.statuses.has(status));
    tests.push((item) => wanted[items.status(item)]);
  }
  const equal = (column, value) => {
    if (value !== "") tests.push((item) => items.trials(item)[column][items.place(item)] === value);
  };
  equal("target", filter.target);
  equal("file", filter.file);
  if (isBound(filter.least)) tests.push((item) => items.score(item) >= Number(filter.least) - 1e-9);
  if (isBound(filter.most)) tests.push((item) => items.score(item) <= Number(filter.most) + 1e-9);
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
  return (item) => {
    const results = items.trials(item).results[items.place(item)];
    for (let at = 0; at < results.length; at += 3) {
      if (named[results[at]] && (said < 0 || results[at + 2] === said)) return true;
    }
    return false;
  };
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
 * - `repeats`: set if a case has several trials;
 * - `names`: the names that can be chosen in the filter, by field;
 * - `find(filter, show)` calls `show` with the list of matching trials, now or later, once or more often;
 * - `share`: the finished part of the search, 1 at its end;
 * - `row(item)`: what the list shows of a trial, if it is known by now;
 * - `detail(item)`: a promise of the row of a trial, its records, those of the first of two runs, and the rows of
 *   all trials of its case;
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
    for (let item = 0; item < this.items.length; item += 1) this.statuses[this.items.status(item)] += 1;
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
    return {
      item, status: STATUSES[of("status")], id: of("id"), question: of("question"), reason: of("reason"), target: of("target"),
      file: of("file"), trial: of("trial"), score: of("score"), ms: of("ms"), cost: of("cost"),
      change: this.two ? this.change(item) : undefined,
    };
  }

  change(item) {
    const { items } = this;
    const kind = items.change(item);
    if (kind === "first" || kind === "second") return { kind };
    if (items.byCase) return { kind, delta: items.delta(item), means: items.means(item), isOther: false };
    const [before, after] = [items.runs[0].status[items.base[item]], items.now.status[items.row[item]]];
    return { kind, delta: items.delta(item), before: STATUSES[before], isOther: before !== after };
  }

  async detail(item) {
    const { items } = this;
    const now = items.row[item] >= 0 ? await items.now.detail(items.row[item]) : undefined;
    const before = items.two && items.base[item] >= 0 ? await items.runs[0].detail(items.base[item]) : undefined;
    return { row: this.row(item), now, before, siblings: items.siblings(item).map((other) => this.row(other)) };
  }

  async locate(file, id, target, trial) {
    return this.items.find(file, id, target, trial);
  }

  spreads(column) {
    return spreadsOf(this.items.runs.map((trials) => Array.from(trials[column])));
  }
}
