// Figures in the form that people read.

const NONE = "–";

function isFigure(value) {
  return typeof value === "number" && Number.isFinite(value);
}

function count(value) {
  return isFigure(value) ? value.toLocaleString("en-US") : NONE;
}

function counted(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Rounds to this many decimals; exactly half goes to the even one, as in the other reports. */
function fixed(value, decimals) {
  const exact = value.toFixed(100);
  const kept = exact.slice(0, exact.length - 100 + decimals);
  const isHalf = /^50*$/.test(exact.slice(kept.length));
  return decimals > 0 && isHalf && "02468".includes(kept[kept.length - 1]) ? kept : value.toFixed(decimals);
}

function percent(share) {
  if (!isFigure(share)) return NONE;
  // Only exact values are 100% and 0%.
  if (share >= 1) return "100%";
  if (share <= 0) return "0%";
  // Near them, as many decimals as it takes to show the distance.
  const value = share * 100;
  const rounding = Math.min(value, 100 - value) / 10;
  let decimals = 1;
  while (decimals < 9 && Math.abs(Number(fixed(value, decimals)) - value) > rounding) decimals += 1;
  return `${fixed(value, decimals)}%`;
}

const thresholds = new Set([0.6, 0.8]);

/** Notes the lowest scores that pass in these runs. */
function notePassThresholds(runs) {
  for (const run of runs) for (const threshold of listOf(run.summary?.pass_thresholds)) thresholds.add(threshold);
}

/** Shows a score. One just below a threshold never reads as if it reached it. */
function scoreText(score) {
  if (!isFigure(score)) return NONE;
  const isLifted = [...thresholds].some((threshold) => score < threshold - 1e-12 && score >= threshold - 0.0005);
  return fixed(isLifted ? Math.floor(score * 1000) / 1000 : score, 3);
}

function signed(value) {
  if (!isFigure(value)) return NONE;
  if (Math.abs(value) < 0.0005) return "±0";
  return (value > 0 ? "+" : "−") + fixed(Math.abs(value), 3);
}

function milliseconds(value) {
  if (!isFigure(value)) return NONE;
  if (value < 9.95) return `${fixed(value, 1)} ms`;
  if (value < 999.5) return `${fixed(value, 0)} ms`;
  if (value < 59950) return `${fixed(value / 1000, 1)} s`;
  return longTime(Math.round(value / 1000));
}

/** Returns seconds in the two largest units. */
function longTime(seconds) {
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(seconds / unit));
  if (hours < 1) return `${minutes} min ${seconds % 60} s`;
  if (days < 1) return `${hours} h ${minutes % 60} min`;
  return `${counted(days, "day")} ${hours % 24} h`;
}

function dollars(value) {
  if (!isFigure(value)) return NONE;
  if (value === 0) return "$0.00";
  if (value < 0.00005) return "<$0.0001";
  if (value < 0.995) return `$${fixed(value, 4)}`;
  if (value >= 1e12) return `$${value.toExponential(2).replace("+", "")}`;
  const cents = Math.round(value * 100);
  return `$${count(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, "0")}`;
}

function shortCount(value) {
  if (!isFigure(value)) return NONE;
  if (value < 10000) return count(value);
  const [size, unit] = value < 1e6 ? [1e3, "k"] : value < 1e9 ? [1e6, "M"] : [1e9, "G"];
  return `${(value / size).toFixed(value / size < 100 ? 1 : 0)} ${unit}`;
}

function timeText(timestamp) {
  if (typeof timestamp !== "string") return undefined;
  return timestamp.replace("T", " ").replace(/\.\d+/, "").replace("Z", " UTC");
}
