// One case in all columns: its answers and grades side by side.

class CompareCase {
  constructor(page) {
    this.page = page;
    this.box = byId("case");
    this.turn = 0;
    this.at = -1;
    this.box.addEventListener("close", () => {
      if (this.box.open) return;
      this.turn += 1;
      this.row = undefined;
      this.at = -1;
      page.closed();
    });
    this.box.addEventListener("click", (event) => {
      if (event.target === this.box) this.box.close();
    });
  }

  isShown(file, id, target) {
    const { row } = this;
    return row !== undefined && row.file === file && row.id === id && (row.target ?? "") === target;
  }

  async show(row, at) {
    this.row = row;
    this.at = at;
    this.turn += 1;
    const { turn } = this;
    const body = make("div", { class: "body sides" });
    this.box.replaceChildren(make("div", { class: "top" }, ...this.top(row, at)), body);
    if (!this.box.open) this.box.showModal();
    byId("case-title").focus({ preventScroll: true });
    this.box.scrollTop = 0;
    this.box.dataset.ready = "";
    const stacks = row.cells.map((cell, column) => make("div", { class: "stack" }, this.heading(cell, column)));
    const question = make("div", { class: "wide" });
    body.append(question, ...stacks);
    const first = row.cells.map((cell) => cell?.trials[0]?.trial);
    await this.fill(row, first, stacks, question, turn);
    if (turn === this.turn) this.box.dataset.ready = JSON.stringify([row.file, row.id]);
  }

  top(row, at) {
    const { found } = this.page;
    const step = (by, label, sign) => make("button", {
      type: "button", class: "quiet", "aria-label": label, title: label, disabled: at < 0 || at + by < 0 || at + by >= found.length, click: () => this.page.step(by),
    }, sign);
    return [
      make("div", { class: "line" }, make("h2", { id: "case-title", class: "theirs", text: row.id, tabindex: "-1" }),
        step(-1, "Previous case (k)", "↑"), step(1, "Next case (j)", "↓"),
        make("button", { type: "button", class: "quiet", "aria-label": "Close (Esc)", title: "Close (Esc)", click: () => this.box.close() }, "✕")),
      make("div", { class: "under" }, theirs(row.file), row.target ? theirs(row.target) : undefined,
        row.outcomes.length > 0 ? make("span", { text: row.outcomes.map((name) => OUTCOME_WORDS[name]).join(", ") }) : undefined,
        at >= 0 ? make("span", { text: `${count(at + 1)} of ${count(found.length)}` }) : undefined),
    ];
  }

  heading(cell, column) {
    const run = this.page.about.runs[column];
    const title = make("h3", { class: "theirs", text: `${run.label} · ${[run.name, cell?.target].filter(Boolean).join(" · ")}` });
    return make("div", {}, title, cell ? sideCell(cell, column, this.row.cells[0]) : make("p", { class: "muted", text: "This run does not have the case." }));
  }

  /** Reads a trial of each column and shows them. */
  async fill(row, chosen, stacks, question, turn) {
    const read = row.cells.map((cell, column) => (cell ? this.read(cell, column, chosen[column]).catch((error) => ({ error })) : undefined));
    const details = await Promise.all(read);
    if (turn !== this.turn) return;
    const asked = details.find((detail) => detail?.now?.transcript)?.now;
    if (asked) question.replaceChildren(questionSheet(asked));
    details.forEach((detail, column) => {
      if (!detail) return;
      const heading = stacks[column].firstChild;
      stacks[column].replaceChildren(heading, ...this.side(row, column, chosen, detail, details, () => this.fill(row, chosen, stacks, question, turn)).filter(Boolean));
    });
  }

  async read(cell, column, trial) {
    const source = new ServerSource(this.page.columns[column][0]);
    const item = await source.locate(cell.file, this.row.id, cell.target, trial);
    if (item < 0) throw new Error("the trial was not found");
    return source.detail(item);
  }

  side(row, column, chosen, detail, details, again) {
    if (detail.error) return [make("p", { class: "notice", text: `This trial cannot be read: ${detail.error.message}` })];
    const { now } = detail;
    const cell = row.cells[column];
    const address = `/run/${encodeURIComponent(this.page.columns[column][0])}#${addressOf(emptyFilter(), [cell.file, row.id, cell.target, chosen[column]])}`;
    const chips = cell.count > 1 ? make("div", { class: "siblings", role: "group", "aria-label": "Trials" }, ...cell.trials.map((one) => make("button", {
      type: "button", class: `chip ${one.status}`, "aria-pressed": String(one.trial === chosen[column]),
      click: () => {
        chosen[column] = one.trial;
        again();
      },
    }, make("span", { class: "dot", "aria-hidden": "true" }), `trial ${one.trial}`, make("small", { text: scoreText(one.score) })))) : undefined;
    const base = column > 0 ? details[0]?.now : undefined;
    return [chips, errorSheet(now.result), sideAnswer(base, now), evaluatorSheet("Evaluators", now.result),
      make("p", {}, make("a", { href: address, text: "Open this trial" }))];
  }
}

/** Shows an answer, and its difference from the first run's. */
function sideAnswer(base, now) {
  const answer = answerOf(now);
  const sheet = make("section", { class: "sheet" }, make("h3", { text: "Answer" }), longText(answer === "" ? "(empty)" : answer));
  if (!base) return sheet;
  const before = answerOf(base);
  if (before === answer) sheet.append(make("p", { class: "up", text: "The same answer as the baseline." }));
  else sheet.append(make("details", { class: "file", open: true }, make("summary", { class: "muted", text: "Difference from the baseline" }), differenceElement(before, answer)));
  return sheet;
}

function questionSheet(detail) {
  const asked = listOf(detail.transcript?.case?.input_messages);
  const outcome = detail.transcript?.case?.expected_outcome;
  return make("section", { class: "sheet conversation" }, make("h3", { text: "Question" }), ...conversation(asked),
    outcome ? make("p", { class: "muted theirs", text: `Expected: ${outcome}` }) : undefined);
}
