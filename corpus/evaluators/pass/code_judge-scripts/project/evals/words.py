import json, sys

given = json.load(sys.stdin)
most = given["config"]["maxWords"]
count = len(given["candidate_answer"].split())
fits = count <= most
print(json.dumps({
    "score": 1 if fits else most / count,
    "hits": ["short enough"] if fits else [],
    "misses": [] if fits else [f"{count} words, {most} allowed"],
    "reasoning": given["expected_outcome"],
    "details": {"wordCount": count, "a_list": [None, True, 0.1, {"Zebra": 1, "apple": 2}], "keys": list(given)},
}))
