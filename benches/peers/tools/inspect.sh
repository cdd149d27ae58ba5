# inspect-ai, from PyPI, with the OpenAI client that it requires.

export INSPECT_DISPLAY=none PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

title() { echo "inspect-ai 0.3.285"; }

install() {
  local packages=(inspect-ai==0.3.285 openai==3.49.0)
  [[ $(cat "$installed/installed" 2>/dev/null) == "${packages[*]}" ]] && return
  echo "installing ${packages[*]} into $installed" >&3
  rm -rf "$installed"
  python3 -m venv "$installed"
  "$installed/bin/pip" install --quiet "${packages[@]}" >"$installed.log" 2>&1 ||
    cannot "pip cannot install ${packages[*]}: $(tail -n 1 "$installed.log")"
  echo "${packages[*]}" >"$installed/installed"
}

size() { du -sb "$installed/lib" | cut -f 1; }

prepare() {
  dataset=cases.jsonl
  cat >suite.py <<'END'
from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


def sample(record):
    return Sample(id=record["id"], input=record["input"], target="Paris")


def town(*_):
    output = ModelOutput.from_content("mockllm/model", "Paris")
    # Without these, it counts tokens itself, and needs a file from the network for that.
    output.usage = ModelUsage(input_tokens=20, output_tokens=1, total_tokens=21)
    return output


@task
def cases(mock=False):
    model = get_model("mockllm/model", custom_outputs=town) if mock else None
    return Task(dataset=json_dataset("cases.jsonl", sample), solver=generate(), scorer=includes(), model=model)
END
}

program() { command=("$installed/bin/inspect" "$@"); }
limits() { command+=(--max-connections "$concurrency" --max-samples "$concurrency" --log-dir logs); }

version_command() { program --version; }
check_command() { cannot "it has no command that checks without running"; }
mock_command() {
  program eval suite.py -T mock=true
  limits
}
server_command() {
  program eval suite.py --model openai/model --model-base-url "$url/v1" -M responses_api=false
  limits
}
resume_command() {
  program eval-retry logs/*.eval
  limits
}

# Prints results, distinct cases, passed cases, the total in the log, and the median latency in the log.
counts() {
  "$installed/bin/python" - logs <<'END'
import glob, math, os, statistics, sys

from inspect_ai.log import read_eval_log, read_eval_log_samples

newest = max(glob.glob(f"{sys.argv[1]}/*.eval"), key=os.path.getmtime)
header = read_eval_log(newest, header_only=True)
if header.status != "success":
    sys.exit(f"its log says {header.status}: {header.error.message if header.error else ''}")
ids, passed, times = [], 0, []
for sample in read_eval_log_samples(newest):
    ids.append(sample.id)
    passed += sample.scores["includes"].value == "C"
    times += [event.working_time * 1000 for event in sample.events if event.event == "model" and event.working_time]
accuracy = header.results.scores[0].metrics["accuracy"].value
told = round(accuracy * header.results.completed_samples)
print(len(ids), len(set(ids)), passed, told, statistics.median(times) if times else "null")
END
}
