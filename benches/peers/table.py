"""Stores the measurements of `run`, and prints them as a table.

  table.py reason FILE TOOL WORK REASON   notes why a measurement is missing
  table.py took FILE TOOL WORK [CASES]    prints the duration of the first measurement in seconds, if there is one
  table.py table FILE TOOL…               prints Markdown with one column per tool; ratios refer to the first
"""

import json
import os
import statistics
import sys

MISSING = "–"
# The order of the rows.
KINDS = ["install", "first", "version", "check", "mock", "server", "bare", "kill", "interrupt"]


def read(file):
    with open(file) as lines:
        return [json.loads(line) for line in lines]


def key(line):
    return f"{line['work']} {line['cases'] or ''}".strip()


def place(work):
    kind, _, cases = work.partition(" ")
    return (KINDS.index(kind), int(cases or 0))


def add_reason(file, tool, work, reason):
    with open(file, "a") as lines:
        print(json.dumps({"tool": tool, "missing": work.strip(), "reason": reason}), file=lines)


def print_took(file, tool, work, cases="0"):
    seconds = [line["cost"]["wall"] for line in read(file)
               if line.get("work") == work and line["tool"] == tool and line["cases"] == int(cases) and "cost" in line]
    # Work without a measured cost is short.
    done = [0.0 for line in read(file) if line.get("work") == work and line["tool"] == tool]
    if seconds or done:
        print((seconds or done)[0])


def main():
    command, file, *rest = sys.argv[1:]
    if command == "reason":
        add_reason(file, *rest)
    elif command == "took":
        print_took(file, *rest)
    else:
        Table(read(file), rest).print()


def seconds(value):
    return f"{value * 1e3:.2g} ms" if value < 0.1 else f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def milliseconds(value):
    return f"{value:.0f} ms"


def size(value):
    unit, name = next(((unit, name) for unit, name in [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")] if value >= unit), (1, "B"))
    number = value / unit
    return f"{number:.1f} {name}" if number < 10 and unit > 1 else f"{number:.0f} {name}"


def count(value):
    return f"{value:,}"


def times(value):
    return f"{value:.1f}×" if value < 10 else f"{value:,.0f}×"


class Table:
    """A table whose missing figures are explained in notes below it."""

    def __init__(self, lines, tools):
        self.tools = tools
        self.measured = [line for line in lines if "work" in line]
        self.reasons = {(line["tool"], line["missing"]): line["reason"] for line in lines if "missing" in line}
        self.notes = []
        works = dict.fromkeys(key(line) for line in self.measured)
        works.update(dict.fromkeys(work for _, work in self.reasons))
        self.works = sorted(works, key=place)

    def of(self, tool, work):
        return [line for line in self.measured if line["tool"] == tool and key(line) == work]

    def note(self, sentence):
        if sentence not in self.notes:
            self.notes.append(sentence)
        return f"<sup>{self.notes.index(sentence) + 1}</sup>"

    def missing(self, tool, work):
        reason = self.reasons.get((tool, work)) or self.reasons.get((tool, "first 10")) or "not measured"
        return MISSING + self.note(f"{self.title(tool)}, {work}: {' '.join(reason.split())}")

    def title(self, tool):
        lines = self.of(tool, "install")
        return lines[0]["title"] if lines else tool

    def row(self, name, cell):
        print(f"| {name} | {' | '.join(cell(tool) for tool in self.tools)} |")

    def figures(self, name, work, figure, write):
        """Prints the best value of a figure, its ratio to the first tool, and the median."""
        values = {tool: [value for line in self.of(tool, work) if (value := figure(line)) is not None] for tool in self.tools}
        ours = min(values[self.tools[0]], default=None)

        def cell(tool):
            if not values[tool]:
                return self.missing(tool, work)
            best, middle = min(values[tool]), statistics.median(values[tool])
            text = write(best)
            if len(values[tool]) > 1 and write(middle) != text:
                text += f" ({write(middle)})"
            if tool != self.tools[0] and ours:
                text += f", **{times(best / ours)}**"
            return text

        self.row(name, cell)

    def costs(self, name, work):
        self.figures(f"{name}: wall", work, lambda line: line["cost"]["wall"], seconds)
        self.figures("… CPU", work, lambda line: line["cost"]["cpu"], seconds)
        self.figures("… peak memory", work, lambda line: line["cost"]["peak_bytes"], size)

    def words(self, name, work, say):
        """Prints the result of each run, without repetitions."""

        def cell(tool):
            said = dict.fromkeys(say(line) for line in self.of(tool, work))
            return ", ".join(said) if said else self.missing(tool, work)

        self.row(name, cell)

    def print(self):
        print(f"| | {' | '.join(self.title(tool) for tool in self.tools)} |")
        print(f"|---|{'---|' * len(self.tools)}")
        self.figures("installed", "install", lambda line: line["bytes"], size)
        for work in self.works:
            kind, _, cases = work.partition(" ")
            if rows := getattr(self, f"rows_of_{kind}", None):
                rows(work, f"{int(cases):,}" if cases else "")
        print()
        for number, sentence in enumerate(self.notes, 1):
            print(f"{number}. {sentence}")
        self.explain()

    def rows_of_version(self, work, _):
        self.costs("`--version`", work)

    def rows_of_check(self, work, cases):
        self.costs(f"{cases} cases checked, not run", work)

    def rows_of_mock(self, work, cases):
        self.costs(f"{cases} cases, own mock", work)
        self.figures("… files left", work, lambda line: line["files"], count)
        self.figures("… bytes left", work, lambda line: line["bytes"], size)

    def rows_of_server(self, work, cases):
        self.costs(f"{cases} cases, server that takes 50 ms, 100 at a time", work)
        bare = [line["bare"]["latency_ms"]["p50"] for line in self.measured if line["work"] == "bare"]
        beside = f"; a bare client: {statistics.median(bare):.1f} ms" if bare else ""
        self.figures(f"… median latency it tells (true: 50 ms{beside})", work, lambda line: line["latency_ms"], milliseconds)

    def rows_of_kill(self, work, cases):
        wanted = int(cases.replace(",", ""))
        ending = f"{cases} cases, SIGKILL at half, resumed"
        self.words(f"{ending}: totals", work, lambda line: "right" if line["total"] == wanted else f"**{line['total']:,} of {cases}**")
        self.words("… each case in its log once", work, lambda line: "yes" if line["records"] == line["distinct"] == wanted
                   else f"**{line['records']:,} results of {line['distinct']:,} cases**")
        self.words("… calls more than cases", work, lambda line: f"{line['calls'] - wanted} ({line['stopped']['in_flight']} were in flight)")
        self.figures("… the resumed part: wall", work, lambda line: line["cost"]["wall"], seconds)

    def rows_of_interrupt(self, work, cases):
        def ending(line):
            code, took = line["stopped"]["exit"], line["stopped"]["seconds"]
            return "does not end" if code is None else f"{code}, after {seconds(took)}"

        self.words(f"{cases} cases, SIGINT at half: exit code", work, ending)

    def explain(self):
        rounds = max((len(self.of(self.tools[0], work)) for work in self.works), default=0)
        machine = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"
        print(f"\nBest of {rounds} alternating rounds (median in brackets), **times ours**; {machine}. Every figure of cases that were "
              "run to their end, mock or server, is of a run whose own log has every case once, passed.")


main()
