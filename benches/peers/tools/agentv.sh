# agentv itself, built from this repository.

title() { "$AGENTV" --version; }

install() { :; }

size() { stat --format %s "$AGENTV"; }

prepare() {
  # `.git` marks the project root.
  mkdir .git
  dataset=cases.jsonl
  printf 'evaluators:\n  - contains: Paris\n' >cases.yaml
  cat >targets.yaml <<END
targets:
  - {name: town, provider: mock, response: Paris}
  - {name: server, provider: openai, model: model, base_url: '${url:-http://127.0.0.1:9}/v1'}
END
}

version_command() { command=("$AGENTV" --version); }
check_command() { command=("$AGENTV" validate cases.jsonl); }
mock_command() { command=("$AGENTV" run cases.jsonl --target town --quiet); }
server_command() { command=("$AGENTV" run cases.jsonl --target server --workers "$concurrency" --quiet); }
resume_command() { command=("$AGENTV" run cases.jsonl --target server --workers "$concurrency" --quiet --resume); }

# Prints results, distinct cases, passed cases, the total in the log, and the median latency in the log.
counts() {
  python3 - .agentv/results/* <<'END'
import json, sys

(run,) = sys.argv[1:]
results = [json.loads(line) for line in open(f"{run}/results.jsonl")]
totals = json.load(open(f"{run}/run.json"))["totals"]
passed = sum(result["status"] == "pass" for result in results)
cases = {result["eval_id"] for result in results}
print(len(results), len(cases), passed, totals["statuses"]["pass"], totals["latency"]["median_ms"])
END
}
