#!/usr/bin/env bash
# Measures the view on a generated run of a million trials, its index and its page in a real Chromium, and checks the
# claims.
#
#   benches/view.sh [TRIALS] [FOLDER]
#
# Writes about 1 GB to FOLDER (default: a temporary folder). Prints the figures on stdout. Exits with 1 if a claim
# does not hold: 10⁶ records are indexed in 3 s, the first rows are shown in 1 s, filters take 300 ms, and memory stays
# below 200 MiB. `PAGE=no` measures only the index.
set -Eeuo pipefail
trap 'echo "error: benches/view.sh stopped at line $LINENO" >&2; exit 2' ERR
cd "$(dirname "$0")/.."

trials=${1:-1000000}
folder=${2:-$(mktemp -d)}
[[ -n ${2:-} ]] || trap 'rm -rf "$folder"' EXIT
cargo build --profile dist --quiet -p agentv-view --examples
page=$(realpath -m "${CARGO_TARGET_DIR:-target}/dist/examples/measure_page")
program=$(realpath -m "${CARGO_TARGET_DIR:-target}/dist/examples/measure_index")
figures=$("$program" "$folder" "$trials")
echo "$figures"
echo "$figures" | awk '
  /^build:/ && $2 > 3000 { print "not met: building takes " $2 " ms"; bad = 1 }
  /^(status|evaluator|score|target|tool|question 123456|nothing at all|arrives):/ { time = $(NF - 1); if (time > 300) { print "not met: " $0; bad = 1 } }
  /^peak:/ && $2 > 200 { print "not met: " $2 " MiB"; bad = 1 }
  END { exit bad }'
[[ ${PAGE:-yes} == yes ]] || exit 0
figures=$("$page" "$folder" "$trials")
echo "$figures"
echo "$figures" | awk '
  /^first rows, with/ && !/without/ && $(NF - 1) > 1000 { print "not met: " $0; bad = 1 }
  /^(status|target|tool|text)/ { sub(/ms,.*/, "ms"); if ($(NF - 1) > 300) { print "not met: " $0; bad = 1 } }
  /^peak/ && $(NF - 1) > 200 { print "not met: " $0; bad = 1 }
  END { exit bad }'
