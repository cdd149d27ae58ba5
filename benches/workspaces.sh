#!/usr/bin/env bash
# Compares workspaces with `cp -r`: time and disk of 100 trials over a repository of 10,000 files.
# Usage: benches/workspaces.sh [AGENTV] [TRIALS] [FILES] [PART…] (parts: copied, removed, kept; default: all)
set -euo pipefail
agentv=${1:-$(dirname "$0")/../target/dist/agentv}
agentv=$(realpath "$agentv")
trials=${2:-100}
files=${3:-10000}
parts=" ${*:4} "
[ "$parts" != "  " ] || parts=" copied removed kept "
# On the file system that workspaces use by default.
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/agentv-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p project/shop spaces copies
for ((number = 0; number < files; number++)); do
  place=project/shop/$((number / 100))
  ((number % 100)) || mkdir "$place"
  printf 'export const value%d = %d;\n%.0s' "$number" "$number" {1..20} > "$place/$number.js"
done
cat > project/targets.yaml << 'END'
targets: [{name: default, provider: cli, command: [sh, -c, 'echo 1 >> 0/0.js; echo done'], workers: 4}]
END
cat > project/cases.yaml << 'END'
workspace: {from: shop, keep: KEEP}
evalcases: [{id: a, outcome: x, input: y, evaluators: [{type: file_changes, max_files: 1}]}]
END
disk() { du -s --block-size=1M "$1" | cut -f 1; }
free() { df --output=avail --block-size=1M . | tail -n 1; }
seconds() {
  local begin=$EPOCHREALTIME
  "$@" > /dev/null
  LC_ALL=C awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - begin }'
}
copy_all() { for ((trial = 0; trial < trials; trial++)); do cp -r project/shop "copies/$trial"; done; }
run() { (cd project && rm -rf .agentv && AGENTV_WORKSPACES="$folder/spaces/here" "$agentv" run cases.yaml --trials "$trials" --quiet); }

if [[ $parts = *" copied "* ]]; then
  before=$(free)
  echo "cp -r               $(seconds copy_all) s, $((before - $(free))) MiB of disk, $(disk copies) MiB listed"
  rm -rf copies
fi
if [[ $parts = *" removed "* ]]; then
  sed -i 's/keep: [a-zA-Z]*/keep: never/' project/cases.yaml
  echo "removed after each  $(seconds run) s (copy, target, difference, grade and removal)"
fi
if [[ $parts = *" kept "* ]]; then
  sed -i 's/keep: [a-zA-Z]*/keep: always/' project/cases.yaml
  before=$(free)
  echo "all kept            $(seconds run) s, $((before - $(free))) MiB of disk, $(disk spaces) MiB listed"
fi
