# promptfoo, from npm.

export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_SHARING=1
export PROMPTFOO_DISABLE_REMOTE_GENERATION=1 PROMPTFOO_DISABLE_REDTEAM_REMOTE_GENERATION=1

title() { echo "promptfoo 0.123.1"; }

install() { npm_install "$installed" promptfoo@0.123.1; }

size() { du -sb "$installed/node_modules" | cut -f 1; }

prepare() {
  dataset=tests.jsonl
  python3 -c '
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps({"description": case["id"], "vars": {"input": case["input"]}}))
' <cases.jsonl >tests.jsonl
  # `echo` answers with its prompt.
  configuration echo 'Paris: {{input}}' >mock.yaml
  configuration "{id: 'openai:chat:model', config: {apiBaseUrl: '${url:-http://127.0.0.1:9}/v1'}}" '{{input}}' >server.yaml
}

configuration() { # PROVIDER PROMPT
  cat <<END
providers: [$1]
prompts: ['$2']
defaultTest: {assert: [{type: contains, value: Paris}]}
tests: file://tests.jsonl
END
}

program() { command=("$installed/node_modules/.bin/promptfoo" "$@"); }
evaluate() { program eval --max-concurrency "$concurrency" --no-cache --no-table --no-progress-bar --no-share "$@"; }

version_command() { program --version; }
check_command() { program validate config --config mock.yaml; }
mock_command() { evaluate --config mock.yaml; }
server_command() { evaluate --config server.yaml; }
resume_command() { evaluate --resume; }

# Prints results, distinct cases, passed cases, the total in the log, and the median latency in the log.
counts() {
  python3 - "$HOME/.promptfoo/promptfoo.db" <<'END'
import json, sqlite3, statistics, sys

database = sqlite3.connect(sys.argv[1])
newest, prompts = database.execute("select id, prompts from evals order by created_at desc limit 1").fetchone()
results = database.execute("select test_idx, success, latency_ms from eval_results where eval_id = ?", (newest,)).fetchall()
cases = {index for index, _, _ in results}
passed = sum(success for _, success, _ in results)
told = sum(prompt["metrics"]["testPassCount"] for prompt in json.loads(prompts))
print(len(results), len(cases), passed, told, statistics.median(latency for _, _, latency in results))
END
}
