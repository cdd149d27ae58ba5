#!/usr/bin/env bash
# Measures how fast eval files load, beside a bare Node.js loop, and checks the claims.
#
#   benches/validate.sh [--long] [--runs N] [--size SIZE]
#
#   --long       also use a file ten times as long, to measure memory
#   --runs N     take the best of N runs (default: 3)
#   --size SIZE  the size of the JSONL file (default: 1GB)
#
# AGENTV=PATH measures that binary instead of building one. Prints Markdown on stdout. Exits with 1 if a
# claim does not hold, and with 2 if it could not be measured.
set -Eeuo pipefail
trap 'echo "error: benches/validate.sh stopped at line $LINENO" >&2; exit 2' ERR
[[ -z ${AGENTV:-} ]] || AGENTV=$(realpath "$AGENTV")
cd "$(dirname "$0")/.."

long=false runs=3 size=1GB
while (($#)); do
  case $1 in
    --long) long=true ;;
    --runs) runs=${2:?--runs needs a number}; shift ;;
    --size) size=${2:?--size needs a size}; shift ;;
    *) echo "error: unknown argument \`$1\`" >&2; exit 2 ;;
  esac
  shift
done
command -v node >/dev/null || { echo "error: Node.js is needed for the comparison, and is not installed" >&2; exit 2; }

data=benches/data
dist=${CARGO_TARGET_DIR:-target}/dist
mkdir -p "$data"
cargo build --profile dist --quiet -p agentv-testkit --bins
[[ -n ${AGENTV:-} ]] || cargo build --profile dist --quiet -p agentv
agentv=${AGENTV:-$dist/agentv}
results=$data/results.jsonl
: >"$results"

# Generates a file, unless it exists and is newer than the generator.
generate() { # OUT ARGUMENT…
  local out=$1
  shift
  [[ -e $out && $out -nt $dist/generate-cases ]] && return
  echo "generating $out" >&2
  rm -rf "$out" "$out.part"
  "$dist/generate-cases" "$@" "$out.part" >&2
  mv "$out.part" "$out"
  touch "$out"
}

measure() { # LABEL RUNS COMMAND…
  local label=$1 times=$2
  shift 2
  echo "measuring $label" >&2
  "$dist/measure" --label "$label" --runs "$times" -- "$@" >>"$results"
}

# Notes the length of a file. Reading it also puts it into the page cache.
note_file() { # LABEL FILE
  printf '{"label":"%s","bytes":%d,"cases":%d}\n' "$1" "$(wc -c <"$2")" "$(wc -l <"$2")" >>"$results"
}

# Checks that `validate` finds a fault at the very end: otherwise it has not read the whole file.
expect_fault() { # PATH
  local code=0
  "$agentv" validate "$1" >/dev/null 2>&1 || code=$?
  ((code == 1)) && return
  echo "error: validate of $1 exits with $code, although it has a fault" >&2
  return 1
}

file=$data/cases-$size.jsonl
generate "$file" --bytes "$size"
note_file file "$file"
for ((run = 0; run < runs; run++)); do
  measure "node parse" 1 node benches/node-parse.mjs "$file"
  measure "agentv validate" 1 "$agentv" validate "$file"
done
cp "$file" "$data/faulty.jsonl"
echo '{"id": "no-input", "expected_outcome": "a fault"}' >>"$data/faulty.jsonl"
expect_fault "$data/faulty.jsonl"
rm "$data/faulty.jsonl"

if $long; then
  number=${size%%[!0-9]*}
  file=$data/cases-${number}0${size#"$number"}.jsonl
  generate "$file" --bytes "${number}0${size#"$number"}"
  note_file "long file" "$file"
  measure "agentv validate long" 1 "$agentv" validate "$file"
fi

suites=$data/suites count=1000
generate "$suites" --suites "$count"
printf '{"label":"suites","count":%d}\n' "$count" >>"$results"
measure "agentv suites" "$runs" "$agentv" validate "$suites"
rm -rf "$data/faulty"
cp -r "$suites" "$data/faulty"
echo '  - id: no-input' >>"$data/faulty/suite-00999.yaml"
expect_fault "$data/faulty"
rm -rf "$data/faulty"

for ((round = 0; round < 5; round++)); do
  measure "node start" 10 node -e 0
  measure "agentv version" 10 "$agentv" --version
done

trap - ERR
node benches/report.mjs "$results"
