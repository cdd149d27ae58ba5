import json, sys
print(json.dumps({"found": json.load(sys.stdin)["query"]}))
