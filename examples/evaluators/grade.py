"""Grades an answer by its length. The option `letters` of the evaluator is the maximum."""

import json
import sys

case = json.load(sys.stdin)
letters = len(case["candidate_answer"])
most = case["config"]["letters"]
fits = letters <= most
print(json.dumps({
    "score": 1 if fits else most / letters,
    "hits": [f"{letters} letters"] if fits else [],
    "misses": [] if fits else [f"{letters} letters, more than {most}"],
}))
