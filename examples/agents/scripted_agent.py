"""A scripted agent: it does what Claude Code would do in this example, without a model and without a key.

It reads the prompt on stdin, works in its working directory, and prints the events of Claude Code
(`--output-format stream-json`), so that a target with `provider: claude-code` can run it.
"""

import json
import subprocess
import sys


PIECES = '''

def pieces(items):
    """Returns the number of pieces of all items."""
    return sum(count for price, count in items)
'''


def main():
    prompt = sys.stdin.read()
    emit({"type": "system", "subtype": "init", "model": "scripted", "session_id": "scripted",
          "claude_code_version": "0.0.0 (scripted)"})
    source = call(1, "Read", {"file_path": "cart.py"}, lambda: open("cart.py").read())
    if "pieces(items)" in prompt:
        changed, answer = source + PIECES, "I added `pieces` to `cart.py`."
    else:
        changed, answer = fixed(source), "I fixed two faults in `cart.py`, and the tests pass now."
    call(2, "Write", {"file_path": "cart.py", "content": changed}, lambda: write("cart.py", changed))
    call(3, "Bash", {"command": "python3 -m unittest -q"}, tests)
    say(4, answer)
    emit({"type": "result", "subtype": "success", "is_error": False, "num_turns": 4,
          "result": answer, "stop_reason": "end_turn",
          "duration_ms": 1, "total_cost_usd": 0.0021, "permission_denials": [],
          "usage": {"input_tokens": 400, "cache_read_input_tokens": 0, "output_tokens": 60}})


def fixed(source):
    source = source.replace("sum(price for", "sum(price * count for")
    return source.replace("amount - amount * percent // 100", "amount * (100 - percent) // 100")


def call(number, tool, arguments, run):
    """Calls a tool, as the model of an agent does."""
    block = {"type": "tool_use", "id": f"call-{number}", "name": tool, "input": arguments}
    emit({"type": "assistant", "message": {"id": f"message-{number}", "content": [block]}})
    output = run()
    result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": output, "is_error": False}
    emit({"type": "user", "message": {"content": [result]}})
    return output


def say(number, text):
    emit({"type": "assistant",
          "message": {"id": f"message-{number}", "content": [{"type": "text", "text": text}]}})


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return f"wrote {path}"


def tests():
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", "-q"], capture_output=True, text=True)
    return done.stderr.strip() or "OK"


def emit(event):
    print(json.dumps(event), flush=True)


main()
