import json
print(json.dumps({"reasoning": "always", "better": "first"}))
