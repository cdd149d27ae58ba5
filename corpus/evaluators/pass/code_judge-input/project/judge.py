import json
import sys

seen = json.load(sys.stdin)
with open(f"seen-{seen['eval_id']}.json", "w") as out:
    # Durations differ from run to run.
    seen["trace_summary"].pop("duration_ms", None)
    json.dump(seen, out, indent=1)
    out.write("\n")
print(json.dumps({"score": 1 if None not in seen.values() else 0}))
