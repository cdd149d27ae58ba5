// Histograms, drawn as SVG, each with a description in words.

const SVG = "http://www.w3.org/2000/svg";
const PLOT = { width: 320, height: 128, bottom: 20, top: 8 };

function draw(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * A histogram. A series is a list of counts, the first of two being the run before; `labels` say what a
 * bin covers, `ticks` are `[bin, text]`, `marks` are `[bin, text]` too, and `choose` is told a bin.
 */
function histogram({ title, series, labels, ticks, marks, choose }) {
  const bins = series[0].length;
  const highest = Math.max(1, ...series.flat());
  const floor = PLOT.height - PLOT.bottom;
  const step = PLOT.width / bins;
  const now = series[series.length - 1];
  const words = labels.map((label, bin) => `${label}: ${count(now[bin])}`).join("; ");
  const svg = draw("svg", {
    class: "plot", viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", preserveAspectRatio: "xMinYMid meet",
    "aria-label": `${title}. ${words}`,
  });
  series.forEach((counts, which) => {
    const width = Math.max(1, (step - 3) / series.length);
    counts.forEach((value, bin) => {
      if (value === 0) return;
      const height = Math.max(1.5, (value / highest) * (floor - PLOT.top));
      svg.append(draw("rect", {
        class: series.length === 2 && which === 0 ? "before" : "now",
        x: bin * step + 1.5 + which * width, y: floor - height, width, height, rx: 1.5,
      }));
    });
  });
  svg.append(draw("line", { class: "axis", x1: 0, x2: PLOT.width, y1: floor + 0.5, y2: floor + 0.5 }));
  for (const [bin, text] of marks ?? []) {
    const x = bin * step;
    svg.append(draw("line", { class: "mark", x1: x, x2: x, y1: 0, y2: floor }));
    const isNearEnd = x > PLOT.width - 40;
    svg.append(draw("text", { x: isNearEnd ? x - 4 : x + 4, y: 9, "text-anchor": isNearEnd ? "end" : "start" }, text));
  }
  for (const [bin, text] of ticks) {
    const anchor = bin <= 0 ? "start" : bin >= bins ? "end" : "middle";
    svg.append(draw("text", { x: bin * step, y: PLOT.height - 5, "text-anchor": anchor }, text));
  }
  labels.forEach((label, bin) => {
    const hit = draw("rect", { class: "hit", x: bin * step, y: 0, width: step, height: floor });
    hit.append(draw("title", {}, `${label}: ${series.map((counts) => count(counts[bin])).join(" → ")}`));
    if (choose) hit.addEventListener("click", () => choose(bin));
    svg.append(hit);
  });
  return make("figure", { class: "plot-box" }, make("h3", { text: title }), svg);
}

/** The number of bins of a histogram of values that span orders of magnitude. */
const SPREAD_BINS = 24;

/** Counts the values of each run in bins that grow evenly; the bins are those of all runs. */
function spreadsOf(runs) {
  const values = runs.map((run) => run.filter((value) => value > 0 && Number.isFinite(value)));
  let [low, high] = [Infinity, 0];
  for (const run of values) {
    for (const value of run) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (high === 0) return undefined;
  if (high / low < 1.5) [low, high] = [low / 1.5, high * 1.5];
  const bin = (value) => Math.floor((Math.log(value / low) / Math.log(high / low)) * SPREAD_BINS);
  const series = values.map((run) => {
    const counts = new Array(SPREAD_BINS).fill(0);
    for (const value of run) counts[Math.min(SPREAD_BINS - 1, Math.max(0, bin(value)))] += 1;
    return counts;
  });
  return { low, high, series };
}

/** Draws a histogram of values that span orders of magnitude, or nothing without values. */
function logHistogram(title, spreads, write, marks) {
  if (!spreads) return undefined;
  const { low, high, series } = spreads;
  const bins = SPREAD_BINS;
  const place = (value) => (Math.log(value / low) / Math.log(high / low)) * bins;
  const edge = (bin) => low * (high / low) ** (bin / bins);
  return histogram({
    title, series,
    labels: series[0].map((_, bin) => `${write(edge(bin))} to ${write(edge(bin + 1))}`),
    ticks: [[0, write(low)], [bins / 2, write(edge(bins / 2))], [bins, write(high)]],
    marks: (marks ?? []).filter(([value]) => value >= low && value <= high).map(([value, text]) => [place(value), text]),
  });
}
