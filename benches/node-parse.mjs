// The reference for comparison: the minimum that a Node.js program does with a JSONL file, JSON.parse of each line.
//
// This is the fastest of the variants that we tried (streams, whole chunks decoded and split, buffers of 64 kB to
// 8 MB): one buffer, filled by readSync, with each line decoded separately.

import { openSync, readSync } from "node:fs";

const NEWLINE = 10;

const file = openSync(process.argv[2]);
let buffer = Buffer.allocUnsafe(1 << 20);
let filled = 0;
let cases = 0;

for (;;) {
  if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  const got = readSync(file, buffer, filled, buffer.length - filled, null);
  if (got === 0) break;
  filled += got;
  const unread = parseLines(buffer.subarray(0, filled));
  buffer.copyWithin(0, unread, filled);
  filled -= unread;
}
if (filled > 0) parse(buffer, 0, filled);
console.log(`${cases} cases`);

/** Parses every whole line and returns where the rest begins. */
function parseLines(bytes) {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) return start;
    if (end > start) parse(bytes, start, end);
    start = end + 1;
  }
}

function parse(bytes, start, end) {
  JSON.parse(bytes.toString("utf8", start, end));
  cases += 1;
}
