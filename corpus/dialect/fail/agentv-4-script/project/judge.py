import json, sys

case = json.load(sys.stdin)
expected = case["expected_output"]
reference = expected[-1]["content"] if expected else case["config"]["city"]
print(json.dumps({"assertions": [
    {"text": "names the city", "passed": case["config"]["city"] in case["output"], "evidence": case["criteria"]},
    {"text": "equals the reference", "passed": case["output"] == reference},
]}))
