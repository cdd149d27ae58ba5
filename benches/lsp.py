#!/usr/bin/env python3
"""Measures the language server: the time from an edit to its diagnostics.

    benches/lsp.py [AGENTV] [MEGABYTES]

AGENTV is the program (default: target/release/agentv), MEGABYTES the size of the JSON Lines file (default: 100).
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path


class Editor:
    """A process of `agentv lsp`, and the last diagnostics of each file."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.published = {}
        self.send({"id": 0, "method": "initialize", "params": {"rootUri": f"file://{folder}", "capabilities": {}}})
        self.receive()
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def wait(self, uri, version):
        """Waits for the next diagnostics of a version of a file."""
        while True:
            params = self.receive().get("params", {})
            if params.get("uri") == uri and params.get("version") == version:
                return params["diagnostics"]

    def open(self, uri, text):
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def change(self, uri, version, line, start, end, text):
        change = {"range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}, "text": text}
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        self.send({"method": "textDocument/didChange", "params": params})


CASE = """\
  - id: case-{0}
    expected_outcome: names the right city
    input: What is the capital of country {0}?
    evaluators:
      - {{type: contains, value: City}}
      - {{type: regex, value: '^[A-Z]'}}
"""


def suite(editor, folder):
    uri = f"file://{folder}/suite.yaml"
    editor.open(uri, "evalcases:\n" + "".join(CASE.format(number) for number in range(1000)))
    editor.wait(uri, 1)
    times = []
    for version in range(2, 52):
        start = time.perf_counter()
        editor.change(uri, version, 3000, 4, 4, "x")
        editor.wait(uri, version)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    print(f"suite of 1,000 cases, edit to diagnostics: median {times[25]:.1f} ms, 95% within {times[47]:.1f} ms")


def lines(editor, folder, megabytes):
    uri = f"file://{folder}/cases.jsonl"
    line = '{{"id": "case-{0}", "expected_outcome": "good", "input": "' + "x" * 900 + '"}}\n'
    count = megabytes * 1_000_000 // 965
    text = "".join(line.format(number) for number in range(count))
    start = time.perf_counter()
    editor.open(uri, text)
    editor.wait(uri, 1)
    visible = time.perf_counter() - start
    editor.wait(uri, 1)
    print(f"{len(text) / 1e6:.0f} MB, opened: visible part {visible:.2f} s, all {time.perf_counter() - start:.2f} s")
    start = time.perf_counter()
    editor.change(uri, 2, count // 2, 1, 2, "")
    editor.wait(uri, 2)
    visible = time.perf_counter() - start
    editor.wait(uri, 2)
    print(f"{len(text) / 1e6:.0f} MB, edited: visible part {visible:.2f} s, all {time.perf_counter() - start:.2f} s")


def main():
    root = Path(__file__).resolve().parent.parent
    program = str(Path(sys.argv[1] if len(sys.argv) > 1 else root / "target/release/agentv").resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        (folder / ".git").mkdir()
        suite(Editor(program, folder), folder)
        lines(Editor(program, folder), folder, int(sys.argv[2]) if len(sys.argv) > 2 else 100)


if __name__ == "__main__":
    main()
