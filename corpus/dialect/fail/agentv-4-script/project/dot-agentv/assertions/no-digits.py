import json, sys

case = json.load(sys.stdin)
print(json.dumps({"pass": case["config"]["strict"] and not any(c.isdigit() for c in case["output"])}))
