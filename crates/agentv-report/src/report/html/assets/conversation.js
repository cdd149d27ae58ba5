// Messages, tool calls and files.

/** Shows a text of any length; a long one is folded. */
function longText(text, kind) {
  const box = make("div", { class: kind ? `text ${kind}` : "text", text });
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
  const role = STATUS_OF_ROLE[message?.role] ?? "other";
  const name = typeof message?.name === "string" ? theirs(message.name) : undefined;
  const body = [...contentElements(message?.content), ...listOf(message?.tool_calls).map(callElement)];
  const who = make("div", { class: "who" }, String(message?.role ?? "message"), name);
  if (role !== "system") return make("div", { class: `message ${role}` }, who, ...body);
  const short = contentText(message.content).length < 240;
  return make("details", { class: "message system", open: short }, make("summary", { class: "who" }, "system"), ...body);
}

const STATUS_OF_ROLE = { system: "system", user: "user", assistant: "assistant", tool: "tool" };

function callElement(call) {
  const part = (label, value) => (value === undefined ? [] : [make("div", { class: "muted", text: label }), longText(valueText(value), "code")]);
  const { tool, input, output, id, timestamp, duration_ms: took, ...others } = call ?? {};
  return make("div", { class: "call" },
    make("div", { class: "line" }, make("span", { class: "muted", text: "calls" }), theirs(String(tool ?? ""), "name"),
      isFigure(took) ? make("span", { class: "muted number", text: milliseconds(took) }) : undefined),
    ...part("arguments", input), ...part("output", output),
    ...(Object.keys(others).length > 0 ? part("more", others) : []));
}

function conversation(messages) {
  return messages.map(messageElement);
}
