"""Runs a command, sends it a signal after a number of calls to a server, and prints how it ended as JSON."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

PATIENCE = 120


def ask(stats):
    with urllib.request.urlopen(stats, timeout=10) as answer:
        return json.load(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stats", required=True, help="where the server tells its calls")
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--signal", required=True, choices=["KILL", "INT"])
    parser.add_argument("--log", required=True, help="where the command's output goes")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()

    # Ending this program ends the command, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    with open(arguments.log, "wb") as log:
        # The command gets its own group, as in a terminal, in which Ctrl-C is not ignored.
        process = subprocess.Popen(
            arguments.command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    try:
        print(json.dumps(stop(process, arguments)))
    finally:
        end(process)


def stop(process, arguments):
    while (seen := ask(arguments.stats))["total"] < arguments.calls:
        if process.poll() is not None:
            sys.exit(f"the command ended with {process.returncode} after {seen['total']} calls")
        time.sleep(0.002)
    sent = time.monotonic()
    os.killpg(process.pid, getattr(signal, f"SIG{arguments.signal}"))
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        code = None
    # Shells report a signal that ended a process in this way.
    code = 128 - code if code is not None and code < 0 else code
    return {"at": seen["total"], "in_flight": seen["in_flight"], "exit": code, "seconds": time.monotonic() - sent}


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


main()
