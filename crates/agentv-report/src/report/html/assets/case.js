// One trial: its question, its answer and its grades.

class CaseView {
  constructor(app) {
    this.app = app;
    this.box = byId("case");
    this.turn = 0;
    this.item = -1;
    this.row = undefined;
    this.box.addEventListener("close", () => this.closed());
    this.box.addEventListener("click", (event) => {
      if (event.target === this.box) this.box.close();
    });
  }

  async show(item) {
    this.item = item;
    this.row = this.app.source.row(item);
    this.turn += 1;
    const { turn } = this;
    const body = make("div", { class: "body" }, make("p", { class: "muted wide", role: "status", text: "Reading …" }));
    const top = make("div", { class: "top" }, ...(this.row ? this.top(this.row) : []));
    this.box.replaceChildren(top, body);
    if (!this.box.open) this.box.showModal();
    this.box.scrollTop = 0;
    this.box.dataset.ready = "";
    try {
      const { row, before, now, siblings, repeats } = await this.app.source.detail(item);
      if (turn !== this.turn) return;
      if (!this.row) this.arrived(row, top);
      const others = this.siblings(item, siblings);
      if (others) top.append(others);
      body.replaceChildren(...(this.app.source.two ? this.both(before, now, repeats, [0, 0]) : this.one(now)).filter(Boolean));
    } catch (error) {
      if (turn !== this.turn) return;
      body.replaceChildren(make("p", { class: "notice wide", text: `This trial cannot be read: ${error.message}` }));
    }
    this.box.dataset.ready = String(item);
  }

  /** Shows the top of a trial whose row was not known before. */
  arrived(row, top) {
    this.row = row;
    top.replaceChildren(...this.top(row));
    byId("case-title").focus({ preventScroll: true });
    writeAddress(this.app.filter, this.app.openTrial());
  }

  closed() {
    // The browser reports closing a little later, when another trial may be open.
    if (this.box.open) return;
    this.turn += 1;
    this.item = -1;
    this.row = undefined;
    this.app.closed();
  }

  /** Returns the parts of the top: the name of a trial, its figures, and steps to its neighbours. */
  top(row) {
    const { app } = this;
    const at = app.found.indexOf(row.item);
    const step = (by, label, sign) => make("button", {
      type: "button", class: "quiet", "aria-label": label, title: label, disabled: at < 0 || at + by < 0 || at + by >= app.found.length,
      click: () => app.step(by),
    }, sign);
    return [
      make("div", { class: "line" }, badge(row.status),
        make("h2", { id: "case-title", class: "theirs", text: row.id, tabindex: "-1" }),
        meter(row.score, row.status, scoreText(row.score)),
        step(-1, "Previous trial (k)", "↑"), step(1, "Next trial (j)", "↓"),
        make("button", { type: "button", class: "quiet", "aria-label": "Close (Esc)", title: "Close (Esc)", click: () => this.box.close() }, "✕")),
      make("div", { class: "under" }, theirs(row.file), theirs(row.target),
        make("span", { text: row.repeats ? counted(row.repeats.length, "trial") : `trial ${row.trial}` }), make("span", { text: milliseconds(row.ms) }), make("span", { text: dollars(row.cost) }),
        at >= 0 ? make("span", { text: `${count(at + 1)} of ${count(app.found.length)}` }) : undefined),
    ];
  }

  siblings(item, others) {
    if (others.length < 2) return undefined;
    const chip = (row) => make("button", {
      type: "button", class: `chip ${row.status}`, "aria-pressed": String(row.item === item), click: () => this.app.open(row.item),
    }, make("span", { class: "dot", "aria-hidden": "true" }), theirs(row.repeats ? clipped(row.target) : `${clipped(row.target)} · ${row.trial}`), make("small", { text: scoreText(row.score) }));
    return make("div", { class: "siblings", role: "group", "aria-label": "Trials of this case" }, ...others.slice(0, 40).map(chip));
  }

  one(detail) {
    const { result } = detail;
    return [
      ...notes(detail, "", this.app.source.hasBytes),
      make("div", { class: "stack" }, errorSheet(result), conversationSheet(detail), changesSheet(detail), expectedSheet(detail)),
      make("div", { class: "stack" }, evaluatorSheet("Evaluators", result), timelineSheet(detail), figuresSheet(detail), this.historySheet(), rawSheet(this.app.source, this.item, detail)),
    ];
  }

  /** Shows trials of the same case in other runs, as soon as they are found. */
  historySheet() {
    const { source } = this.app;
    if (!source.history) return undefined;
    const { turn } = this;
    const box = make("section", { class: "sheet history", "aria-busy": "true" }, make("h3", { text: "In other runs" }), make("p", { class: "muted", role: "status", text: "Looking …" }));
    source.history(this.item).then((found) => {
      if (turn !== this.turn) return;
      const nothing = make("p", { class: "muted", text: "No other run has this case with this target." });
      box.replaceChildren(box.firstChild, found.length === 0 ? nothing : historyTable(found));
    }).catch((error) => box.lastChild.replaceWith(make("p", { class: "wrong", text: error.message }))).finally(() => box.setAttribute("aria-busy", "false"));
    return box;
  }

  /** Shows other trials of a case of two runs. */
  async choose(chosen) {
    const { turn } = this;
    const { before, now, repeats } = await this.app.source.detail(this.item, chosen);
    if (turn !== this.turn) return;
    this.box.querySelector(".body").replaceChildren(...this.both(before, now, repeats, chosen).filter(Boolean));
  }

  /** Returns the trials of a case in one of two runs, to choose from. */
  repeatChips(repeats, run, chosen) {
    if (!repeats || repeats[run].length < 2) return undefined;
    const chip = (one, at) => make("button", {
      type: "button", class: `chip ${one.status}`, "aria-pressed": String(at === chosen[run]), click: () => this.choose(chosen.map((one, side) => (side === run ? at : one))),
    }, make("span", { class: "dot", "aria-hidden": "true" }), `trial ${one.trial}`, make("small", { text: scoreText(one.score) }));
    return make("div", { class: "siblings", role: "group", "aria-label": `Trials of the ${run === 0 ? "first" : "second"} run` }, ...repeats[run].slice(0, 40).map(chip));
  }

  both(before, now, repeats, chosen) {
    const names = this.app.facts.runs.map((run) => run.name);
    const sampled = this.app.facts.runs.some((run) => run.shown < run.summary.trials);
    const missing = (name) => make("p", { class: "notice wide theirs", text: sampled ? `This page does not have this trial of ${name}.` : `${name} does not have this ${repeats ? "case" : "trial"}.` });
    const side = (detail, at) => detail && make("div", { class: "stack" },
      make("h3", { class: "theirs", text: `${at === 0 ? "First" : "Second"}: ${names[at]}` }), this.repeatChips(repeats, at, chosen),
      errorSheet(detail.result), evaluatorSheet("Evaluators", detail.result), figuresSheet(detail));
    const shown = now ?? before;
    return [
      before ? undefined : missing(names[0]), now ? undefined : missing(names[1]),
      ...[before, now].flatMap((detail, at) => (detail ? notes(detail, `${names[at]}: `) : [])),
      before && now ? make("div", { class: "wide" }, answersSheet(before, now)) : undefined,
      side(before, 0), side(now, 1),
      make("div", { class: "stack wide" }, conversationSheet(shown), changesSheet(shown), expectedSheet(shown)),
    ];
  }
}

/** Lists trials of one case in several runs, newest first. */
function historyTable(found) {
  return table(found, [
    ["Run", (row) => make("a", { class: "theirs", href: row.address, text: row.run })],
    ["Status", (row) => badge(row.status)],
    ["Trial", (row) => String(row.trial), true],
    ["Score", (row) => scoreText(row.score), true],
    ["Latency", (row) => milliseconds(row.ms), true],
    ["Cost", (row) => dollars(row.cost), true],
  ]);
}

/** Shows the records of a trial as they are in the files of the run, when they are asked for. */
function rawSheet(source, item, detail) {
  const part = (record, title) => {
    if (!detail[record]) return undefined;
    const box = make("details", {}, make("summary", { class: "muted", text: title }));
    box.addEventListener("toggle", () => {
      if (box.open && box.children.length === 1) box.append(rawRecord(source, item, record, detail));
    });
    return box;
  };
  return make("section", { class: "sheet raw" }, make("h3", { text: "Raw records" }), part("result", "Result"), part("transcript", "Transcript"));
}

/** Shows a record; one that is too long for a page is read piece by piece. */
function rawRecord(source, item, record, detail) {
  const isWhole = !(detail.cut > 0) || !source.hasBytes;
  if (isWhole) return longText(valueText(detail[record]), "code");
  const text = make("div", { class: "text code pieces", tabindex: "0", role: "region", "aria-label": `The ${record}, piece by piece` });
  const next = make("button", { type: "button", class: "unfold", text: "Show more" });
  const decoder = new TextDecoder();
  let from = 0;
  const read = async () => {
    if (next.disabled || next.hidden) return;
    next.disabled = true;
    try {
      const { bytes, length } = await source.bytes(item, record, from);
      from += bytes.byteLength;
      text.append(make("div", { class: "piece", text: decoder.decode(bytes, { stream: from < length }) }));
      next.textContent = `Show more: ${count(from)} of ${counted(length, "byte")} shown`;
      next.hidden = from >= length || bytes.byteLength === 0;
    } catch (error) {
      next.textContent = `Try again: ${error.message}`;
    }
    next.disabled = false;
  };
  next.addEventListener("click", read);
  // The end of the text comes into view while somebody reads on.
  text.addEventListener("scroll", () => {
    if (text.scrollTop + 2 * text.clientHeight > text.scrollHeight) read();
  }, { passive: true });
  read();
  return make("div", {}, text, next);
}

/** Returns the facts of a whole trial; `whose` names its run. */
function notes(detail, whose, isWhole) {
  const texts = [];
  const { result, transcript, cut } = detail;
  if (cut > 0) texts.push(`${cut === 1 ? "A text is" : `${count(cut)} texts are`} too long for this page and truncated. ${isWhole ? "“Raw records” shows everything, piece by piece." : "The folder of the run has the full text."}`);
  if (!transcript) texts.push(result.error?.stage === "target" ? "The target gave no answer, so its input was not recorded." : "The input of the target is not recorded.");
  else if (transcript.case?.id !== result.eval_id) texts.push("The answer was recorded for another case with the same input; the expected answer of this case is not recorded.");
  return texts.map((text) => make("p", { class: "notice wide theirs", text: whose + text }));
}

const ERRORS = { workspace: "Error while making the workspace", target: "Error from the target", evaluator: "Error while grading" };

function errorSheet(result) {
  if (!result.error) return undefined;
  return make("section", { class: "sheet" }, make("h3", { text: ERRORS[result.error.stage] ?? "Error" }),
    make("p", { class: "wrong", text: String(result.error.message) }));
}

function outputOf({ result, transcript }) {
  return listOf(transcript?.transcript?.output_messages ?? result.output_messages);
}

function conversationSheet(detail) {
  const { result, transcript } = detail;
  const asked = listOf(transcript?.case?.input_messages);
  const said = outputOf(detail);
  const answer = said.length === 0 && typeof result.candidate_answer === "string" ? [{ role: "assistant", content: result.candidate_answer }] : said;
  if (asked.length + answer.length === 0) return undefined;
  const guidelines = listOf(transcript?.case?.guideline_files);
  return make("section", { class: "sheet conversation" }, make("h3", { text: "Conversation" }), ...conversation([...asked, ...answer]),
    guidelines.length > 0 ? make("p", { class: "muted theirs", text: `Guidelines: ${guidelines.join(", ")}` }) : undefined);
}

/** Shows the files that the target changed in its workspace. */
function changesSheet({ transcript }) {
  const changes = transcript?.transcript?.file_changes;
  if (!Array.isArray(changes)) return undefined;
  const omitted = transcript.transcript.file_changes_omitted ?? 0;
  return make("section", { class: "sheet changes" }, make("h3", { text: "Changed files" }),
    ...(changes.length === 0 ? [make("p", { class: "muted", text: "No file was changed." })] : changes.map(changeElement)),
    omitted > 0 ? make("p", { class: "muted", text: `${counted(omitted, "more file")} not recorded` }) : undefined);
}

/** Returns an example of a good answer: the last expected message of the assistant with a text. */
function referenceOf({ result, transcript }) {
  if (transcript?.case?.id !== result.eval_id) return "";
  const messages = listOf(transcript?.case?.expected_messages).filter((message) => message?.role === "assistant");
  return messages.map((message) => contentText(message.content)).filter((text) => text !== "").pop() ?? "";
}

function answerOf({ result }) {
  return typeof result.candidate_answer === "string" ? result.candidate_answer : "";
}

function expectedSheet(detail) {
  const { result, transcript } = detail;
  if (transcript?.case?.id !== result.eval_id) return undefined;
  const outcome = transcript.case.expected_outcome;
  const reference = referenceOf(detail);
  const answer = answerOf(detail);
  const calls = listOf(transcript.case.expected_messages).filter((message) => listOf(message?.tool_calls).length > 0);
  if (!outcome && reference === "" && calls.length === 0) return undefined;
  const sheet = make("section", { class: "sheet expected" }, make("h3", { text: "Expected" }));
  if (outcome) sheet.append(longText(String(outcome)));
  sheet.append(...calls.map(messageElement));
  if (reference !== "") sheet.append(...compared("Expected answer", reference, "Answer", answer));
  return sheet;
}

/** Shows two texts side by side, and their difference. */
function compared(oldTitle, old, freshTitle, fresh) {
  const pieces = difference(...bothPretty(old, fresh));
  const column = (title, text, kind, tag) => make("div", {}, make("div", { class: "muted", text: title }),
    text === "" ? longText("(empty)", "code") : longText(text, "code", markedPieces(pieces, [kind], { [kind]: tag })));
  const sides = make("div", { class: "pair" }, column(oldTitle, old, "removed", "del"), column(freshTitle, fresh, "added", "ins"));
  if (old === fresh) return [sides, make("p", { class: "up", text: "Both are identical." })];
  return [sides, make("details", { class: "file" }, make("summary", { class: "muted", text: "Difference as one text" }), differenceElement(old, fresh))];
}

function answersSheet(before, now) {
  return make("section", { class: "sheet answers" }, make("h3", { text: "Answers" }),
    ...compared("First answer", answerOf(before), "Second answer", answerOf(now)));
}

function figuresSheet({ result, transcript }) {
  const trace = result.trace_summary ?? {};
  const usage = trace.token_usage;
  const tools = Object.entries(trace.tool_calls_by_name ?? {}).map(([name, times]) => (times === 1 ? name : `${name} × ${times}`));
  const variables = transcript?.case?.variables;
  return make("section", { class: "sheet" }, make("h3", { text: "Figures" }), facts([
    ["Latency", isFigure(result.timing?.total_ms) ? milliseconds(result.timing.total_ms) : undefined],
    ["First token", isFigure(result.timing?.first_token_ms) ? milliseconds(result.timing.first_token_ms) : undefined],
    ["Queued", isFigure(result.timing?.queue_ms) ? milliseconds(result.timing.queue_ms) : undefined],
    ["Attempts", result.attempts > 1 ? String(result.attempts) : undefined],
    ["Cost of the answer", isFigure(trace.cost_usd) ? dollars(trace.cost_usd) : undefined],
    ["Tokens", usage ? `${count(usage.input)} in${usage.cached ? ` (${count(usage.cached)} cached)` : ""}, ${count(usage.output)} out` : undefined],
    ["Tool calls", tools.length > 0 ? tools.join(", ") : undefined],
    ["Tool errors", trace.error_count > 0 ? count(trace.error_count) : undefined],
    ["Model", transcript?.transcript?.model],
    ["Finish reason", transcript?.transcript?.finish_reason],
    ["From the cache", result.cached ? "yes" : undefined],
    ["Workspace", result.workspace],
    ["Dry run", result.dry_run ? "yes" : undefined],
    ["Dataset", result.dataset],
    ["Conversation", result.conversation_id],
    ["Variables", variables && Object.keys(variables).length > 0 ? longText(valueText(variables), "code") : undefined],
    ["Defined in", transcript?.case?.source ? `${transcript.case.source.file}, line ${transcript.case.source.line}` : undefined],
    ["Ended", timeText(result.timestamp)],
    ["Answer key", theirs(String(result.answer_key), "mono")],
    ["Grade key", theirs(String(result.grade_key), "mono")],
  ]), transcript?.transcript?.trace === undefined ? undefined
    : make("details", {}, make("summary", { class: "muted", text: "Trace" }), longText(valueText(transcript.transcript.trace), "code")));
}
