// The page on which a person grades answers, one at a time.

const LABEL_KEYS = [
  [["p"], "pass"], [["b"], "borderline"], [["f"], "fail"], [["0", "…", "9", "="], "score from 0.0 to 0.9, or 1"],
  [["s"], "type a score"], [["n"], "write a note"], [["Enter"], "save score and note"], [["x"], "remove the label"],
  [["j", "→"], "next answer"], [["k", "←"], "previous answer"], [["u"], "next answer without a label"],
  [["v"], "show or hide the verdicts"], [["o"], "open the trial"], [["t"], "switch between light and dark"], [["?"], "show these shortcuts"],
];

/** Returns the address of the label page of a run, for the trials that a filter lists. */
function labelAddress(id, filter) {
  return `/label/${encodeURIComponent(id)}#${addressOf(filter)}`;
}

class LabelPage {
  constructor(id) {
    this.source = new ServerSource(id);
    this.at = 0;
    this.turn = 0;
    this.labels = new Map();
    this.answer = {};
    this.shows = false;
  }

  async start() {
    const { source } = this;
    await source.describe();
    byId("title").textContent = source.id;
    document.title = `Label ${source.id} · agentv`;
    byId("title").after(make("nav", { class: "links", "aria-label": "This run" }, make("a", { href: `/run/${encodeURIComponent(source.id)}`, text: "Back to the run" })));
    this.box = make("section", { id: "label", "aria-label": "Label answers" });
    byId("overview").replaceWith(this.box);
    byId("cases").remove();
    await this.readLabels();
    await this.follow();
    byId("progress").hidden = true;
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.follow());
    addEventListener("focus", () => this.renew());
    byId("show-keys").addEventListener("click", () => showKeys(LABEL_KEYS));
    byId("theme").addEventListener("click", changeTheme);
    document.documentElement.dataset.ready = "yes";
    setInterval(() => this.renew(), 3000);
  }

  state() {
    const fields = new URLSearchParams(location.hash.replace(/^#/, ""));
    return { filter: readAddress(location.hash).filter, trial: readTrial(fields.get("case")), blind: fields.get("blind") === "1" };
  }

  write(change) {
    const state = { ...this.state(), ...change };
    const fields = new URLSearchParams(addressOf(state.filter, state.trial));
    if (state.blind) fields.set("blind", "1");
    history.replaceState(null, "", `#${fields}`);
  }

  /** Shows the state of the address: the trials of its filter, at its trial or at the first without a label. */
  async follow() {
    const { filter, trial } = this.state();
    const found = await new Promise((resolve) => {
      this.source.find(filter, resolve);
    });
    this.found = found;
    const item = trial ? await this.source.locate(...trial) : -1;
    this.at = item >= 0 ? Math.max(0, await this.source.placeOf(found.query, item)) : 0;
    if (item < 0 && found.length > 0) await this.toUnlabelled(-1, true);
    await this.show();
  }

  async rowAt(at) {
    const page = Math.floor(at / PAGE_ROWS);
    if (!this.found.pages.has(page)) this.found.keep(page, (await this.source.page(this.found.query, page)).rows);
    return this.found.row(at);
  }

  async toUnlabelled(from, quiet) {
    for (let step = 1; step <= this.found.length; step += 1) {
      const at = (from + step + this.found.length) % this.found.length;
      const row = await this.rowAt(at);
      if (row && !this.labels.has(row.item)) {
        this.at = at;
        if (!quiet) await this.show();
        return;
      }
    }
    if (!quiet) this.tell("All of these answers have a label.");
  }

  async readLabels() {
    this.take(await ask(`${this.source.base}/labels`));
  }

  take(answer) {
    this.about = answer;
    this.labels = new Map(answer.labels);
  }

  /** Shows labels that were written elsewhere. */
  async renew() {
    if (document.hidden || this.isSaving) return;
    const before = JSON.stringify(this.about);
    await this.readLabels().catch(() => {});
    if (JSON.stringify(this.about) !== before) this.showPanel();
  }

  async show() {
    this.turn += 1;
    const { turn } = this;
    this.box.dataset.ready = "";
    this.box.setAttribute("aria-busy", "true");
    this.shows = false;
    if (this.found.length === 0) {
      this.box.replaceChildren(make("p", { class: "notice", text: "No trial matches the filter." }));
      this.box.setAttribute("aria-busy", "false");
      return;
    }
    const row = await this.rowAt(this.at);
    const { base } = this.source;
    try {
      const [detail, answer] = await Promise.all([this.source.detail(row.item), ask(`${base}/trials/${row.item}/label`)]);
      if (turn !== this.turn) return;
      Object.assign(this, { row, detail: detail.now, answer });
    } catch (error) {
      if (turn === this.turn) this.box.replaceChildren(make("p", { class: "notice theirs", text: `This trial cannot be read: ${error.message}` }));
      return;
    }
    this.write({ trial: [row.file, row.id, row.target, row.trial] });
    this.panel = make("div", { class: "stack panel" });
    this.box.replaceChildren(
      make("div", { class: "stack" }, this.heading(row), ...[errorSheet(this.detail.result), conversationSheet(this.detail), changesSheet(this.detail), expectedSheet(this.detail)].filter(Boolean)),
      this.panel);
    this.showPanel();
    scrollTo(0, 0);
    this.box.setAttribute("aria-busy", "false");
    this.box.dataset.ready = row.id;
  }

  heading(row) {
    const { blind } = this.state();
    return make("div", { class: "label-head" }, make("h2", { id: "label-title", class: "theirs", text: row.id, tabindex: "-1" }),
      make("div", { class: "muted" }, theirs(row.file), " · ", blind ? "target hidden" : theirs(row.target), ` · trial ${row.trial} · ${count(this.at + 1)} of ${count(this.found.length)}`));
  }

  /** Shows the form, the verdicts and the agreement. */
  showPanel() {
    if (!this.panel) return;
    const focused = document.activeElement?.id;
    const [score, note] = [byId("score")?.value, byId("note")?.value];
    this.panel.replaceChildren(this.form(), this.verdicts(), this.agreement());
    // The text that is being typed stays.
    if (focused === "score" || focused === "note") {
      byId("score").value = score;
      byId("note").value = note;
      byId(focused).focus({ preventScroll: true });
    }
  }

  form() {
    const label = this.labels.get(this.row.item);
    const isOff = this.answer.reason !== undefined || !this.about.path;
    const button = (verdict, key) => make("button", {
      type: "button", class: `chip ${verdict}`, "data-verdict": verdict, disabled: isOff, "aria-pressed": String(label?.human_verdict === verdict), click: () => this.save({ verdict }),
    }, make("span", { class: "dot", "aria-hidden": "true" }), verdict, make("kbd", { text: key }));
    const score = make("input", { type: "number", id: "score", min: "0", max: "1", step: "0.05", disabled: isOff, "aria-label": "Score from 0 to 1" });
    score.value = label?.human_score ?? "";
    const note = make("textarea", { id: "note", rows: "3", maxlength: "10000", disabled: isOff, "aria-label": "Note" });
    note.value = label?.human_note ?? "";
    const blind = make("input", { type: "checkbox", id: "blind", change: () => this.setBlind(blind.checked) });
    blind.checked = this.state().blind;
    const why = this.answer.reason !== undefined ? `This trial cannot be labelled: ${this.answer.reason}.`
      : this.about.path ? "" : "Labels are written to the .agentv folder of a project, and these runs are in none.";
    const who = label ? `Labelled by ${label.labelled.by || "somebody"}, ${timeText(label.labelled.at)}${label.labelled.blind ? ", blind" : ""}` : "No label yet";
    return make("section", { class: "sheet" }, make("h3", { text: "Your verdict" }),
      why ? make("p", { class: "notice theirs", text: why }) : undefined,
      make("div", { class: "chips", role: "group", "aria-label": "Verdict" }, button("pass", "p"), button("borderline", "b"), button("fail", "f")),
      make("div", { class: "field" }, make("label", { for: "score" }, "Score ", make("kbd", { text: "s" })), score),
      make("div", { class: "field" }, make("label", { for: "note" }, "Note ", make("kbd", { text: "n" })), note),
      make("div", { class: "line" }, make("button", { type: "button", class: "chip", id: "save", disabled: isOff, text: "Save and continue", click: () => this.save({}) }),
        label ? make("button", { type: "button", class: "chip", id: "remove", text: "Remove", click: () => this.remove() }) : undefined),
      make("p", { class: "muted theirs", id: "who", text: who }),
      make("label", { class: "line" }, blind, "Blind: hide the target and all verdicts"),
      make("p", { class: "muted", role: "status", id: "told" }));
  }

  setBlind(blind) {
    this.write({ blind });
    this.show();
  }

  verdicts() {
    const isHidden = this.state().blind && !this.shows;
    if (!isHidden) return evaluatorSheet("Evaluators", this.detail.result);
    return make("section", { class: "sheet" }, make("h3", { text: "Evaluators" }),
      make("button", { type: "button", class: "chip", id: "reveal", click: () => this.reveal() }, "Show the verdicts", make("kbd", { text: "v" })));
  }

  reveal() {
    this.shows = !this.shows;
    this.showPanel();
  }

  agreement() {
    const { agreements, verdicts } = this.about;
    const title = make("h3", { text: "Agreement" });
    if (agreements.length === 0) return make("section", { class: "sheet", id: "agreement" }, title, make("p", { class: "muted", text: "Label graded answers to see how often you and the evaluators agree." }));
    const figure = (value, interval) => make("div", {}, isFigure(value) ? scoreText(value) : NONE, interval ? make("small", { text: between(interval, scoreText) }) : undefined);
    const [whole] = agreements;
    return make("section", { class: "sheet", id: "agreement" }, title,
      table(agreements, [
        ["With", (row) => theirs(row.evaluator ?? "all evaluators")],
        ["Answers", (row) => count(row.cases), true],
        ["Same verdict", (row) => figure(row.accuracy, row.accuracy_interval), true],
        ["Kappa", (row) => figure(row.kappa, row.kappa_interval), true],
        ["Score bias", (row) => (row.scored > 0 ? signed(row.bias) : NONE), true],
      ]),
      make("details", {}, make("summary", { class: "muted", text: "Your verdicts (rows) and the evaluators’ (columns)" }),
        table(whole.confusion.map((counts, at) => [verdicts[at], ...counts]), [["Yours", (row) => row[0]], ...verdicts.map((verdict, at) => [verdict, (row) => count(row[at + 1]), true])])),
      make("p", { class: "muted theirs", text: `Labels are in ${this.about.path}. “agentv judge calibrate” reads that file.` }));
  }

  tell(text) {
    const told = byId("told");
    if (told) told.textContent = text;
  }

  /** Saves the form with a change, and shows the next answer without a label. */
  async save(change) {
    if (this.isSaving || this.answer.id === undefined || !this.about.path) return;
    const label = this.labels.get(this.row.item);
    const typed = byId("score").value.trim();
    const labelling = {
      verdict: label?.human_verdict ?? null, score: typed === "" ? null : Number(typed), note: byId("note").value, ...change,
    };
    if (labelling.verdict === null && labelling.score === null) return this.tell("Choose a verdict or a score first.");
    if (await this.send(labelling)) await this.toUnlabelled(this.at);
  }

  async remove() {
    if (this.isSaving || !this.labels.has(this.row.item)) return;
    if (await this.send({ verdict: null, score: null, note: null })) this.showPanel();
  }

  async send(labelling) {
    const seen = this.labels.get(this.row.item)?.labelled.at ?? null;
    this.isSaving = true;
    try {
      const body = JSON.stringify({ run: this.source.id, item: this.row.item, id: this.answer.id, blind: this.state().blind && !this.shows, seen, ...labelling });
      const response = await fetch("/api/labels", { method: "POST", headers: { "content-type": "application/json" }, body });
      const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
      if (response.ok) {
        this.take(answer);
        this.showPanel();
        return true;
      }
      if (response.status === 409) await this.readLabels();
      this.showPanel();
      this.tell(`Not saved: ${answer.error}.`);
    } catch (error) {
      this.tell(`Not saved: ${error.message}.`);
    } finally {
      this.isSaving = false;
    }
    return false;
  }

  async step(by) {
    const at = this.at + by;
    if (at < 0 || at >= this.found.length) return;
    this.at = at;
    await this.show();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    const { key } = event;
    if (isTyping(event.target) && event.target.type !== "checkbox") {
      if (key === "Escape") event.target.blur();
      else if (key === "Enter" && !event.shiftKey) this.run(event, () => this.save({}));
      return;
    }
    if (/^[0-9=]$/.test(key)) return this.run(event, () => this.save({ score: key === "=" ? 1 : Number(key) / 10 }));
    const actions = {
      p: () => this.save({ verdict: "pass" }), b: () => this.save({ verdict: "borderline" }), f: () => this.save({ verdict: "fail" }),
      s: () => byId("score")?.focus(), n: () => byId("note")?.focus(), x: () => this.remove(), v: () => this.reveal(), u: () => this.toUnlabelled(this.at),
      j: () => this.step(1), ArrowRight: () => this.step(1), k: () => this.step(-1), ArrowLeft: () => this.step(-1),
      o: () => location.assign(`/run/${encodeURIComponent(this.source.id)}#${addressOf(emptyFilter(), [this.row.file, this.row.id, this.row.target, this.row.trial])}`),
      t: changeTheme, "?": () => showKeys(LABEL_KEYS),
    };
    if (actions[key]) this.run(event, actions[key]);
  }

  run(event, action) {
    event.preventDefault();
    if (this.row || ["t", "?"].includes(event.key)) action();
  }
}
