import json, sys

case = json.load(sys.stdin)
scope = {}
try:
    exec(case["question"] + case["candidate_answer"], scope)
    exec(case["test"], scope)
    scope["check"](scope[case["entry_point"]])
    score = 1
except Exception:
    score = 0
print(json.dumps({"score": score}))
