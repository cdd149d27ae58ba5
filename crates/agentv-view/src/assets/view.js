// Starts the page that the address names.

/** The longest time that the list waits for the figures above it. */
const FIGURES_WAIT_MS = 600;
/** The time after which figures that are out of date are asked for again. */
const LATE_MS = 700;

function wait(time) {
  return new Promise((resume) => setTimeout(resume, time));
}

/** A run that is shown, and followed while it is written. */
class RunPage {
  constructor(id) {
    this.source = new ServerSource(id);
  }

  async start() {
    const { source } = this;
    await source.describe();
    const figures = source.readFacts().catch((error) => source.failed(error));
    await Promise.race([figures, wait(FIGURES_WAIT_MS)]);
    byId("title").textContent = source.id;
    document.title = `${source.id} · agentv`;
    this.app = new App(source);
    this.isLate = source.facts === undefined;
    if (this.isLate) this.reserve();
    source.rowsArrived = () => this.app.list.show();
    this.app.start();
    this.offer();
    this.tell();
    if (!source.facts) figures.then(() => this.showFacts());
    this.listen();
  }

  /** Shows what else can be done with the run. */
  offer() {
    const { id, names } = this.source;
    const targets = names.target.slice(0, 12).map((target) => [id, target]);
    const run = `/compare#${new URLSearchParams({ run: id })}`;
    byId("title").after(make("nav", { class: "links", "aria-label": "This run" },
      make("a", { href: run, text: "Compare with the run before" }),
      make("a", { href: labelAddress(id, emptyFilter()), text: "Label", click: (event) => event.currentTarget.setAttribute("href", labelAddress(id, this.app.filter)) }),
      targets.length > 1 ? make("a", { href: compareAddress(targets), text: "Compare targets" }) : undefined));
  }

  /** Keeps room for figures that are still being read, so that the list stays where it is when they arrive. */
  reserve() {
    byId("overview").replaceChildren(make("div", { class: "sheet reserved" }, make("p", { class: "muted", role: "status", text: "Reading the figures …" })),
      make("details", { class: "more" }, make("summary", { text: "Figures and facts" })));
  }

  showFacts() {
    if (!this.source.facts) return;
    this.app.facts = this.source.facts;
    showOverview(this.app);
    if (this.isLate) {
      byId("overview").firstElementChild.classList.add("reserved");
      byId("overview").querySelector("details.more").open = false;
    }
    this.tell();
  }

  /** Reports what is special about the run, above everything else. A run that ends keeps its line there. */
  tell() {
    const { about, facts } = this.source;
    const texts = [];
    const planned = facts?.runs[0].run?.planned;
    const isIncomplete = planned > about.total;
    if (about.running) texts.push(`The run is in progress: ${count(about.total)}${planned > 0 ? ` of ${counted(planned, "trial")}` : about.total === 1 ? " trial" : " trials"} so far. This page follows it.`);
    else if (this.wasRunning && !isIncomplete) texts.push("The run has ended.");
    this.wasRunning ||= about.running;
    if (about.problem) texts.push(`Not everything about this run is known: ${about.problem}.`);
    if (!facts && about.damaged > 0) texts.push(`${counted(about.damaged, "line")} of the results could not be read.`);
    const own = texts.map((text) => make("p", { class: "notice theirs own", text }));
    byId("notices").querySelectorAll(".own").forEach((notice) => notice.remove());
    byId("notices").prepend(...own);
  }

  listen() {
    const events = new EventSource(`${this.source.base}/events`);
    let version = this.source.about.version;
    let isRunning = this.source.about.running;
    let isBusy = false;
    let next;
    const take = async () => {
      if (isBusy || !next) return;
      isBusy = true;
      const news = next;
      next = undefined;
      if (news.version !== version || news.running !== isRunning) {
        [version, isRunning] = [news.version, news.running];
        await this.renew().catch((error) => this.source.failed(error));
        await wait(300);
      }
      document.documentElement.dataset.version = String(version);
      document.documentElement.dataset.running = String(isRunning);
      isBusy = false;
      take();
    };
    events.addEventListener("message", (event) => {
      next = JSON.parse(event.data);
      take();
    });
  }

  /** Shows the current state of the run, without moving what the reader looks at. */
  async renew() {
    const { app, source } = this;
    const isNew = await source.describe();
    if (isNew) app.controls = new Controls(app);
    const top = Math.floor(Math.max(0, app.list.top) / app.list.height);
    await source.follow(Math.max(0, top - BEYOND), top + Math.ceil(innerHeight / app.list.height) + BEYOND);
    await source.readFacts();
    this.replaceFacts();
    // Figures of a run in progress may be those of a moment ago.
    clearTimeout(this.late);
    if (source.factsVersion < source.about.version) this.late = setTimeout(() => this.catchUp(), LATE_MS);
  }

  async catchUp() {
    const { source } = this;
    await source.readFacts().catch((error) => source.failed(error));
    this.replaceFacts();
    if (source.factsVersion < source.about.version) this.late = setTimeout(() => this.catchUp(), LATE_MS);
  }

  /** Replaces the figures, without moving the list. */
  replaceFacts() {
    const before = byId("cases").getBoundingClientRect().top;
    const isOpen = document.querySelector("details.more")?.open;
    this.showFacts();
    const more = document.querySelector("details.more");
    if (more && isOpen !== undefined) more.open = isOpen;
    const moved = byId("cases").getBoundingClientRect().top - before;
    if (before < 0 && moved !== 0) scrollBy({ top: moved, behavior: "instant" });
  }
}

/** Returns the page of an address. */
function pageOf(path) {
  const run = path.match(/^\/run\/([^/]+)$/);
  if (run) return new RunPage(decodeURIComponent(run[1]));
  const label = path.match(/^\/label\/([^/]+)$/);
  if (label) return new LabelPage(decodeURIComponent(label[1]));
  return path === "/compare" ? new ComparePage() : new RunsPage();
}

async function startView() {
  recallTheme();
  const brand = document.querySelector(".brand");
  brand.replaceWith(make("a", { class: "brand", href: "/", text: "agentv", "aria-label": "agentv: all runs" }),
    make("nav", { class: "links", "aria-label": "Pages" }, ...[["/", "Runs"], ["/compare", "Compare"]].map(([href, text]) => make("a", { href, text, "aria-current": location.pathname === href ? "page" : undefined }))));
  if (location.search !== "") history.replaceState(null, "", location.pathname + location.hash);
  try {
    await pageOf(location.pathname).start();
  } catch (error) {
    byId("progress").hidden = false;
    byId("progress").textContent = `This page cannot be shown: ${error.message}`;
    document.documentElement.dataset.ready = "failed";
  }
}

startView();
