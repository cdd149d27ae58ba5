#!/usr/bin/env bash
# Measures the cost of a run, beside a bare client and a load generator, and checks the claims.
#
#   benches/run.sh [--long] [--runs N]
#
#   --long    also run 1,000,000 cases, to measure memory
#   --runs N  take the best of N runs (default: 3)
#
# AGENTV=PATH measures that binary, and TOOLS=FOLDER uses the testkit's programs in that folder, instead of
# building them. The load generator is `wrk` if it is installed, otherwise the testkit's `bare-client`. Prints
# Markdown on stdout. Exits with 1 if a claim does not hold, and with 2 if it could not be measured.
set -Eeuo pipefail
trap 'echo "error: benches/run.sh stopped at line $LINENO" >&2; exit 2' ERR
[[ -z ${AGENTV:-} ]] || AGENTV=$(realpath "$AGENTV")
[[ -z ${TOOLS:-} ]] || TOOLS=$(realpath "$TOOLS")
cd "$(dirname "$0")/.."

long=false runs=3
while (($#)); do
  case $1 in
    --long) long=true ;;
    --runs) runs=${2:?--runs needs a number}; shift ;;
    *) echo "error: unknown argument \`$1\`" >&2; exit 2 ;;
  esac
  shift
done
command -v node >/dev/null || { echo "error: Node.js is needed to print the tables, and is not installed" >&2; exit 2; }

dist=$(realpath -m "${CARGO_TARGET_DIR:-target}/dist")
[[ -n ${TOOLS:-} ]] || cargo build --profile dist --quiet -p agentv-testkit --bins
[[ -n ${AGENTV:-} ]] || cargo build --profile dist --quiet -p agentv
agentv=${AGENTV:-$dist/agentv} tools=${TOOLS:-$dist}
data=$(realpath -m benches/data/run)
rm -rf "$data"
mkdir -p "$data"
results=$data/measured.jsonl
servers=()
trap '((${#servers[@]} == 0)) || kill "${servers[@]}" 2>/dev/null || true' EXIT

note() { # JSON
  printf '%s\n' "$1" >>"$results"
}

measure() { # LABEL COMMAND…
  local label=$1
  shift
  echo "measuring $label" >&2
  "$tools/measure" --label "$label" -- "$@" >>"$results" 2>"$data/stderr" || { cat "$data/stderr" >&2; return 1; }
}

# Creates a folder for a dataset: the cases, and a sidecar that grades them.
project() { # NAME CASES CONTAINS
  local folder=$data/$1
  # `.git` marks the project root.
  mkdir -p "$folder/.git"
  "$tools/generate-cases" --cases "$2" --shape plain "$folder/cases.jsonl" >&2
  printf 'evaluators:\n  - contains: %s\n' "$3" >"$folder/cases.yaml"
}

serve() { # LABEL ARGUMENT…: sets `address`
  local log=$data/server-$1
  shift
  "$tools/model-server" --answer Paris "$@" >"$log" &
  servers+=($!)
  for _ in {1..500}; do
    address=$(sed -n 's/^listening on //p' "$log")
    [[ -n $address ]] && return
    sleep 0.01
  done
  echo "error: the model server does not start" >&2
  return 1
}

target() { # NAME ADDRESS
  cat >"$data/$1/targets.yaml" <<END
targets:
  - name: server
    provider: openai
    model: model
    base_url: $2/v1
END
}

totals() { # LABEL NAME: notes the totals of the newest run
  local run
  run=$(find "$data/$2/.agentv/results" -mindepth 1 -maxdepth 1 | sort | tail -n 1)
  node -e '
    const [label, file] = process.argv.slice(1);
    const { totals } = JSON.parse(require("fs").readFileSync(file));
    console.log(JSON.stringify({ label, trials: totals.trials, errors: totals.statuses.error, latency: totals.latency }));
  ' "$1" "$run/run.json" >>"$results"
}

# 1. The cost of a case in a complete run: read, answered, graded, written twice.
project mock 100000 Mock
for ((run = 0; run < runs; run++)); do
  rm -rf "$data/mock/.agentv/results"
  measure "mock 100000" "$agentv" run "$data/mock/cases.jsonl" --target mock --quiet
done
totals "mock totals" mock
if $long; then
  project mock-long 1000000 Mock
  measure "mock 1000000" "$agentv" run "$data/mock-long/cases.jsonl" --target mock --quiet
  rm -rf "$data/mock-long"
fi

# 2. The cost of grading a run again, beside the run itself, with five checks per case.
project grade 100000 Paris
cat >"$data/grade/cases.yaml" <<'END'
evaluators:
  - contains: Paris
  - regex: '"population": [0-9]+'
  - starts_with: '{'
  - {type: is_json}
  - {type: similarity, metric: levenshtein, value: '{"city": "Lyon", "country": "France", "population": 520774}'}
END
cat >"$data/grade/targets.yaml" <<'END'
targets:
  - {name: town, provider: mock, response: '{"city": "Paris", "country": "France", "population": 2102650}'}
END
for ((run = 0; run < runs; run++)); do
  rm -rf "$data/grade/.agentv/results"
  measure "grade run" "$agentv" run "$data/grade/cases.jsonl" --target town --quiet
  measure "grade 100000" "$agentv" grade "$(find "$data/grade/.agentv/results" -mindepth 1 -maxdepth 1)" --quiet
done
totals "grade totals" grade
# The cost of reports on the results of 100,000 cases, and of a comparison of the two runs.
mapfile -t graded < <(find "$data/grade/.agentv/results" -mindepth 1 -maxdepth 1 | sort)
for ((run = 0; run < runs; run++)); do
  for format in html junit markdown json csv; do
    measure "report $format" "$agentv" report "${graded[0]}" --format "$format" -o "$data/grade/report.$format"
  done
  measure "compare" "$agentv" compare "${graded[@]}"
done

# 3. A server that takes 50 ms per request, 100 requests at a time: half a second at best. The start of the
# program is measured with a run of one case.
project start 1 Mock
project slow 1000 Paris
serve slow --latency-ms 50
target slow "$address"
for ((run = 0; run < runs; run++)); do
  rm -rf "$data/start/.agentv/results" "$data/slow/.agentv/results"
  measure "start" "$agentv" run "$data/start/cases.jsonl" --target mock --quiet
  measure "slow run" "$agentv" run "$data/slow/cases.jsonl" --target server --workers 100 --quiet
  totals "slow totals" slow
  if command -v wrk >/dev/null; then
    cat >"$data/post.lua" <<'END'
wrk.method = "POST"
wrk.body = '{"model":"model","messages":[{"role":"user","content":"What is the capital of France?"}]}'
wrk.headers["Content-Type"] = "application/json"
END
    p50=$(wrk -t1 -c100 -d1s --latency -s "$data/post.lua" "$address/v1/chat/completions" | awk '$1 == "50%" { print $2 }')
    note "{\"label\":\"slow load\",\"by\":\"wrk\",\"p50\":\"$p50\"}"
  else
    note "{\"label\":\"slow load\",\"by\":\"bare-client\",\"bare\":$("$tools/bare-client" "$address" --requests 1000 --concurrency 100)}"
  fi
done

# 4. A fast server, 2,000 requests at a time, beside a bare reqwest loop with the same bodies.
project fast 30000 Paris
serve fast
target fast "$address"
for ((run = 0; run < runs; run++)); do
  rm -rf "$data/fast/.agentv/results"
  note "{\"label\":\"fast bare\",\"bare\":$("$tools/bare-client" "$address" --dataset "$data/fast/cases.jsonl" --requests 30000 --concurrency 2000)}"
  measure "fast run" "$agentv" run "$data/fast/cases.jsonl" --target server --workers 2000 --quiet
  totals "fast totals" fast
done

# 5. The memory of 5,000 requests in flight, to a server that takes 200 ms.
project many 20000 Paris
# Each request in flight is an open file of ours and one of the server.
ulimit -n "$(ulimit -H -n)"
serve many --latency-ms 200
target many "$address"
for ((run = 0; run < runs; run++)); do
  rm -rf "$data/many/.agentv/results"
  measure "many run" "$agentv" run "$data/many/cases.jsonl" --target server --workers 5000 --quiet
  totals "many totals" many
done

trap - ERR
node benches/run-report.mjs "$results"
