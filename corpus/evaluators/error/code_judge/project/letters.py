import json
import sys

case = json.load(sys.stdin)
letters = len(case["candidate_answer"])
if letters == 0:
    sys.exit("there is no answer")
most = case["config"]["letters"]
print(json.dumps({
    "score": most / letters if letters != 1 else 7,
    "hits": ["short"] if letters <= most else [],
    "misses": ["long"] if letters > most else [],
    "reasoning": f"{letters} letters of {most}",
    "details": {"camelCase": case["config"]["expectedTone"], "nested": [1, None, {"b": 2, "a": 1}]},
}))
