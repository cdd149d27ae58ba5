// The app: a filter, the trials that match it, and the open trial.

/** The state of a page that shows the trials of runs from a source. */
class App {
  constructor(source) {
    this.source = source;
    this.facts = source.facts;
    this.filter = emptyFilter();
    this.found = { length: 0, total: 0, statuses: source.statuses, item: () => undefined, row: () => undefined, indexOf: () => -1 };
    document.body.classList.toggle("two", source.two);
    this.controls = new Controls(this);
    this.list = new List(this);
    this.view = new CaseView(this);
  }

  /** Shows everything for the first time. */
  start() {
    byId("progress").hidden = true;
    byId("cases").hidden = false;
    if (this.source.unit === "case") byId("cases-title").textContent = "Cases";
    if (this.facts) showOverview(this);
    this.list.measure();
    this.follow();
    listenToKeys(this);
    addEventListener("hashchange", () => this.follow());
    addEventListener("popstate", () => this.follow());
    document.documentElement.dataset.ready = "yes";
  }

  /** Changes the given fields of the filter. */
  narrow(change, keepsSort) {
    const { sort: column, descending, hidden } = this.filter;
    const sort = keepsSort ? { sort: column, descending, hidden } : {};
    this.filter = { ...this.filter, ...change, ...sort };
    this.refresh();
    this.list.toTop();
    writeAddress(this.filter, this.openTrial());
  }

  /** Hides a column or shows it again. */
  hide(name, isHidden) {
    const hidden = new Set(this.filter.hidden);
    if (isHidden) hidden.add(name);
    else hidden.delete(name);
    this.filter = { ...this.filter, hidden };
    this.controls.reflect();
    writeAddress(this.filter, this.openTrial());
  }

  /** Lists the trials that match the filter. */
  refresh() {
    this.source.find(this.filter, (found) => this.show(found));
    this.controls.reflect();
  }

  show(found) {
    const chosen = this.found.item(this.list.at);
    this.found = found;
    this.list.at = chosen === undefined ? -1 : found.indexOf(chosen);
    this.controls.reflect();
    this.list.fill();
  }

  open(item) {
    const isStep = this.view.item < 0;
    const at = this.found.indexOf(item);
    if (at >= 0) this.list.choose(at);
    this.view.show(item);
    writeAddress(this.filter, this.openTrial(), isStep);
  }

  /** Opens the trial at a place of the list. */
  openAt(at) {
    const item = this.found.item(at);
    if (item !== undefined) this.open(item);
  }

  /** Opens a neighbour of the open trial. */
  step(by) {
    const at = this.found.indexOf(this.view.item);
    const item = at < 0 ? undefined : this.found.item(at + by);
    if (item !== undefined) this.open(item);
  }

  closed() {
    writeAddress(this.filter, undefined);
    byId("list").focus({ preventScroll: true });
  }

  openTrial() {
    const { row } = this.view;
    return row ? [row.file, row.id, row.target, row.trial] : undefined;
  }

  /** Shows the state of the address. */
  async follow() {
    const { filter, trial } = readAddress(location.hash);
    this.filter = filter;
    this.refresh();
    const item = trial ? await this.source.locate(...trial) : -1;
    if (item >= 0 && item !== this.view.item) this.open(item);
    if (item < 0 && byId("case").open) byId("case").close();
  }
}
