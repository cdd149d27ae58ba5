// The list: only visible rows are in the document, however many trials there are.

const BEYOND = 8;

class List {
  constructor(app) {
    this.app = app;
    this.box = byId("list");
    this.rows = new Map();
    this.at = -1;
    this.box.addEventListener("click", (event) => this.clicked(event));
    addEventListener("scroll", () => this.show(), { passive: true });
    addEventListener("resize", () => this.measure());
  }

  measure() {
    this.height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row"));
    this.fill();
  }

  /** Shows other items; the chosen one stays chosen if it is still among them. */
  fill() {
    const { shown, items } = this.app;
    this.rows.forEach((row) => row.remove());
    this.rows.clear();
    this.box.style.height = `${shown.length * this.height}px`;
    this.box.hidden = shown.length === 0;
    byId("columns").hidden = shown.length === 0;
    byId("nothing").hidden = shown.length > 0;
    byId("nothing").textContent = items.length === 0 ? "There are no trials." : "No trial matches the filter.";
    this.show();
  }

  show() {
    const { shown } = this.app;
    const top = this.box.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / this.height) - BEYOND);
    const last = Math.min(shown.length, Math.ceil((innerHeight - top) / this.height) + BEYOND);
    for (const [at, row] of this.rows) {
      if (at >= first && at < last) continue;
      row.remove();
      this.rows.delete(at);
    }
    for (let at = first; at < last; at += 1) {
      if (this.rows.has(at)) continue;
      const row = this.row(at);
      this.rows.set(at, row);
      this.box.append(row);
    }
  }

  row(at) {
    const { items, shown } = this.app;
    const item = shown[at];
    const [trials, place] = [items.trials(item), items.place(item)];
    const status = STATUSES[trials.status[place]];
    const score = trials.score[place];
    const name = make("div", { class: "name" }, make("b", { text: clipped(trials.id[place]) }), make("span", { text: trials.question[place] }));
    const target = trials.target[place] + (trials.trial[place] > 1 || this.app.repeats ? ` · ${trials.trial[place]}` : "");
    const cells = make("div", { class: "cells" },
      make("div", { class: "status" }, badge(status)),
      make("div", { class: "words" }, name, make("div", { class: "why", text: trials.reason[place] })),
      make("div", { class: "target", text: target }),
      meter(score, status, scoreText(score)),
      items.two ? deltaCell(items, item) : undefined,
      make("div", { class: "number ms", text: milliseconds(trials.ms[place]) }),
      make("div", { class: "number cost", text: dollars(trials.cost[place]) }));
    const row = make("div", {
      class: "row", role: "option", id: `row-${at}`, "data-at": at,
      "aria-selected": String(at === this.at), "aria-setsize": shown.length, "aria-posinset": at + 1,
      "aria-label": `${status}, ${clipped(trials.id[place])}, score ${scoreText(score)}, target ${target}. ${trials.reason[place]}`,
    }, cells);
    row.style.top = `${at * this.height}px`;
    return row;
  }

  clicked(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    this.choose(Number(row.dataset.at));
    this.app.open(this.app.shown[this.at]);
  }

  /** Chooses a row and scrolls to it. */
  choose(at) {
    const last = this.app.shown.length - 1;
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
    const top = this.box.getBoundingClientRect().top + this.at * this.height;
    if (top < covered) scrollBy({ top: top - covered - 4, behavior: "instant" });
    else if (top + this.height > innerHeight) scrollBy({ top: top + this.height - innerHeight + 12, behavior: "instant" });
  }
}

/** Returns the start of a name, as much as a list has room for. */
function clipped(name) {
  return name.length > 300 ? `${name.slice(0, 300)}…` : name;
}

function deltaCell(items, item) {
  const change = items.change(item);
  if (change === "first" || change === "second") return make("div", { class: "number muted change", text: `${change} only` });
  const delta = items.delta(item);
  const [before, after] = [STATUSES[items.runs[0].status[items.base[item]]], STATUSES[items.now.status[items.row[item]]]];
  const cell = make("div", { class: "number change" });
  const kind = delta > 1e-9 ? "up" : delta < -1e-9 ? "down" : "muted";
  if (!Number.isNaN(delta)) cell.append(make("span", { class: kind, text: signed(delta) }));
  if (before !== after) cell.append(make("div", { class: "why", text: `was ${before}` }));
  return cell;
}
