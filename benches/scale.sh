#!/usr/bin/env bash
# Measures what a case costs as files grow: 10,000 cases to 1,000,000, with `--long` to 10,000,000.
#
#   benches/scale.sh [--long] [--data FOLDER]
#
#   --long         also 10,000,000 cases: 3 GB of them, 16 GB of results, about half an hour
#   --data FOLDER  where files go, and are removed from again (default: benches/data/scale)
#
# At each size a JSONL file, one case in a hundred of which fails, is validated, run on `mock`, reported in
# every format, run again, killed with SIGKILL at half, and resumed. Counts are checked on the way: every
# case once, totals as they were made. AGENTV=PATH measures that binary, TOOLS=FOLDER uses the testkit's
# programs there. Prints Markdown on stdout; exits with 1 when a claim does not hold, with 2 when it could
# not be measured.
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
command -v node >/dev/null || { echo "error: Node.js makes the tables and is not here" >&2; exit 2; }

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

# Every case once, and one in a hundred failed.
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

# Kills a run when half of the bytes are there that the one before it wrote.
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
  # The project root is where `.git` is.
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
