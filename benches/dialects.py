#!/usr/bin/env python3
"""Counts the suites below a folder that load, and groups the reasons of the others.

    cargo build -p agentv
    benches/dialects.py FOLDER [--agentv target/debug/agentv]

A suite is a YAML file with `tests`, `eval_cases`, `scenarios`, `prompts` or `evalcases` at its top level. It loads
if it has at least one usable case, and loads whole if `validate` finds no error in it.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess

CASES = re.compile(r"^(tests|eval_cases|scenarios|evalcases|prompts):", re.MULTILINE)


def problems_of(agentv, suite):
    command = [agentv, "validate", "--format", "json", str(suite)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines]


def cases_of(agentv, suite):
    done = subprocess.run([agentv, "show", str(suite)], capture_output=True, text=True, check=False)
    return len(done.stdout.splitlines()) if done.returncode == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--agentv", default="target/debug/agentv")
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.suffix in (".yaml", ".yml"))
    suites = [path for path in files if CASES.search(path.read_text(errors="replace"))]
    whole, partly, refused = [], [], []
    reasons = collections.Counter()
    for suite in suites:
        errors = [it for it in problems_of(options.agentv, suite) if it.get("severity") != "warning"]
        kinds = {(it.get("code"), re.sub(r"`[^`]*`", "`…`", it.get("message", ""))) for it in errors}
        reasons.update(kinds)
        if not errors:
            whole.append(suite)
        elif cases_of(options.agentv, suite):
            partly.append(suite)
        else:
            refused.append(suite)
    print(f"{len(suites)} suites: {len(whole)} load whole, {len(partly)} without some cases, {len(refused)} not")
    for (code, message), count in reasons.most_common():
        print(f"{count:5}  {code}  {message}")
    for suite in refused:
        print(f"not: {suite}")


main()
