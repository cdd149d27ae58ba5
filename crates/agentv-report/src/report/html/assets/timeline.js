// The tool calls of a transcript on a line of time.

/** Returns the calls of messages that have a duration or a time: when each began and how long it took. */
function timedCalls(messages) {
  const calls = messages.flatMap((message) => listOf(message?.tool_calls).map((call) => ({
    tool: String(call?.tool ?? ""), about: essence(call?.input), took: isFigure(call?.duration_ms) && call.duration_ms >= 0 ? call.duration_ms : undefined,
    at: Date.parse(call?.timestamp), failed: call?.is_error === true || (isFigure(call?.exit_code) && call.exit_code !== 0),
  })));
  const timed = calls.filter((call) => call.took !== undefined || Number.isFinite(call.at));
  if (timed.length === 0) return { calls: [], hasTimes: false };
  const hasTimes = timed.every((call) => Number.isFinite(call.at));
  const first = hasTimes ? Math.min(...timed.map((call) => call.at)) : 0;
  // Without times, calls are shown one after another.
  let end = 0;
  for (const call of timed) {
    call.from = hasTimes ? call.at - first : end;
    end = Math.max(end, call.from + (call.took ?? 0));
  }
  return { calls: timed, hasTimes, end };
}

/** The largest number of calls on a waterfall. */
const MOST_CALLS = 500;

/** Shows the tool calls of a trial as a waterfall. */
function timelineSheet(detail) {
  const { calls, hasTimes, end } = timedCalls(outputOf(detail));
  if (calls.length === 0) return undefined;
  const whole = Math.max(end, 1e-9);
  const row = (call) => {
    const bar = make("span", { class: call.failed ? "bar-of failed" : "bar-of" });
    bar.style.left = `${(call.from / whole) * 100}%`;
    bar.style.width = `${((call.took ?? 0) / whole) * 100}%`;
    const words = `${call.tool} ${call.about}: ${hasTimes ? `after ${milliseconds(call.from)}, ` : ""}${call.took === undefined ? "duration unknown" : milliseconds(call.took)}${call.failed ? ", failed" : ""}`;
    return make("li", { title: words, "aria-label": words }, make("span", { class: "call-name" }, theirs(call.tool, "name mono"), " ", theirs(call.about, "muted mono")),
      make("span", { class: "track", "aria-hidden": "true" }, bar), make("span", { class: "number muted", text: call.took === undefined ? NONE : milliseconds(call.took) }));
  };
  const sum = calls.reduce((total, call) => total + (call.took ?? 0), 0);
  return make("section", { class: "sheet timeline" }, make("h3", { text: "Tool calls over time" }),
    make("p", { class: "muted", text: `${counted(calls.length, "call")}, ${milliseconds(sum)} in tools${hasTimes ? `, within ${milliseconds(end)}` : ". The times of the calls are not recorded: they are shown one after another."}` }),
    make("ol", {}, ...calls.slice(0, MOST_CALLS).map(row)),
    calls.length > MOST_CALLS ? make("p", { class: "muted", text: `and ${count(calls.length - MOST_CALLS)} more` }) : undefined);
}
