# AgentV for TypeScript, from npm.

export AGENTV_NO_UPDATE_CHECK=1 PEERS_MODEL=model PEERS_URL
# Its maximum.
workers=50

title() { echo "AgentV (TypeScript) 4.42.4"; }

install() { npm_install "$installed" agentv@4.42.4; }

size() { du -sb "$installed/node_modules" | cut -f 1; }

prepare() {
  PEERS_URL=${url:-http://127.0.0.1:9}/v1
  dataset=cases.jsonl
  # Its own name for the expected outcome. Ours would print a warning per case.
  sed -i 's/"expected_outcome"/"criteria"/' cases.jsonl
  printf 'tests: ./cases.jsonl\nassertions:\n  - type: contains\n    value: Paris\n' >suite.yaml
  mkdir .agentv
  cat >.agentv/targets.yaml <<'END'
targets:
  - {name: town, provider: mock, response: Paris}
  - name: server
    provider: openai
    api_format: chat
    base_url: ${{ PEERS_URL }}
    api_key: ${{ OPENAI_API_KEY }}
    model: ${{ PEERS_MODEL }}
END
}

program() { command=("$installed/node_modules/.bin/agentv" "$@"); }
evaluate() { program eval run suite.yaml --workers "$workers" --no-cache --output run "$@"; }

version_command() { program --version; }
check_command() { program validate suite.yaml; }
mock_command() { evaluate --target town; }
server_command() { evaluate --target server; }
resume_command() { evaluate --target server --resume; }

# Prints results, distinct cases, passed cases, the total in the log, and the median latency in the log.
counts() {
  python3 - run <<'END'
import json, statistics, sys

(run,) = sys.argv[1:]
results = [json.loads(line) for line in open(f"{run}/index.jsonl")]
benchmark = json.load(open(f"{run}/benchmark.json"))
passed = sum(result["execution_status"] == "ok" and result["score"] == 1 for result in results)
cases = {result["test_id"] for result in results}
(summary,) = benchmark["run_summary"].values()
told = round(summary["pass_rate"]["mean"] * len(benchmark["metadata"]["tests_run"]))
# Results that were written before a kill lack these files.
paths = [f"{run}/{result['timing_path']}" for result in results if "timing_path" in result]
times = [json.load(open(path))["duration_ms"] for path in paths]
print(len(results), len(cases), passed, told, statistics.median(times) if times else "null")
END
}
