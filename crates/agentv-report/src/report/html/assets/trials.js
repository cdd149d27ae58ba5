// The trials of the page: columns of each run, and items, which pair the trials of two runs.

/** The rows of a run, gathered from its blocks. */
class Trials {
  constructor(length) {
    this.length = 0;
    this.id = [];
    this.file = [];
    this.target = [];
    this.trial = [];
    this.status = new Uint8Array(length);
    this.score = new Float64Array(length).fill(NaN);
    this.ms = new Float64Array(length).fill(NaN);
    this.cost = new Float64Array(length).fill(NaN);
    this.question = [];
    this.reason = [];
    this.results = [];
    this.block = [];
    this.line = new Uint16Array(length);
    this.words = [];
  }

  /** Adds the rows of a block, whose details are in the next of `details`. */
  add(part, details, evaluators) {
    const from = this.length;
    const places = part.evaluators.map(([name, kind]) => evaluators.place(name, kind));
    for (let at = 0; at < part.id.length; at += 1) {
      const row = from + at;
      this.id.push(part.id[at]);
      this.file.push(part.files[part.file[at]]);
      this.target.push(part.targets[part.target[at]]);
      this.trial.push(part.trial[at]);
      this.status[row] = part.status[at];
      if (part.score[at] !== null) this.score[row] = part.score[at];
      if (part.ms[at] !== null) this.ms[row] = part.ms[at];
      if (part.cost[at] !== null) this.cost[row] = part.cost[at];
      this.question.push(part.question[at]);
      this.reason.push(part.reason[at]);
      const results = part.results[at];
      for (let one = 0; one < results.length; one += 3) results[one] = places[results[one]];
      this.results.push(results);
    }
    this.length += part.id.length;
    let row = from;
    for (const trials of part.details) {
      const block = details.shift();
      for (let line = 0; line < trials; line += 1) {
        this.block.push(block);
        this.line[row] = line;
        row += 1;
      }
    }
  }

  /** Returns the texts of a row in the list, for searching. */
  wordsOf(row) {
    this.words[row] ??= `${this.id[row]}\n${this.question[row]}\n${this.reason[row]}\n${this.target[row]}\n${this.file[row]}`.toLowerCase();
    return this.words[row];
  }

  keyOf(row, withTarget) {
    return JSON.stringify([this.caseOf(row, withTarget), this.trial[row]]);
  }

  caseOf(row, withTarget) {
    return JSON.stringify([this.file[row], this.id[row], withTarget ? this.target[row] : ""]);
  }

  /** Returns the cases by name, each with its trials and the mean score of the graded ones. */
  cases(withTarget) {
    const cases = new Map();
    for (let row = 0; row < this.length; row += 1) {
      const name = this.caseOf(row, withTarget);
      if (!cases.has(name)) cases.set(name, { rows: [] });
      cases.get(name).rows.push(row);
    }
    for (const one of cases.values()) {
      one.rows.sort((a, b) => this.trial[a] - this.trial[b]);
      one.mean = this.mean("score", one.rows);
    }
    return cases;
  }

  /** Returns the mean of a column over some rows, without those that have no value. */
  mean(column, rows) {
    const values = rows.map((row) => this[column][row]).filter((value) => !Number.isNaN(value));
    return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : NaN;
  }

  /** Returns the records of a trial. */
  async detail(row) {
    const lines = await detailLines(this.block[row]);
    return JSON.parse(lines[this.line[row]]);
  }
}

/** Returns the evaluators of all runs, each once. */
class Evaluators {
  constructor() {
    this.names = [];
    this.kinds = [];
    this.places = new Map();
  }

  place(name, kind) {
    const key = JSON.stringify([name, kind]);
    let place = this.places.get(key);
    if (place === undefined) {
      place = this.names.length;
      this.places.set(key, place);
      this.names.push(name);
      this.kinds.push(kind);
    }
    return place;
  }
}

/**
 * What the list shows: `row[i]` is a trial of the last run, `base[i]` the same trial of the first of two;
 * -1 where a run does not have it. If cases have several trials, an item of two runs is a case: its trials have
 * nothing in common but the case, so its means are compared. `groups[i]` are its trials in both runs, and `row[i]` and
 * `base[i]` the first of them. That needs all trials: without some of them, trials are paired by their numbers.
 */
class Items {
  constructor(runs, withTarget, isWhole) {
    this.runs = runs;
    this.withTarget = withTarget;
    const repeats = runs.some((trials) => trials.trial.some((trial) => trial > 1));
    this.byCase = runs.length === 2 && repeats && isWhole ? runs.map((trials) => trials.cases(withTarget)) : undefined;
    this.two = runs.length === 2;
    this.now = runs[runs.length - 1];
    if (this.byCase) {
      const names = [...new Set([...this.byCase[1].keys(), ...this.byCase[0].keys()])];
      this.groups = names.map((name) => this.byCase.map((cases) => cases.get(name)?.rows ?? []));
      this.row = this.groups.map(([, rows]) => rows[0] ?? -1);
      this.base = this.groups.map(([rows]) => rows[0] ?? -1);
    } else {
      const length = this.now.length;
      this.row = Array.from({ length }, (_, at) => at);
      this.base = this.two ? matched(runs[0], this.now, this, withTarget) : undefined;
    }
    this.length = this.row.length;
  }

  /** Returns the shown trials of an item: all repeats of a case, otherwise one. */
  rows(item) {
    if (!this.groups) return [this.place(item)];
    const [before, now] = this.groups[item];
    return now.length > 0 ? now : before;
  }

  /** Returns all trials of an item, in both runs, each as `[trials, row]`. */
  places(item) {
    if (this.groups) return this.groups[item].flatMap((rows, run) => rows.map((row) => [this.runs[run], row]));
    const places = this.row[item] >= 0 ? [[this.now, this.row[item]]] : [];
    return this.two && this.base[item] >= 0 ? [...places, [this.runs[0], this.base[item]]] : places;
  }

  /** Returns the trial that an item shows: the last run's, otherwise the first's. */
  trials(item) {
    return this.row[item] >= 0 ? this.now : this.runs[0];
  }

  place(item) {
    return this.row[item] >= 0 ? this.row[item] : this.base[item];
  }

  /** Returns the statuses of an item, each once. */
  statuses(item) {
    const { status } = this.trials(item);
    return [...new Set(this.rows(item).map((row) => status[row]))];
  }

  /** Returns a figure of an item: the mean of its trials. */
  figure(item, column) {
    return this.trials(item).mean(column, this.rows(item));
  }

  /** Returns the change of the score from the first run to the second; NaN if it is not known. */
  delta(item) {
    if (this.byCase) {
      const [before, after] = this.means(item);
      return after - before;
    }
    if (!this.two || this.row[item] < 0 || this.base[item] < 0) return NaN;
    return this.now.score[this.row[item]] - this.runs[0].score[this.base[item]];
  }

  /** Returns the mean scores of an item's case in both runs; NaN for a run that has no grade of it. */
  means(item) {
    const name = this.trials(item).caseOf(this.place(item), this.withTarget);
    return this.byCase.map((cases) => cases.get(name)?.mean ?? NaN);
  }

  /** Returns `same`, `better`, `worse`, `other` (another difference), `first` or `second` (in one run only). */
  change(item) {
    if (this.byCase) {
      const name = this.trials(item).caseOf(this.place(item), this.withTarget);
      const [before, after] = this.byCase.map((cases) => cases.get(name));
      if (!after) return "first";
      if (!before) return "second";
    } else {
      if (this.row[item] < 0) return "first";
      if (this.base[item] < 0) return "second";
    }
    const delta = this.delta(item);
    if (delta > 1e-9) return "better";
    if (delta < -1e-9) return "worse";
    if (this.byCase) {
      const [before, after] = this.means(item);
      return Number.isNaN(before) === Number.isNaN(after) ? "same" : "other";
    }
    const [before, after] = [this.runs[0].status[this.base[item]], this.now.status[this.row[item]]];
    return before === after ? "same" : "other";
  }

  /** Returns the index of the item with this trial, or -1. */
  find(file, id, target, trial) {
    const isMeant = ([trials, row]) => trials.id[row] === id && trials.trial[row] === trial && trials.file[row] === file && trials.target[row] === target;
    for (let item = 0; item < this.length; item += 1) {
      const places = this.groups ? this.places(item) : [[this.trials(item), this.place(item)]];
      if (places.some(isMeant)) return item;
    }
    return -1;
  }

  /** Returns the items of the same case: other repeats, other targets. */
  siblings(item) {
    const [trials, row] = [this.trials(item), this.place(item)];
    const found = [];
    for (let other = 0; other < this.length; other += 1) {
      const [others, place] = [this.trials(other), this.place(other)];
      if (others.id[place] === trials.id[row] && others.file[place] === trials.file[row]) found.push(other);
    }
    return found;
  }
}

/**
 * For each trial of `now` the same one of `before`; those of `before` alone are added to the items. Trials
 * of targets of another name are the same only where each run has one target.
 */
function matched(before, now, items, withTarget) {
  const known = new Map();
  for (let row = 0; row < before.length; row += 1) known.set(before.keyOf(row, withTarget), row);
  const base = items.row.map((row) => {
    const key = now.keyOf(row, withTarget);
    const found = known.get(key) ?? -1;
    known.delete(key);
    return found;
  });
  const used = new Set(base);
  for (let row = 0; row < before.length; row += 1) {
    if (used.has(row)) continue;
    items.row.push(-1);
    base.push(row);
  }
  return base;
}
