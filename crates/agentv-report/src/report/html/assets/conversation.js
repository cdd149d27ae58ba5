// Messages, tool calls and files.

/** Shows a text of any length, or its parts if some of them are marked; a long one is folded. */
function longText(text, kind, parts = [text]) {
  const box = make("div", { class: kind ? `text ${kind}` : "text" }, ...parts);
  if (text.length < 1500 && text.split("\n", 20).length < 20) return box;
  box.classList.add("clamped");
  const unfold = make("button", { type: "button", class: "unfold", text: `Show all ${counted(text.length, "character")}`, "aria-expanded": "false" });
  unfold.addEventListener("click", () => {
    const folded = box.classList.toggle("clamped");
    unfold.setAttribute("aria-expanded", String(!folded));
    unfold.textContent = folded ? `Show all ${counted(text.length, "character")}` : "Show less";
  });
  return make("div", {}, box, unfold);
}

/** Returns a value as indented JSON, or a text unchanged. */
function valueText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
}

/** Returns the text of a message, without files. */
function contentText(content) {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return "";
  if (Array.isArray(content) && content.every((block) => typeof block?.type === "string")) {
    return content.map((block) => (block.type === "file" ? block.text : block.value) ?? "").filter((text) => typeof text === "string").join("\n");
  }
  return JSON.stringify(content);
}

function contentElements(content) {
  if (typeof content === "string") return content === "" ? [make("p", { class: "muted", text: "(empty)" })] : [longText(content)];
  if (content === undefined || content === null) return [];
  if (Array.isArray(content) && content.every((block) => typeof block?.type === "string")) return content.map(blockElement);
  return [longText(valueText(content), "code")];
}

function blockElement(block) {
  if (block.type === "text") return longText(String(block.value ?? ""));
  if (block.type !== "file") return longText(valueText(block), "code");
  return make("details", { class: "file" },
    make("summary", {}, "File ", theirs(String(block.path ?? block.value ?? ""), "mono")),
    typeof block.text === "string" ? longText(block.text, "code") : make("p", { class: "muted", text: "The content is not recorded." }));
}

function messageElement(message) {
  // The number of messages that a page has no room for.
  if (typeof message === "string") return make("p", { class: "muted theirs", text: message });
  const role = STATUS_OF_ROLE[message?.role] ?? "other";
  const name = typeof message?.name === "string" ? theirs(message.name) : undefined;
  const body = [...contentElements(message?.content), ...listOf(message?.tool_calls).map(callElement)];
  const who = make("div", { class: "who" }, String(message?.role ?? "message"), name);
  if (role !== "system") return make("div", { class: `message ${role}` }, who, ...body);
  const short = contentText(message.content).length < 240;
  return make("details", { class: "message system", open: short }, make("summary", { class: "who" }, "system"), ...body);
}

const STATUS_OF_ROLE = { system: "system", user: "user", assistant: "assistant", tool: "tool" };

/** Shows a tool call on one line with its outcome; its arguments and output are folded. */
function callElement(call) {
  const part = (label, value) => (value === undefined ? [] : [make("div", { class: "muted", text: label }), longText(valueText(value), "code")]);
  const { tool, input, output, id, timestamp, duration_ms: took, kind, is_error: failed, exit_code: code, ...others } = call ?? {};
  const wrong = failed === true || (isFigure(code) && code !== 0);
  const outcome = isFigure(code) ? `exit ${code}` : wrong ? "failed" : undefined;
  const parts = [...part("arguments", input), ...part("output", output), ...(Object.keys(others).length > 0 ? part("more", others) : [])];
  const line = [make("span", { class: "muted", text: "calls" }), theirs(String(tool ?? ""), "name"), theirs(essence(input), "essence mono"),
    outcome ? make("span", { class: wrong ? "wrong" : "muted", text: outcome }) : undefined,
    isFigure(took) ? make("span", { class: "muted number", text: milliseconds(took) }) : undefined];
  if (parts.length === 0) return make("div", { class: "call" }, make("div", { class: "line" }, ...line));
  return make("details", { class: "call" }, make("summary", { class: "line" }, ...line), ...parts);
}

/** Returns the most telling argument of a tool call, such as a command or a path. */
function essence(input) {
  const telling = ["command", "cmd", "file_path", "path", "absolute_path", "pattern", "query", "url"].map((name) => input?.[name]).find((value) => value !== undefined);
  const text = Array.isArray(telling) ? telling.join(" ") : typeof telling === "string" ? telling : "";
  const line = text.split("\n", 1)[0];
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

/** Shows a changed file; its difference is folded. */
function changeElement(change) {
  const path = change?.from ? `${change.from} → ${change.path}` : String(change?.path ?? "");
  const lines = change?.lines ? `+${count(change.lines.added ?? 0)} −${count(change.lines.removed ?? 0)}` : change?.digest ? "not a text" : undefined;
  const line = [make("span", { class: "muted", text: String(change?.kind ?? "") }), theirs(path, "mono"), lines ? make("span", { class: "muted number", text: lines }) : undefined];
  if (typeof change?.diff !== "string") return make("div", { class: "call" }, make("div", { class: "line" }, ...line));
  const all = change.diff.replace(/\n$/, "").split("\n");
  // The two lines with names come before the first part of the difference.
  const first = all.findIndex((row) => row.startsWith("@@"));
  const rows = all.filter((row, at) => (first >= 0 && at >= first) || !(row.startsWith("--- ") || row.startsWith("+++ ")));
  const shown = rows.slice(0, 2000).map((row) => {
    const tag = row.startsWith("+") ? "ins" : row.startsWith("-") ? "del" : "span";
    return make(tag, { text: row || " " });
  });
  const more = rows.length > 2000 || change.diff_truncated ? make("p", { class: "muted", text: "The rest of the difference is omitted." }) : undefined;
  return make("details", { class: "call change", open: rows.length < 40 }, make("summary", { class: "line" }, ...line), make("pre", { class: "text code diff", tabindex: "0", "aria-label": `Changes of ${path}` }, ...shown), more);
}

function conversation(messages) {
  return messages.map(messageElement);
}
