def short(output, context):
    print("words of the check go to stderr")
    return {"pass": len(output) < context["config"]["most"], "score": 0.5, "reason": "is short"}
