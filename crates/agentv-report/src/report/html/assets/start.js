// Reads the blocks and builds the page.

/** The state of the page. */
class App {
  constructor(facts, runs, evaluators) {
    this.facts = facts;
    this.evaluators = evaluators;
    // Of all trials of a run, including those that the page omits.
    const withTarget = facts.runs.some((run) => listOf(run.summary.targets).length > 1);
    this.items = new Items(runs, withTarget);
    this.repeats = runs.some((trials) => trials.trial.some((trial) => trial > 1));
    this.filter = emptyFilter();
    this.shown = [];
    document.body.classList.toggle("two", this.items.two);
    this.search = new Search(this.items, () => this.refresh());
    this.controls = new Controls(this);
    this.list = new List(this);
    this.view = new CaseView(this);
  }

  /** Changes the given fields of the filter. */
  narrow(change, keepsSort) {
    const sort = keepsSort ? { sort: this.filter.sort, descending: this.filter.descending } : {};
    this.filter = { ...this.filter, ...change, ...sort };
    this.refresh();
    this.list.toTop();
    writeAddress(this.filter, this.openTrial());
  }

  /** Lists the trials that match the filter. */
  refresh() {
    const chosen = this.shown[this.list.at];
    this.search.look(this.filter.text);
    this.shown = filtered(this.items, this.filter, this.evaluators, (item) => this.search.found[item] === 1);
    this.list.at = chosen === undefined ? -1 : this.shown.indexOf(chosen);
    this.controls.reflect();
    this.list.fill();
  }

  open(item) {
    const isStep = this.view.item < 0;
    const at = this.shown.indexOf(item);
    if (at >= 0) this.list.choose(at);
    this.view.show(item);
    writeAddress(this.filter, this.openTrial(), isStep);
  }

  /** Opens a neighbour of the open trial. */
  step(by) {
    const at = this.shown.indexOf(this.view.item) + by;
    if (at >= 0 && at < this.shown.length) this.open(this.shown[at]);
  }

  closed() {
    writeAddress(this.filter, undefined);
    byId("list").focus({ preventScroll: true });
  }

  openTrial() {
    const { item } = this.view;
    if (item < 0) return undefined;
    const [trials, row] = [this.items.trials(item), this.items.place(item)];
    return [trials.file[row], trials.id[row], trials.target[row], trials.trial[row]];
  }

  /** Shows the state of the address. */
  follow() {
    const { filter, trial } = readAddress(location.hash);
    this.filter = filter;
    this.refresh();
    const item = trial ? this.items.find(...trial) : -1;
    if (item >= 0 && item !== this.view.item) this.open(item);
    if (item < 0 && byId("case").open) byId("case").close();
  }
}

async function readRuns() {
  const [packedFacts] = packedBlocks("facts");
  const read = async (block) => JSON.parse(await unpack(block));
  const facts = await read(packedFacts);
  const evaluators = new Evaluators();
  const runs = facts.runs.map((run) => new Trials(run.shown));
  const details = packedBlocks("details");
  for (const part of await Promise.all(packedBlocks("rows").map(read))) {
    runs[part.run].add(part, details, evaluators);
  }
  return new App(facts, runs, evaluators);
}

async function start() {
  recallTheme();
  if (typeof DecompressionStream === "undefined") {
    byId("progress").textContent = "This browser is too old to unpack the report: it needs DecompressionStream, available in browsers since 2023.";
    return;
  }
  try {
    const app = await readRuns();
    byId("progress").hidden = true;
    byId("cases").hidden = false;
    showOverview(app);
    app.list.measure();
    app.follow();
    listenToKeys(app);
    addEventListener("hashchange", () => app.follow());
    addEventListener("popstate", () => app.follow());
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    byId("progress").textContent = `The report cannot be read: ${error.message}`;
    throw error;
  }
}

start();
