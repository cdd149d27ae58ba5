// Figures as people write them.

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

function percent(share) {
  if (!isFigure(share)) return NONE;
  // Rounded towards the middle: only all is 100%, and only none is 0%.
  const tenths = share >= 1 ? 1000 : share <= 0 ? 0 : Math.min(999, Math.max(1, Math.round(share * 1000)));
  return `${(tenths / 10).toFixed(1)}%`;
}

function scoreText(score) {
  return isFigure(score) ? score.toFixed(2) : NONE;
}

function signed(value) {
  if (!isFigure(value)) return NONE;
  const text = Math.abs(value).toFixed(2);
  if (text === "0.00") return "±0.00";
  return (value > 0 ? "+" : "−") + text;
}

function milliseconds(value) {
  if (!isFigure(value)) return NONE;
  if (value < 1) return `${value.toFixed(2)} ms`;
  if (value < 1000) return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
  if (value < 120000) return `${(value / 1000).toFixed(value < 10000 ? 2 : 1)} s`;
  return `${(value / 60000).toFixed(1)} min`;
}

function dollars(value) {
  if (!isFigure(value)) return NONE;
  if (value === 0) return "$0";
  if (value >= 0.995) return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return `$${value.toPrecision(value >= 0.1 ? 3 : 2).replace(/e.*$/, (power) => power)}`;
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
