// Reads the measurements of run.sh, prints them as tables, and checks the claims.
//
// Exits with 1 if a claim does not hold.

import { readFileSync } from "node:fs";

const MB = 1e6;
const CASES = 100_000;
const LONG_CASES = 1_000_000;
const CLAIMS = {
  cpuMicrosecondsPerCase: 30,
  gradingMicrosecondsPerCase: 50,
  peakBytes: 100 * MB,
  bytesPerFurtherCase: 24,
  timesIdeal: 1.08,
  latencyDifference: 0.1,
  shareOfBareClient: 0.9,
  reportSeconds: 2,
  reportBytes: 300 * MB,
};
const IDEAL_SECONDS = 0.5;

const lines = readFileSync(process.argv[2], "utf8").trim().split("\n").map((line) => JSON.parse(line));
const all = (label) => lines.filter((line) => line.label === label);
const least = (numbers) => Math.min(...numbers);
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const milliseconds = (text) => parseFloat(text) * (text.endsWith("ms") ? 1 : text.endsWith("us") ? 1e-3 : 1e3);

const claims = [];
const claim = (sentence, holds) => claims.push([sentence, holds]);

const mock = all("mock 100000");
const cpu = least(mock.map((one) => one.cpu / CASES)) * 1e6;
const peak = least(mock.map((one) => one.peak_bytes));
console.log("| cases on `mock`, one `contains`, journal on | wall | CPU | CPU per case | peak memory |");
console.log("|---|---|---|---|---|");
const row = (cases, one) =>
  console.log(
    `| ${cases.toLocaleString("en")} | ${one.wall.toFixed(2)} s | ${one.cpu.toFixed(2)} s | ` +
      `${((one.cpu / cases) * 1e6).toFixed(1)} µs | ${(one.peak_bytes / MB).toFixed(0)} MB |`,
  );
row(CASES, mock.toSorted((a, b) => a.cpu - b.cpu)[0]);
claim(`a case costs under ${CLAIMS.cpuMicrosecondsPerCase} µs of CPU: ${cpu.toFixed(1)}`, cpu < CLAIMS.cpuMicrosecondsPerCase);
claim(`memory stays under ${CLAIMS.peakBytes / MB} MB: ${(peak / MB).toFixed(0)}`, peak < CLAIMS.peakBytes);
const [long] = all("mock 1000000");
if (long) {
  row(LONG_CASES, long);
  const further = (long.peak_bytes - CLAIMS.peakBytes) / LONG_CASES;
  const grown = (long.peak_bytes - peak) / (LONG_CASES - CASES);
  claim(
    `1,000,000 cases take at most ${CLAIMS.bytesPerFurtherCase} bytes each above that: ${further.toFixed(1)} ` +
      `(${grown.toFixed(1)} a further case)`,
    further <= CLAIMS.bytesPerFurtherCase,
  );
}
console.log();

const regraded = least(all("grade 100000").map((one) => one.cpu / CASES)) * 1e6;
const askedAndGraded = least(all("grade run").map((one) => one.cpu / CASES)) * 1e6;
console.log("| 100,000 cases, five checks each | CPU per case |");
console.log("|---|---|");
console.log(`| \`agentv run\` on \`mock\` | ${askedAndGraded.toFixed(1)} µs |`);
console.log(`| \`agentv grade\` of its answers | ${regraded.toFixed(1)} µs |`);
console.log();
claim(
  `grading an answer again costs under ${CLAIMS.gradingMicrosecondsPerCase} µs of CPU: ${regraded.toFixed(1)}, ` +
    `${(regraded / askedAndGraded).toFixed(2)} times the run`,
  regraded < CLAIMS.gradingMicrosecondsPerCase && all("grade totals")[0].trials === CASES,
);

console.log("| results of 100,000 cases, five evaluators each | wall | CPU | peak memory | relative to the run |");
console.log("|---|---|---|---|---|");
const asked = least(all("grade run").map((one) => one.wall));
for (const label of ["report html", "report junit", "report markdown", "report json", "report csv", "compare"]) {
  const one = all(label).toSorted((a, b) => a.wall - b.wall)[0];
  console.log(
    `| \`${label}\` | ${one.wall.toFixed(2)} s | ${one.cpu.toFixed(2)} s | ${(one.peak_bytes / MB).toFixed(0)} MB | ${(one.wall / asked).toFixed(2)} |`,
  );
  claim(
    `\`${label}\` takes under ${CLAIMS.reportSeconds} s and ${CLAIMS.reportBytes / MB} MB: ${one.wall.toFixed(2)} s, ${(one.peak_bytes / MB).toFixed(0)} MB`,
    one.wall < CLAIMS.reportSeconds && one.peak_bytes < CLAIMS.reportBytes,
  );
}
console.log();

const slow = least(all("slow run").map((one) => one.wall));
const start = least(all("start").map((one) => one.wall));
const ours = middle(all("slow totals").map((one) => one.latency.median_ms));
const load = all("slow load");
const theirs = middle(load.map((one) => (one.p50 ? milliseconds(one.p50) : one.bare.latency_ms.p50)));
console.log("| 1,000 cases, a server that takes 50 ms, 100 at a time | |");
console.log("|---|---|");
console.log(`| theoretical minimum | ${IDEAL_SECONDS.toFixed(2)} s |`);
console.log(`| \`agentv run\`, start to exit | ${slow.toFixed(3)} s |`);
console.log(`| a run of one case on \`mock\`, start to exit | ${start.toFixed(3)} s |`);
console.log(`| median latency that agentv reports | ${ours.toFixed(1)} ms |`);
console.log(`| median latency that ${load[0].by} reports | ${theirs.toFixed(1)} ms |`);
console.log();
const timesIdeal = (slow - start) / IDEAL_SECONDS;
claim(`at most ${CLAIMS.timesIdeal} times the ideal after the start: ${timesIdeal.toFixed(3)}`, timesIdeal <= CLAIMS.timesIdeal);
const difference = Math.abs(ours / theirs - 1);
claim(`median latency within ${CLAIMS.latencyDifference * 100}% of ${load[0].by}'s: ${(difference * 100).toFixed(1)}%`, difference <= CLAIMS.latencyDifference);

const bare = all("fast bare").map((one) => one.bare.requests_per_second);
const runs = all("fast run").map((one, index) => all("fast totals")[index].trials / one.wall);
const share = middle(runs.map((rate, index) => rate / bare[index]));
const bareCpu = middle(all("fast bare").map((one) => one.bare.cpu_seconds / one.bare.requests)) * 1e6;
const runCpu = middle(all("fast run").map((one, index) => one.cpu / all("fast totals")[index].trials)) * 1e6;
console.log("| a fast server, 2,000 at a time | requests/s | CPU per call |");
console.log("|---|---|---|");
console.log(`| bare reqwest loop, same bodies | ${Math.round(middle(bare)).toLocaleString("en")} | ${bareCpu.toFixed(0)} µs |`);
console.log(`| \`agentv run\`, start to exit | ${Math.round(middle(runs)).toLocaleString("en")} | ${runCpu.toFixed(0)} µs |`);
console.log();
const many = all("many run");
const manyPeak = least(many.map((one) => one.peak_bytes));
const manyCpu = least(many.map((one, index) => one.cpu / all("many totals")[index].trials)) * 1e6;
console.log("| 20,000 cases, a server that takes 200 ms, 5,000 at a time | |");
console.log("|---|---|");
console.log(`| \`agentv run\`, start to exit | ${least(many.map((one) => one.wall)).toFixed(2)} s |`);
console.log(`| peak memory | ${(manyPeak / MB).toFixed(0)} MB, ${(manyPeak / 5000 / 1e3).toFixed(0)} kB per request in flight |`);
console.log(`| CPU per call | ${manyCpu.toFixed(0)} µs |`);
console.log();
claim(`throughput at least ${CLAIMS.shareOfBareClient} of a bare reqwest loop's: ${share.toFixed(2)}`, share >= CLAIMS.shareOfBareClient);
const errors = [...all("fast totals"), ...all("slow totals"), ...all("many totals")].reduce((sum, one) => sum + one.errors, 0);
claim(`no errors: ${errors}`, errors === 0);

for (const [sentence, holds] of claims) console.log(`- ${holds ? "holds" : "**does not hold**"}: ${sentence}`);
process.exit(claims.every(([, holds]) => holds) ? 0 : 1);
