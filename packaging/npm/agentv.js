#!/usr/bin/env node
// Starts the program of this platform, which an optional dependency contains.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `agentv-eval-${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "agentv.exe" : "agentv";

let path;
try {
  path = require.resolve(`${name}/bin/${program}`);
} catch {
  console.error(`agentv: there is no package ${name} here. If this platform is supported, install again without` +
    " --omit=optional; otherwise build it from source (cargo install agentv).");
  process.exit(2);
}

const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both processes, so it is not passed on. Other requests to end reach this one alone.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`agentv: cannot start ${path}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
