// The filter and the order of the listed trials.

function emptyFilter() {
  return {
    text: "", statuses: new Set(), evaluator: "", said: "", least: "", most: "",
    target: "", file: "", change: "", sort: "", descending: false,
  };
}

/** The sort orders: a value for each item; items without one come last. */
const SORTS = {
  id: (items, item) => items.trials(item).id[items.place(item)],
  score: (items, item) => items.score(item),
  delta: (items, item) => items.delta(item),
  ms: (items, item) => items.trials(item).ms[items.place(item)],
  cost: (items, item) => items.trials(item).cost[items.place(item)],
};

/** The kinds of differences between trials of two runs. */
const CHANGES = [
  ["changed", "changed", (change) => change !== "same"],
  ["worse", "worse", (change) => change === "worse"],
  ["better", "better", (change) => change === "better"],
  ["first", "in the first run only", (change) => change === "first"],
  ["second", "in the second run only", (change) => change === "second"],
];

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

function isBound(text) {
  return text.trim() !== "" && Number.isFinite(Number(text));
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
  const value = SORTS[filter.sort];
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
