#!/usr/bin/env bash
# Measures runs on workers (`--engine`), all on this machine, beside local runs.
#
#   benches/engine.sh [--trials N]
#
#   --trials N  the number of mock trials (default: 20,000)
#
# AGENTV=PATH measures that binary instead of building one. Needs `nats-server` and Python. Prints Markdown on stdout.
set -Eeuo pipefail
trap 'echo "error: benches/engine.sh stopped at line $LINENO" >&2; exit 2' ERR
[[ -z ${AGENTV:-} ]] || AGENTV=$(realpath "$AGENTV")
cd "$(dirname "$0")/.."

trials=20000
while (($#)); do
  case $1 in
    --trials) trials=${2:?--trials needs a number}; shift ;;
    *) echo "error: unknown argument \`$1\`" >&2; exit 2 ;;
  esac
  shift
done
PATH="$PATH:/usr/sbin"
for needed in nats-server python3; do
  command -v $needed >/dev/null || { echo "error: $needed is needed, and is not installed" >&2; exit 2; }
done
[[ -n ${AGENTV:-} ]] || cargo build --profile dist --quiet -p agentv
export AGENTV=${AGENTV:-$(realpath "${CARGO_TARGET_DIR:-target}/dist/agentv")}
exec python3 - "$trials" <<'PYTHON'
"""Starts a server and workers, runs cases, and adds up the CPU of all processes."""
import json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time

AGENTV, TRIALS = os.environ["AGENTV"], int(sys.argv[1])
root = pathlib.Path(tempfile.mkdtemp(prefix="agentv-engine-"))
TICK = os.sysconf("SC_CLK_TCK")

def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK

def project(name, cases, target):
    folder = root / name
    (folder / ".git").mkdir(parents=True)
    (folder / "targets.yaml").write_text(json.dumps({"targets": [{"name": "default", "provider": "mock", **target}]}))
    with open(folder / "cases.jsonl", "w") as file:
        for number in range(cases):
            case = {"id": f"case-{number:07}", "input": f"question number {number}",
                    "evaluators": [{"type": "contains", "value": "right"}]}
            file.write(json.dumps(case) + "\n")
    return folder

def run(folder, *arguments):
    """Returns wall time, CPU, and peak memory in MB."""
    begun = time.monotonic()
    child = subprocess.Popen([AGENTV, "run", "cases.jsonl", *arguments], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - begun
    assert os.waitstatus_to_exitcode(status) == 0, text
    assert re.search(r"100% passed", text), text
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

port = socket.create_server(("127.0.0.1", 0)).getsockname()[1]
url = f"nats://127.0.0.1:{port}"
processes = []

def start(command, **options):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    processes.append(subprocess.Popen(command, **quiet, **options))
    return processes[-1]

def workers(count, slots):
    started = []
    for number in range(count):
        home = pathlib.Path(tempfile.mkdtemp(dir=root))
        environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home)}
        command = [AGENTV, "worker", "--engine", url, "--slots", str(slots)]
        started.append(start(command, cwd=home, env=environment))
    wanted = f"{count} workers, {count * slots} slots"
    while wanted not in subprocess.run([AGENTV, "engine", "status", "--engine", url], capture_output=True, text=True).stdout:
        time.sleep(0.1)
    return started

def end(started):
    for process in started:
        process.send_signal(signal.SIGTERM)
        process.wait()
        processes.remove(process)

try:
    server = start(["nats-server", "-js", "-sd", str(root / "js"), "-a", "127.0.0.1", "-p", str(port)])
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.02)

    rows = []
    four = workers(4, 8)
    for cases in sorted({TRIALS // 10, TRIALS}):
        folder = project(f"mock-{cases}", cases, {"response": "right"})
        local = run(folder)
        shutil.rmtree(folder / ".agentv")
        before = {process.pid: cpu(process.pid) for process in [server, *four]}
        wall, coordinator, memory = run(folder, "--engine", url)
        of_server = cpu(server.pid) - before[server.pid]
        of_workers = sum(cpu(process.pid) - before[process.pid] for process in four)
        rows.append((cases, local, wall, coordinator, of_workers, of_server, memory))
    end(four)

    print("| mock trials, 4 workers with 8 slots | local: wall, CPU, memory | engine: wall | coordinator: CPU, memory | workers: CPU | server: CPU | CPU per trial over local, without the server |")
    print("|---|---|---|---|---|---|---|")
    for cases, local, wall, coordinator, of_workers, of_server, memory in rows:
        over = (coordinator + of_workers - local[1]) / cases * 1e6
        print(f"| {cases:,} | {local[0]:.2f} s, {local[1]:.2f} s, {local[2]:.0f} MB | {wall:.2f} s | "
              f"{coordinator:.2f} s, {memory:.0f} MB | {of_workers:.2f} s | {of_server:.2f} s | {over:.0f} µs |")

    slots = workers(4, 25)
    folder = project("slow", 1000, {"response": "right", "delay_ms": 50})
    ideal = 1000 * 0.05 / 100
    wall, _, _ = run(folder, "--engine", url)
    records = [json.loads(line) for line in open(next((folder / ".agentv/results").iterdir()) / "results.jsonl")]
    moments = sorted(record["timestamp"] for record in records)
    print()
    print("| 1,000 trials of 50 ms, 100 slots in total | seconds | × ideal |")
    print("|---|---|---|")
    print(f"| ideal | {ideal:.2f} | 1 |")
    def seconds(text):
        import datetime
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    work = seconds(moments[-1]) - seconds(moments[0]) + 0.05
    print(f"| first trial begun to last result | {work:.2f} | {work / ideal:.2f} |")
    print(f"| the whole command | {wall:.2f} | {wall / ideal:.2f} |")
    end(slots)
finally:
    for process in processes:
        process.kill()
        process.wait()
    shutil.rmtree(root, ignore_errors=True)
PYTHON
