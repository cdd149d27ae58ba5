import json, sys

given = json.load(sys.stdin)
results = given["results"]
print(json.dumps({
    "score": max(result["score"] for result in results.values()),
    "reasoning": f"the best of {', '.join(results)}",
    "details": {"misses": results["river"]["misses"], "answered": given["candidate_answer"]},
}))
