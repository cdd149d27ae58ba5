#!/usr/bin/env bash
# Measures the cost of a case as files grow: 10,000 to 1,000,000 cases, or 10,000,000 with `--long`.
#
#   benches/scale.sh [--long] [--data FOLDER]
#
#   --long         also use 10,000,000 cases: 3 GB of cases, 16 GB of results, about half an hour
#   --data FOLDER  the folder for temporary files (default: benches/data/scale)
#
# For each size, this generates a JSONL file in which one case in a hundred fails, validates it, runs it on
# `mock`, and reports it in every format. Then it runs the file again, kills the run with SIGKILL halfway, and
# resumes it. It checks that every case has one result, and that the totals are right. AGENTV=PATH measures
# that binary, and TOOLS=FOLDER uses the testkit's programs in that folder. Prints Markdown on stdout. Exits
# with 1 if a claim does not hold, and with 2 if it could not be measured.
set -Eeuo pipefail
trap 'echo "error: benches/scale.sh stopped at line $LINENO" >&2; exit 2' ERR
[[ -z ${AGENTV:-} ]] || AGENTV=$(realpath "$AGENTV")
[[ -z ${TOOLS:-} ]] || TOOLS=$(realpath "$TOOLS")
here=$PWD
cd "$(dirname "$0")/.."

sizes=(10000 100000 1000000) data=benches/data/scale
while (($#)); do
  case $1 in
    --long) sizes+=(10000000) ;;
    --data) data=$(cd "$here" && realpath -m "${2:?--data needs a folder}"); shift ;;
    *) echo "error: unknown argument \`$1\`" >&2; exit 2 ;;
  esac
  shift
done
command -v node >/dev/null || { echo "error: Node.js is needed to print the tables, and is not installed" >&2; exit 2; }

dist=$(realpath -m "${CARGO_TARGET_DIR:-target}/dist")
[[ -n ${TOOLS:-} ]] || cargo build --profile dist --quiet -p agentv-testkit --bins
[[ -n ${AGENTV:-} ]] || cargo build --profile dist --quiet -p agentv
agentv=${AGENTV:-$dist/agentv} tools=${TOOLS:-$dist}
mkdir -p "$data"
data=$(realpath "$data")
results=$data/measured.jsonl
: >"$results"

fail() {
  echo "error: $*" >&2
  exit 2
}

measure() { # SIZE WORK EXIT COMMAND…
  local label="$2 $1" exit=$3
  shift 3
  echo "measuring $label" >&2
  "$tools/measure" --label "$label" --exit "$exit" -- "$@" >>"$results" 2>"$data/stderr" || {
    cat "$data/stderr" >&2
    return 1
  }
}

run_folder() { # FOLDER
  find "$1/.agentv/results" -mindepth 1 -maxdepth 1
}

# Checks that every case has one result, and that one in a hundred failed.
check_run() { # SIZE RUN
  local distinct
  distinct=$(grep -o '"eval_id":"[^"]*"' "$2/results.jsonl" | LC_ALL=C sort -u -T "$data" | wc -l)
  [[ $distinct -eq $1 && $(wc -l <"$2/results.jsonl") -eq $1 ]] || fail "$2 has $distinct of $1 cases"
  node -e '
    const [size, file] = process.argv.slice(1);
    const { trials, statuses } = JSON.parse(require("fs").readFileSync(file)).totals;
    if (trials !== +size || statuses.fail !== size / 100 || statuses.pass !== size - size / 100) {
      console.error("error: wrong totals:", trials, statuses);
      process.exit(2);
    }
  ' "$1" "$2/run.json"
}

# Kills a run when it has written half as many bytes as the previous one.
kill_at_half() { # FOLDER BYTES
  local pid written=0 file
  "$agentv" run "$1/cases.jsonl" --target mock --quiet >/dev/null 2>&1 &
  pid=$!
  while ((written < $2 / 2)) && kill -0 $pid 2>/dev/null; do
    file=$(find "$1/.agentv/results" -name results.jsonl 2>/dev/null || true)
    [[ -z $file ]] || written=$(stat -c %s "$file")
  done
  kill -KILL $pid 2>/dev/null || fail "the run had ended before it was killed"
  wait $pid 2>/dev/null || true
}

one_size() { # SIZE
  local size=$1 folder=$data/$1 run bytes format
  rm -rf "$folder"
  # `.git` marks the project root.
  mkdir -p "$folder/.git"
  "$tools/generate-cases" --cases "$size" --shape plain /dev/stdout 2>/dev/null |
    awk '!/^\{/ { next } NR % 100 == 0 { sub(/^\{/, "{\"evaluators\":[{\"contains\":\"Paris\"}],") } 1' >"$folder/cases.jsonl"
  printf 'evaluators:\n  - contains: Mock\n' >"$folder/cases.yaml"

  measure "$size" validate 0 "$agentv" validate "$folder/cases.jsonl"
  measure "$size" run 1 "$agentv" run "$folder/cases.jsonl" --target mock --quiet
  run=$(run_folder "$folder")
  check_run "$size" "$run"
  for format in json junit markdown html; do
    measure "$size" "report $format" 0 "$agentv" report "$run" --format "$format" -o "$folder/report"
    rm "$folder/report"
  done
  bytes=$(stat -c %s "$run/results.jsonl")
  rm -rf "$folder/.agentv"
  kill_at_half "$folder" "$bytes"
  run=$(run_folder "$folder")
  measure "$size" "resume after a kill at half" 1 "$agentv" run "$folder/cases.jsonl" --target mock --quiet "--resume=$(basename "$run")"
  check_run "$size" "$run"
  rm -rf "$folder"
}

for size in "${sizes[@]}"; do
  one_size "$size"
done
trap - ERR
node benches/scale-report.mjs "$results"
