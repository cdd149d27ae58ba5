// The part of the address after `#`: the filter and the open trial, so that a link leads back to both.

/** The filter's plain fields and their names in the address. */
const ADDRESS_FIELDS = [
  ["text", "q"], ["evaluator", "evaluator"], ["said", "said"], ["least", "min"], ["most", "max"],
  ["target", "target"], ["file", "file"], ["dataset", "dataset"], ["tool", "tool"], ["change", "change"],
];

function addressOf(filter, trial) {
  const fields = new URLSearchParams();
  for (const [name, short] of ADDRESS_FIELDS) {
    if (filter[name] !== "") fields.set(short, filter[name]);
  }
  if (filter.statuses.size > 0) fields.set("status", [...filter.statuses].join(","));
  if (filter.sort !== "") fields.set("sort", (filter.descending ? "-" : "") + filter.sort);
  if (filter.hidden.size > 0) fields.set("hide", [...filter.hidden].join(","));
  if (trial) fields.set("case", JSON.stringify(trial));
  return fields.toString();
}

/** Returns the filter and the trial of an address, without invalid parts. */
function readAddress(text) {
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  const filter = emptyFilter();
  for (const [name, short] of ADDRESS_FIELDS) filter[name] = fields.get(short) ?? "";
  for (const status of (fields.get("status") ?? "").split(",")) {
    if (STATUSES.includes(status)) filter.statuses.add(status);
  }
  for (const name of (fields.get("hide") ?? "").split(",")) {
    if (COLUMNS.some(([known]) => known === name)) filter.hidden.add(name);
  }
  const sort = fields.get("sort") ?? "";
  filter.descending = sort.startsWith("-");
  filter.sort = SORTS.includes(sort.replace(/^-/, "")) ? sort.replace(/^-/, "") : "";
  return { filter, trial: readTrial(fields.get("case")) };
}

function readTrial(text) {
  try {
    const trial = JSON.parse(text);
    return Array.isArray(trial) && trial.length === 4 ? trial : undefined;
  } catch {
    return undefined;
  }
}

/** Puts the state into the address; Back undoes opening a trial. */
function writeAddress(filter, trial, isStep) {
  const address = `#${addressOf(filter, trial)}`;
  if (address === location.hash || (address === "#" && location.hash === "")) return;
  try {
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  } catch {
    // Some browsers allow few changes per second, or none for a local file: the page works without.
  }
}
