// The source of a page of the view: a server that has an index of the run.

/** The number of rows in an answer. */
const PAGE_ROWS = 100;
/** The number of answers that are kept. */
const KEPT_PAGES = 60;
/** The number of bytes of a long record that are read at once. */
const PIECE_BYTES = 256 << 10;

/** Returns an answer of the server, or throws its error. */
async function ask(address, options) {
  const response = await fetch(address, options);
  if (response.ok) return response.json();
  const text = await response.text();
  let message = text;
  try {
    message = JSON.parse(text).error ?? text;
  } catch {
    // It is plain text.
  }
  throw new Error(message || `the server answered ${response.status}`);
}

/** The pages of the site, and the source of its list of runs. */
const SITE = {
  isLive: true,
  runs: () => ask("/api/runs"),
  run: (id) => `/run/${encodeURIComponent(id)}`,
  compare: (columns) => compareAddress(columns),
};

function rowOf(row) {
  return { ...row, score: row.score ?? NaN, ms: row.ms ?? NaN, cost: row.cost ?? NaN };
}

/** The trials that match a filter; the rows arrive page by page. */
class ServerFound {
  constructor(source, query, answer, arrived) {
    this.source = source;
    this.query = query;
    this.arrived = arrived;
    this.pages = new Map();
    this.asked = new Map();
    this.take(answer);
  }

  take(answer) {
    this.length = answer.length;
    this.total = answer.total;
    this.statuses = answer.statuses;
    this.version = answer.version;
    this.note = this.query.get("q") && this.source.cut > 0
      ? `Of ${counted(this.source.cut, "trial")}, only the start of long texts is searched.` : "";
    this.keep(answer.first / PAGE_ROWS, answer.rows);
  }

  keep(page, rows) {
    this.pages.delete(page);
    this.pages.set(page, rows.map(rowOf));
    for (const row of rows) this.source.known.set(row.item, rowOf(row));
    if (this.pages.size > KEPT_PAGES) this.pages.delete(this.pages.keys().next().value);
  }

  row(at) {
    return this.pages.get(Math.floor(at / PAGE_ROWS))?.[at % PAGE_ROWS];
  }

  item(at) {
    return this.row(at)?.item;
  }

  indexOf(item) {
    for (const [page, rows] of this.pages) {
      const at = rows.findIndex((row) => row.item === item);
      if (at >= 0) return page * PAGE_ROWS + at;
    }
    return -1;
  }

  /** Asks for the rows around the visible ones; answers about others are no longer needed. */
  near(first, last) {
    const wanted = new Set();
    for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS < Math.max(last, 1); page += 1) wanted.add(page);
    for (const [page, stop] of this.asked) {
      if (!wanted.has(page)) stop.abort();
    }
    for (const page of wanted) {
      if (!this.pages.has(page) && !this.asked.has(page) && page * PAGE_ROWS < this.length) this.load(page);
    }
  }

  async load(page) {
    const stop = new AbortController();
    this.asked.set(page, stop);
    try {
      const answer = await this.source.page(this.query, page, stop.signal);
      this.keep(page, answer.rows);
      this.arrived(this);
    } catch (error) {
      if (error.name !== "AbortError") this.source.failed(error);
    } finally {
      this.asked.delete(page);
    }
  }
}

/** A source as `packed_source.js` describes it. */
class ServerSource {
  constructor(id) {
    this.base = `/api/runs/${encodeURIComponent(id)}`;
    this.id = id;
    this.two = false;
    this.moment = "";
    this.unit = "trial";
    this.hasBytes = true;
    this.known = new Map();
    this.share = 1;
    this.turn = 0;
    this.facts = undefined;
  }

  /** Reads what the index knows; returns true if the names to choose from have changed. */
  async describe() {
    const about = await ask(this.base);
    const names = JSON.stringify(about.names);
    const isNew = names !== this.namesText;
    Object.assign(this, { about, isRunning: about.running, statuses: about.statuses, datasets: about.datasets, names: about.names, repeats: about.repeats, cut: about.cut, namesText: names });
    return isNew;
  }

  /** Reads the figures, which may take a while. */
  async readFacts() {
    const { facts, version } = await ask(`${this.base}/facts`);
    this.facts = { runs: [facts] };
    notePassThresholds([facts]);
    this.factsVersion = version;
  }

  page(query, page, signal) {
    const fields = new URLSearchParams(query);
    fields.set("first", page * PAGE_ROWS);
    fields.set("count", PAGE_ROWS);
    return ask(`${this.base}/trials?${fields}`, { signal });
  }

  /** Returns the place of a trial among those that match a query, or -1. */
  async placeOf(query, item) {
    const fields = new URLSearchParams(query);
    fields.set("count", "0");
    fields.set("place", item);
    return (await ask(`${this.base}/trials?${fields}`)).place ?? -1;
  }

  async find(filter, show) {
    this.turn += 1;
    const { turn } = this;
    this.show = show;
    this.share = 0;
    const bounds = { least: isBound(filter.least) ? filter.least : "", most: isBound(filter.most) ? filter.most : "" };
    const query = new URLSearchParams(addressOf({ ...filter, ...bounds }));
    query.delete("change");
    query.delete("hide");
    if (/delta$/.test(query.get("sort") ?? "")) query.delete("sort");
    try {
      const answer = await this.page(query, 0);
      if (turn !== this.turn) return;
      this.share = 1;
      this.found = new ServerFound(this, query, answer, (found) => found === this.found && this.rowsArrived?.());
      show(this.found);
    } catch (error) {
      if (turn !== this.turn) return;
      this.share = 1;
      this.failed(error);
    }
  }

  /** Replaces the list by its current state; the visible rows are read first, so that none disappears. */
  async follow(first, last) {
    const { turn, found } = this;
    if (!found) return;
    const start = await this.page(found.query, 0);
    const fresh = new ServerFound(this, found.query, start, found.arrived);
    const pages = [];
    for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS < Math.min(last, fresh.length); page += 1) {
      if (page > 0) pages.push(page);
    }
    const answers = await Promise.all(pages.map((page) => this.page(found.query, page)));
    if (turn !== this.turn) return;
    answers.forEach((answer, at) => fresh.keep(pages[at], answer.rows));
    this.found = fresh;
    this.show(fresh);
  }

  row(item) {
    return this.known.get(item);
  }

  async detail(item) {
    const { row, siblings, result, transcript, cut, sizes } = await ask(`${this.base}/trials/${item}`);
    const all = siblings.map(rowOf);
    for (const one of [rowOf(row), ...all]) this.known.set(one.item, one);
    return { row: rowOf(row), now: { result, transcript, cut, sizes }, before: undefined, siblings: all };
  }

  /** Returns the trials of the same case and target in other runs, newest run first. */
  async history(item) {
    const { trials } = await ask(`${this.base}/trials/${item}/history`);
    return trials.map((one) => ({ ...rowOf(one), run: one.run, address: `/run/${encodeURIComponent(one.run)}#${addressOf(emptyFilter(), [one.file, one.id, one.target, one.trial])}` }));
  }

  /** Reads a piece of a record from the files of the run. */
  async bytes(item, record, from) {
    const range = `bytes=${from}-${from + PIECE_BYTES - 1}`;
    const response = await fetch(`${this.base}/trials/${item}/${record}`, { headers: { range } });
    if (!response.ok) throw new Error(await response.text());
    const whole = response.headers.get("content-range")?.split("/")[1] ?? response.headers.get("content-length");
    return { bytes: await response.arrayBuffer(), length: Number(whole) };
  }

  async locate(file, id, target, trial) {
    const fields = new URLSearchParams({ file, id, target, trial });
    const { item } = await ask(`${this.base}/locate?${fields}`);
    return item ?? -1;
  }

  spreads(column) {
    return this.about.spreads[column] ?? undefined;
  }

  failed(error) {
    byId("notices").replaceChildren(make("p", { class: "notice theirs", role: "alert", text: error.message }));
  }
}
