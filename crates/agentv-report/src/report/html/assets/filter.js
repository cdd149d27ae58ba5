// The filter and the order of the listed trials, as data.

const STATUSES = ["pass", "borderline", "fail", "error", "ungraded"];
const SAID = ["pass", "borderline", "fail", "error", "skipped"];
/** The names of the columns that sort. */
const SORTS = ["id", "score", "delta", "ms", "cost"];

/** The columns that can be hidden, and their headings. */
const COLUMNS = [["question", "Question"], ["reason", "Reason"], ["target", "Target"], ["score", "Score"], ["ms", "Latency"], ["cost", "Cost"]];

function emptyFilter() {
  return {
    text: "", statuses: new Set(), evaluator: "", said: "", least: "", most: "",
    target: "", file: "", dataset: "", tool: "", change: "", sort: "", descending: false, hidden: new Set(),
  };
}

/** The kinds of differences between trials of two runs. */
const CHANGES = [
  ["changed", "changed", (change) => change !== "same"],
  ["worse", "worse", (change) => change === "worse"],
  ["better", "better", (change) => change === "better"],
  ["first", "in the first run only", (change) => change === "first"],
  ["second", "in the second run only", (change) => change === "second"],
];

function isBound(text) {
  return text.trim() !== "" && Number.isFinite(Number(text));
}
