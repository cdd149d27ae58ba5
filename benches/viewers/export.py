"""Writes a run of agentv for another viewer: export.py promptfoo|inspect RUN FILE.

Writes what the viewer shows of a trial: question, expected answer, answer, score, verdict, reasons, cost and duration. A
file for promptfoo is for `promptfoo import`. A file for inspect is a log for `inspect view`; writing it needs inspect-ai.
"""

import json
import sys
from pathlib import Path


def records(run):
    """Yields the result of each trial with its case. Both files of a generated run are in the same order."""
    with open(run / "results.jsonl") as results, open(run / "transcripts.jsonl") as transcripts:
        for result, transcript in zip(results, transcripts):
            yield json.loads(result), json.loads(transcript)["case"]


def question(case):
    return next(one["content"] for one in reversed(case["input_messages"]) if one["role"] == "user")


def to_promptfoo(run, file):
    targets = {}
    rows = []
    for at, (result, case) in enumerate(records(run)):
        column = targets.setdefault(result["target"], len(targets))
        passed = result["status"] == "pass"
        grade = {
            "pass": passed,
            "score": result["score"],
            "reason": (result["misses"] or ["as expected"])[0],
            "namedScores": {},
            "componentResults": [
                {"pass": one["verdict"] == "pass", "score": one["score"], "reason": one["reasoning"]}
                for one in result["evaluator_results"]
            ],
        }
        rows.append({
            "id": f"00000000-0000-4000-8000-{at:012x}",
            "promptIdx": column,
            "testIdx": result["position"] - 1,
            "testCase": {"description": result["eval_id"], "vars": {"question": question(case)}, "assert": []},
            "promptId": result["target"],
            "provider": {"id": result["target"], "label": result["target"]},
            "prompt": {"raw": question(case), "label": "question"},
            "vars": {"question": question(case)},
            "response": {"output": result["candidate_answer"], "cost": result["trace_summary"]["cost_usd"]},
            "success": passed,
            "failureReason": 0 if passed else 1,
            "score": result["score"],
            "latencyMs": result["timing"]["total_ms"],
            "cost": result["trace_summary"]["cost_usd"],
            "namedScores": {},
            "gradingResult": grade,
            "metadata": {},
        })
    passes = sum(row["success"] for row in rows)
    metrics = {
        "score": sum(row["score"] for row in rows), "testPassCount": passes, "testFailCount": len(rows) - passes,
        "testErrorCount": 0, "assertPassCount": passes, "assertFailCount": len(rows) - passes, "totalLatencyMs": 0,
        "tokenUsage": {}, "namedScores": {}, "namedScoresCount": {}, "cost": sum(row["cost"] for row in rows),
    }
    prompts = [
        {"raw": "{{question}}", "label": "question", "id": name, "provider": name, "metrics": metrics} for name in targets
    ]
    stats = {"successes": passes, "failures": len(rows) - passes, "errors": 0, "tokenUsage": {}}
    results = {"version": 3, "timestamp": "2026-11-15T10:43:07.000Z", "prompts": prompts, "results": rows, "stats": stats}
    config = {"description": run.name, "prompts": ["{{question}}"], "providers": list(targets), "tests": []}
    with open(file, "w") as out:
        json.dump({"evalId": "eval-agentv-2026-11-15T10:43:07", "results": results, "config": config, "shareableUrl": None}, out)


def to_inspect(run, file):
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalResults, EvalSample, EvalScore, EvalMetric, EvalSpec
    from inspect_ai.log import write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ModelOutput
    from inspect_ai.scorer import Score

    def message(one):
        return ChatMessageSystem(content=one["content"]) if one["role"] == "system" else ChatMessageUser(content=one["content"])

    samples = []
    for result, case in records(run):
        answer = result["candidate_answer"]
        samples.append(EvalSample(
            id=f"{result['eval_id']}-{result['target']}",
            epoch=1,
            input=question(case),
            target=case["expected_outcome"],
            messages=[*map(message, case["input_messages"]), ChatMessageAssistant(content=answer)],
            output=ModelOutput.from_content(result["target"], answer),
            scores={
                one["name"]: Score(value=one["score"], answer=answer, explanation=one["reasoning"])
                for one in result["evaluator_results"]
            },
            total_time=result["timing"]["total_ms"] / 1000,
        ))
    mean = sum(sample.scores["tone"].value for sample in samples) / len(samples)
    score = EvalScore(name="tone", scorer="tone", metrics={"mean": EvalMetric(name="mean", value=mean)})
    spec = EvalSpec(
        created="2026-11-15T10:43:07+00:00", task="support", model="agentv/mock", config=EvalConfig(),
        dataset=EvalDataset(name="support", samples=len(samples)),
    )
    results = EvalResults(total_samples=len(samples), completed_samples=len(samples), scores=[score])
    write_eval_log(EvalLog(status="success", eval=spec, results=results, samples=samples), file)


if __name__ == "__main__":
    viewer, run, file = sys.argv[1:]
    {"promptfoo": to_promptfoo, "inspect": to_inspect}[viewer](Path(run), file)
