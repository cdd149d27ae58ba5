// The list: only visible rows are in the document, however many trials there are.

const BEYOND = 8;
/** The largest height of the list in pixels. Browsers do not lay out elements that are much higher. */
const HIGHEST = 15_000_000;

class List {
  constructor(app) {
    this.app = app;
    this.box = byId("list");
    this.rows = new Map();
    this.at = -1;
    this.top = 0;
    this.scrolled = 0;
    this.box.addEventListener("click", (event) => this.clicked(event));
    addEventListener("scroll", () => this.show(), { passive: true });
    addEventListener("resize", () => this.measure());
  }

  measure() {
    this.height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row"));
    this.fill();
  }

  /** Shows other trials; the chosen one stays chosen if it is still among them. */
  fill() {
    const { found } = this.app;
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    this.box.style.height = `${Math.min(HIGHEST, found.length * this.height)}px`;
    this.box.hidden = found.length === 0;
    byId("columns").hidden = found.length === 0;
    byId("nothing").hidden = found.length > 0;
    byId("nothing").textContent = found.total === 0 ? "There are no trials." : "No trial matches the filter.";
    this.show();
  }

  /** Returns the scrolled part of the list in pixels, as if the list had its full height. */
  position() {
    const whole = this.app.found.length * this.height;
    const scrolled = -this.box.getBoundingClientRect().top;
    const moved = scrolled - this.scrolled;
    this.scrolled = scrolled;
    if (whole <= HIGHEST || scrolled <= 0) this.top = scrolled;
    else if (scrolled >= HIGHEST - innerHeight) this.top = whole - HIGHEST + scrolled;
    // Small steps move by as many pixels, and jumps by their share of the list.
    else if (Math.abs(moved) < 4 * innerHeight) this.top = Math.max(0, Math.min(whole - innerHeight, this.top + moved));
    else this.top = (scrolled / (HIGHEST - innerHeight)) * (whole - innerHeight);
    return this.top;
  }

  show() {
    const { found } = this.app;
    const top = this.position();
    const first = Math.max(0, Math.floor(top / this.height) - BEYOND);
    const last = Math.min(found.length, Math.ceil((innerHeight + top) / this.height) + BEYOND);
    for (const [at, row] of this.rows) {
      const isStale = row.classList.contains("waiting") && found.row(at) !== undefined;
      if (at >= first && at < last && !isStale) continue;
      row.remove();
      this.rows.delete(at);
    }
    found.near?.(first, last);
    for (let at = first; at < last; at += 1) {
      if (!this.rows.has(at)) {
        const row = this.row(at);
        this.rows.set(at, row);
        this.box.append(row);
      }
      this.rows.get(at).style.top = `${at * this.height + (this.scrolled - top)}px`;
    }
  }

  row(at) {
    const { found, source } = this.app;
    const trial = found.row(at);
    if (!trial) return make("div", { class: "row waiting", "data-at": at, role: "option", "aria-selected": "false", "aria-label": "Loading" });
    const name = make("div", { class: "name" }, make("b", { text: clipped(trial.id) }), make("span", { text: trial.question }));
    const target = trial.target + (!trial.repeats && (trial.trial > 1 || source.repeats) ? ` · ${trial.trial}` : "");
    const cells = make("div", { class: "cells" },
      make("div", { class: "status" }, badge(trial.status)),
      make("div", { class: "words" }, name, make("div", { class: "why", text: trial.reason })),
      make("div", { class: "target" }, unseen("target "), target),
      make("div", { class: "of-score" }, unseen("score "), meter(trial.score, trial.status, scoreText(trial.score)), trial.repeats?.length > 1 ? repeatDots(trial.repeats) : undefined),
      source.two ? deltaCell(trial.change) : undefined,
      make("div", { class: "number ms", text: milliseconds(trial.ms) }),
      make("div", { class: "number cost", text: dollars(trial.cost) }));
    return make("div", {
      class: "row", role: "option", id: `row-${at}`, "data-at": at,
      "aria-selected": String(at === this.at), "aria-setsize": found.length, "aria-posinset": at + 1,
    }, cells);
  }

  clicked(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.choose(Number(row.dataset.at));
    this.app.openAt(this.at);
  }

  /** Chooses a row and scrolls to it. */
  choose(at) {
    const last = this.app.found.length - 1;
    if (last < 0) return;
    this.rows.get(this.at)?.setAttribute("aria-selected", "false");
    this.at = Math.max(0, Math.min(last, at));
    this.reveal();
    this.show();
    this.rows.get(this.at)?.setAttribute("aria-selected", "true");
    this.box.setAttribute("aria-activedescendant", `row-${this.at}`);
  }

  /** Scrolls back to the start of the list. */
  toTop() {
    const above = byId("cases").getBoundingClientRect().top;
    if (above < 0) scrollBy({ top: above, behavior: "instant" });
  }

  reveal() {
    const controls = byId("controls");
    const covered = getComputedStyle(controls).position === "sticky" ? controls.offsetHeight : 0;
    const top = this.at * this.height - this.position();
    if (top < covered) this.scroll(top - covered - 4);
    else if (top + this.height > innerHeight) this.scroll(top + this.height - innerHeight + 12);
  }

  /** Scrolls by some pixels of the full list. */
  scroll(by) {
    const whole = this.app.found.length * this.height;
    if (whole <= HIGHEST || Math.abs(by) < 4 * innerHeight) return scrollBy({ top: by, behavior: "instant" });
    const wanted = Math.max(0, Math.min(whole - innerHeight, this.top + by));
    const place = (wanted / (whole - innerHeight)) * (HIGHEST - innerHeight);
    scrollBy({ top: place - this.scrolled, behavior: "instant" });
    this.scrolled = -this.box.getBoundingClientRect().top;
    this.top = wanted;
  }
}

/** Returns the start of a name, as much as a list has room for. */
function clipped(name) {
  return name.length > 300 ? `${name.slice(0, 300)}…` : name;
}

function deltaCell(change) {
  const { kind, delta, before, isOther, means } = change;
  if (kind === "first" || kind === "second") return make("div", { class: "number muted change", text: `${kind} only` });
  const cell = make("div", { class: "number change" });
  const direction = delta > 1e-9 ? "up" : delta < -1e-9 ? "down" : "muted";
  if (!Number.isNaN(delta)) cell.append(make("span", { class: direction, text: signed(delta) }));
  if (means) cell.append(make("div", { class: "why", text: `mean ${means.map(scoreText).join(" → ")}` }));
  if (isOther) cell.append(make("div", { class: "why", text: `was ${before}` }));
  return cell;
}
