import json
import sys

results = json.load(sys.stdin)["results"]
print(json.dumps({"score": results["check"]["score"], "verdict": "fail", "misses": [" ".join(sys.argv[1:])]}))
