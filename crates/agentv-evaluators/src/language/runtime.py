# Reads {code | file, function, output, context} from stdin, runs the user's code, and prints its result.
import asyncio, importlib.util, inspect, json, os, sys, textwrap

stdout, sys.stdout = sys.stdout, sys.stderr
request = json.load(sys.stdin)


def inline(code):
    scope = {}
    code = textwrap.dedent(code).strip()
    body = code if "\n" in code else "return (" + code + "\n)"
    try:
        compiled = compile("def main(output, context):\n" + textwrap.indent(body, "    "), "<check>", "exec")
    except SyntaxError:
        if "\n" in code:
            raise
        compiled = compile("def main(output, context):\n    " + code, "<check>", "exec")
    exec("import json, math, os, re, statistics", scope)
    exec(compiled, scope)
    return scope["main"]


def from_file(path, name):
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("check", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name or "get_assert")


try:
    if request.get("file"):
        check = from_file(request["file"], request.get("function"))
    else:
        check = inline(request["code"])
    result = check(request["output"], request["context"])
    if inspect.isawaitable(result):
        result = asyncio.run(result)
except Exception as error:
    sys.exit(type(error).__name__ + ": " + str(error))
if not isinstance(result, (bool, int, float, str, dict, list, type(None))):
    result = dict(vars(result))
stdout.write(json.dumps({"result": result}))
stdout.flush()
