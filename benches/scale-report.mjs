// Reads the measurements of scale.sh, prints them as tables, and checks that the cost per case does not grow.
//
// Exits with 1 if a claim does not hold.

import { readFileSync } from "node:fs";

const MB = 1e6;
// With fewer cases than this, start-up dominates.
const YARDSTICK = 100_000;
const CLAIMS = { timesYardstick: 2, bytesPerFurtherCase: 40 };

const works = new Map();
for (const line of readFileSync(process.argv[2], "utf8").trim().split("\n")) {
  const { label, ...cost } = JSON.parse(line);
  const space = label.lastIndexOf(" ");
  const [work, size] = [label.slice(0, space), Number(label.slice(space + 1))];
  if (!works.has(work)) works.set(work, new Map());
  works.get(work).set(size, cost);
}
const sizes = [...works.get("validate").keys()];

const table = (title, cell) => {
  console.log(`| ${title} | ${sizes.map((size) => size.toLocaleString("en")).join(" | ")} |`);
  console.log(`|---|${sizes.map(() => "---|").join("")}`);
  for (const [work, costs] of works) {
    console.log(`| ${work} | ${sizes.map((size) => cell(costs.get(size), size)).join(" | ")} |`);
  }
  console.log();
};
const microseconds = (cost, size) => (cost.cpu / size) * 1e6;
const short = (number) => (number < 10 ? number.toFixed(2) : number.toFixed(0));
table("wall, seconds", (cost) => short(cost.wall));
table("CPU per case, µs", (cost, size) => microseconds(cost, size).toFixed(2));
table("peak memory, MB", (cost) => (cost.peak_bytes / MB).toFixed(0));

const largest = sizes.at(-1);
const claims = [];
for (const [work, costs] of works) {
  const times = microseconds(costs.get(largest), largest) / microseconds(costs.get(YARDSTICK), YARDSTICK);
  claims.push([
    `\`${work}\`: a case among ${largest.toLocaleString("en")} costs ${times.toFixed(2)} of one among ${YARDSTICK.toLocaleString("en")}`,
    times <= CLAIMS.timesYardstick,
  ]);
  const further = (costs.get(largest).peak_bytes - costs.get(YARDSTICK).peak_bytes) / (largest - YARDSTICK);
  claims.push([`\`${work}\`: a further case takes ${further.toFixed(1)} bytes of memory`, further <= CLAIMS.bytesPerFurtherCase]);
}
for (const [sentence, holds] of claims) console.log(`- ${holds ? "holds" : "**does not hold**"}: ${sentence}`);
process.exit(claims.every(([, holds]) => holds) ? 0 : 1);
