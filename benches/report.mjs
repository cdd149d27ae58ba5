// Reads the measurements of validate.sh, prints them as tables, and checks the claims.
//
// Exits with 1 if a claim does not hold.

import { readFileSync } from "node:fs";

const MB = 1e6;
const CLAIMS = {
  shareOfNode: 1 / 4,
  peakBytes: 64 * MB,
  bytesPerFurtherCase: 16,
  versionSeconds: 0.01,
  suitesSeconds: 1,
};

const lines = readFileSync(process.argv[2], "utf8").trim().split("\n").map((line) => JSON.parse(line));
const file = fact("file");
const longFile = fact("long file");

const parse = cost("node parse");
const validate = cost("agentv validate");
const nodeStart = cost("node start");
const version = cost("agentv version");
const suites = cost("agentv suites");
const long = longFile && cost("agentv validate long");

const inWords = (one) => `${(one.bytes / 1e9).toFixed(one.bytes < 1e9 ? 2 : 0)} GB, ${one.cases} cases`;
console.log(`| JSONL, ${inWords(file)} | wall | CPU | peak memory | GB/s | time relative to Node |`);
console.log("|---|---|---|---|---|---|");
printRow("Node.js `JSON.parse` of each line", parse, file);
printRow("`agentv validate`", validate, file);
if (long) printRow(`\`agentv validate\` of ${inWords(longFile)}`, long, longFile);
console.log();
console.log("| start and small files | best | median | CPU | peak memory |");
console.log("|---|---|---|---|---|");
printStart("`node -e 0`", nodeStart);
printStart("`agentv --version`", version);
printStart(`\`agentv validate\` of ${fact("suites").count} YAML suites`, suites);
console.log();

const claims = [
  [
    `validate takes at most ${CLAIMS.shareOfNode} of Node's time: ${(validate.wall / parse.wall).toFixed(3)}`,
    validate.wall <= parse.wall * CLAIMS.shareOfNode,
  ],
  [
    `validate stays under ${megabytes(CLAIMS.peakBytes)}: ${megabytes(validate.peak)}`,
    validate.peak < CLAIMS.peakBytes,
  ],
  [
    `--version takes under ${milliseconds(CLAIMS.versionSeconds)} (median): ${milliseconds(version.median)}`,
    version.median < CLAIMS.versionSeconds,
  ],
  [
    `the suites take under ${seconds(CLAIMS.suitesSeconds)}: ${seconds(suites.wall)}`,
    suites.wall < CLAIMS.suitesSeconds,
  ],
];
if (long) {
  const perCase = (long.peak - validate.peak) / (longFile.cases - file.cases);
  claims.push([
    `a longer file takes at most ${CLAIMS.bytesPerFurtherCase} bytes of memory a further case: ${perCase.toFixed(1)}`,
    perCase <= CLAIMS.bytesPerFurtherCase,
  ]);
}
for (const [claim, holds] of claims) console.log(`- ${holds ? "holds" : "**does not hold**"}: ${claim}`);
process.exitCode = claims.every(([, holds]) => holds) ? 0 : 1;

/** What validate.sh noted about the files under `label`, if anything. */
function fact(label) {
  return lines.find((line) => line.label === label);
}

/** Best wall and CPU time, median wall time, and the highest peak of the runs called `label`. */
function cost(label) {
  const runs = lines.filter((line) => line.label === label);
  if (runs.length === 0) throw new Error(`nothing was measured for "${label}"`);
  const walls = runs.map((run) => run.wall).sort((a, b) => a - b);
  return {
    wall: walls[0],
    median: (walls[(walls.length - 1) >> 1] + walls[walls.length >> 1]) / 2,
    cpu: Math.min(...runs.map((run) => run.user + run.system)),
    peak: Math.max(...runs.map((run) => run.peak_bytes)),
  };
}

function printRow(name, cost, read) {
  const speed = read.bytes / 1e9 / cost.wall;
  const nodeSpeed = file.bytes / 1e9 / parse.wall;
  const columns = [seconds(cost.wall), seconds(cost.cpu), megabytes(cost.peak), speed.toFixed(2), (nodeSpeed / speed).toFixed(3)];
  console.log(`| ${name} | ${columns.join(" | ")} |`);
}

function printStart(name, cost) {
  const times = [cost.wall, cost.median, cost.cpu].map(milliseconds).join(" | ");
  console.log(`| ${name} | ${times} | ${megabytes(cost.peak)} |`);
}

function seconds(time) {
  return `${time.toFixed(2)} s`;
}

function milliseconds(time) {
  return `${(time * 1000).toFixed(1)} ms`;
}

function megabytes(bytes) {
  return `${(bytes / MB).toFixed(0)} MB`;
}
