// The figures of runs from oldest to newest, drawn as lines.

const TREND = { width: 800, height: 220, left: 44, right: 14, top: 12, bottom: 26 };

/** Draws pass rates with their intervals, and mean scores; `lines` are runs, oldest first. */
function trendPlot(title, lines, addressOfRun) {
  const { width, height, left, right, top, bottom } = TREND;
  const x = (at) => (lines.length === 1 ? (left + width - right) / 2 : left + 8 + (at / (lines.length - 1)) * (width - left - right - 16));
  const y = (share) => top + (1 - Math.min(1, Math.max(0, share))) * (height - top - bottom);
  const words = lines.map((line) => `${line.id}: ${percent(line.pass_rate)}`).join("; ");
  const svg = draw("svg", { class: "trend", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Pass rates of ${title}, oldest first. ${words}` });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
      draw("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, `${share * 100}%`));
  }
  lines.forEach((line, at) => {
    const ends = line.pass_rate_interval;
    if (ends) svg.append(draw("line", { class: "interval", x1: x(at), x2: x(at), y1: y(ends[0]), y2: y(ends[1]) }));
  });
  trendCurve(svg, "score", lines, (line) => line.mean_score, x, y, (line) => `${line.id}: mean score ${scoreText(line.mean_score)}`, addressOfRun);
  trendCurve(svg, "rate", lines, (line) => line.pass_rate, x, y, (line) => `${line.id}: pass rate ${percent(line.pass_rate)}`, addressOfRun);
  const day = (line) => (timeText(line.started_at) ?? "").slice(0, 10);
  svg.append(draw("text", { x: x(0), y: height - 6, "text-anchor": lines.length === 1 ? "middle" : "start" }, day(lines[0])));
  if (lines.length > 1) svg.append(draw("text", { x: x(lines.length - 1), y: height - 6, "text-anchor": "end" }, day(lines[lines.length - 1])));
  return make("figure", { class: "plot-box" }, make("h3", { class: "theirs", text: title }), svg);
}

/** Draws one figure of each run, joined by lines; runs without it leave a gap. */
function trendCurve(svg, kind, lines, figure, x, y, words, addressOfRun) {
  let points = [];
  const end = () => {
    if (points.length > 1) svg.append(draw("polyline", { class: kind, points: points.join(" ") }));
    points = [];
  };
  const circles = [];
  lines.forEach((line, at) => {
    const value = figure(line);
    if (!isFigure(value)) return end();
    points.push(`${x(at).toFixed(1)},${y(value).toFixed(1)}`);
    const circle = draw("circle", { class: kind, cx: x(at).toFixed(1), cy: y(value).toFixed(1), r: 4 });
    circle.append(draw("title", {}, words(line)));
    const address = addressOfRun(line);
    const link = address ? draw("a", { href: address, "aria-label": words(line) }) : undefined;
    link?.append(circle);
    circles.push(link ?? circle);
    return undefined;
  });
  end();
  svg.append(...circles);
}

/** Returns the lines of runs with the same files and target, oldest first, the newest group first. */
function trendGroups(lines) {
  const groups = new Map();
  for (const line of lines) {
    const key = JSON.stringify([[...line.files].sort(), line.targets, line.dry_run ?? false]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).unshift(line);
  }
  return [...groups.values()];
}
