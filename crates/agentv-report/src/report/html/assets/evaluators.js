// The results of the evaluators for an answer.

function saidOf(result) {
  if (typeof result.verdict === "string") return result.verdict;
  if (isFigure(result.score)) return result.score >= 0.8 ? "pass" : result.score >= 0.6 ? "borderline" : "fail";
  return typeof result.skipped === "string" ? "skipped" : "error";
}

function findings(hits, misses) {
  const entry = (kind, label) => (text) => make("li", { class: kind }, unseen(label), String(text));
  if (hits.length + misses.length === 0) return undefined;
  return make("ul", { class: "findings" }, ...misses.map(entry("miss", "missed: ")), ...hits.map(entry("hit", "met: ")));
}

function evaluatorElement(result) {
  const said = saidOf(result);
  const score = isFigure(result.score) ? result.score : NaN;
  const members = listOf(result.evaluator_results);
  return make("div", { class: "evaluator" },
    make("div", { class: "line" }, badge(said), theirs(String(result.name), "name"),
      make("span", { class: "muted", text: result.name === result.type ? "" : String(result.type) }),
      result.weight !== 1 && isFigure(result.weight) ? make("span", { class: "muted", text: `weight ${result.weight}` }) : undefined,
      meter(score, said, scoreText(score))),
    result.error ? make("p", { class: "wrong", text: String(result.error) }) : undefined,
    result.skipped ? make("p", { class: "muted theirs", text: `Skipped: ${result.skipped}` }) : undefined,
    findings(listOf(result.hits), listOf(result.misses)),
    result.reasoning ? longText(String(result.reasoning)) : undefined,
    result.details === undefined ? undefined : make("details", {}, make("summary", { class: "muted", text: "Details" }), longText(valueText(result.details), "code")),
    judgeCalls(listOf(result.judge_calls)),
    members.length > 0 ? make("div", { class: "members" }, ...members.map(evaluatorElement)) : undefined);
}

function judgeCalls(calls) {
  if (calls.length === 0) return undefined;
  const costs = calls.map((call) => call.cost_usd).filter(isFigure);
  const cost = costs.length > 0 ? `, ${dollars(costs.reduce((sum, one) => sum + one, 0))}` : "";
  return make("details", {}, make("summary", { class: "muted", text: `${counted(calls.length, "judge call")}${cost}` }), ...calls.map(judgeCall));
}

function judgeCall(call) {
  const usage = call.token_usage;
  return make("div", { class: "call" },
    facts([
      ["Judge", call.target], ["Attempts", String(call.attempts ?? "")],
      ["Took", isFigure(call.duration_ms) ? milliseconds(call.duration_ms) : undefined],
      ["Cost", isFigure(call.cost_usd) ? dollars(call.cost_usd) : undefined],
      ["Tokens", usage ? `${count(usage.input)} in, ${count(usage.output)} out` : undefined],
    ]),
    call.error ? make("p", { class: "wrong", text: String(call.error) }) : undefined,
    ...listOf(call.request).map(messageElement),
    typeof call.answer === "string" ? make("div", {}, make("div", { class: "muted", text: "answer" }), longText(call.answer, "code")) : undefined);
}

function evaluatorSheet(title, result) {
  const results = listOf(result.evaluator_results);
  const own = results.length === 0 ? [findings(listOf(result.hits), listOf(result.misses)), result.reasoning ? longText(result.reasoning) : undefined] : [];
  // Misses of the case itself say what decided its status.
  const decided = results.length === 0 ? undefined : findings([], listOf(result.misses).filter((miss) => !results.some((one) => listOf(one.misses).includes(miss))));
  const nothing = results.length === 0 && !own.some(Boolean) ? make("p", { class: "muted", text: "No evaluator was run." }) : undefined;
  return make("section", { class: "sheet evaluators" }, make("h3", { text: title }), decided, ...results.map(evaluatorElement), ...own, nothing);
}
