#!/usr/bin/env bash
# Compares workspaces with `cp -r`: time and disk of 100 trials over a repository of 10,000 files.
# Usage: benches/workspaces.sh [AGENTV] [TRIALS] [FILES] [PART…] (parts: copied, removed, kept; default: all)
#
# Runs unattended, in TMPDIR (default: /var/tmp, where workspaces are by default). All trials together need about 4 GiB of
# disk for each part. Each part ends before the next begins, and dirty pages are written (`sync`) in between, so that one
# part does not pay for another. TMPDIR=/dev/shm measures without a disk.
set -euo pipefail
agentv=${1:-$(dirname "$0")/../target/dist/agentv}
agentv=$(realpath "$agentv")
trials=${2:-100}
files=${3:-10000}
parts=" ${*:4} "
[ "$parts" != "  " ] || parts=" copied removed kept "
folder=$(mktemp -d "${TMPDIR:-/var/tmp}/agentv-bench-XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p project/shop spaces
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
# Prints the seconds of a command, and the seconds of CPU that it took.
seconds() {
  local begin=$EPOCHREALTIME cpu
  cpu=$({ TIMEFORMAT='%U %S'; time "$@" > /dev/null 2> "$folder/stderr"; } 2>&1) || { cat "$folder/stderr" >&2; exit 1; }
  LC_ALL=C awk -v begin="$begin" -v end="$EPOCHREALTIME" -v cpu="$cpu" \
    'BEGIN { split(cpu, used); printf "%.1f s (CPU: %.1f s user, %.1f s system)", end - begin, used[1], used[2] }'
}
copy_all() { for ((trial = 0; trial < trials; trial++)); do cp -r project/shop "copies/$trial"; done; }
remove_all() { rm -rf copies; }
run() { (cd project && rm -rf .agentv && AGENTV_WORKSPACES="$folder/spaces/here" "$agentv" run cases.yaml --trials "$trials" --quiet); }

echo "$trials trials, $files files, in $folder ($(df --output=fstype . | tail -n 1))"
if [[ $parts = *" copied "* ]]; then
  mkdir copies
  sync -f .
  before=$(free)
  echo "cp -r               $(seconds copy_all), $((before - $(free))) MiB of disk, $(disk copies) MiB listed"
  sync -f .
  echo "rm -rf              $(seconds remove_all)"
  sync -f .
fi
if [[ $parts = *" removed "* ]]; then
  sed -i 's/keep: [a-zA-Z]*/keep: never/' project/cases.yaml
  echo "removed after each  $(seconds run): copy, target, difference, grade and removal"
  sync -f .
fi
if [[ $parts = *" kept "* ]]; then
  sed -i 's/keep: [a-zA-Z]*/keep: always/' project/cases.yaml
  before=$(free)
  echo "all kept            $(seconds run), $((before - $(free))) MiB of disk, $(disk spaces) MiB listed"
fi
