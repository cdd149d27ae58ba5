"""An MCP server with a few tools, on stdin and stdout, or at an address with --http FILE (which gets its URL)."""
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOLS = [
    {"name": "weather", "description": "Returns the weather.", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}},
    {"name": "broken", "inputSchema": {"type": "object"}},
    {"name": "refused", "inputSchema": {"type": "object"}},
    {"name": "crash", "inputSchema": {"type": "object"}},
    {"name": "slow", "inputSchema": {"type": "object"}},
]


def call(name, arguments):
    if name == "weather":
        return {"result": {"content": [{"type": "text", "text": "  12 degrees for " + json.dumps(arguments) + "\n"}]}}
    if name == "broken":
        return {"result": {"content": [{"type": "text", "text": "the sensor is broken"}], "isError": True}}
    if name == "refused":
        return {"error": {"code": -32602, "message": "no such place"}}
    if name == "crash":
        print("out of memory", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "slow":
        time.sleep(3600)
    return {"error": {"code": -32602, "message": "unknown tool " + name}}


def answer(message):
    """Returns the answer to a message, or None for a notification."""
    if "id" not in message:
        return None
    method = message["method"]
    if method == "initialize":
        said = {"result": {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}}}
    elif method == "tools/list":
        said = {"result": {"tools": TOOLS}}
    elif method == "tools/call":
        said = call(message["params"]["name"], message["params"].get("arguments"))
    else:
        said = {"error": {"code": -32601, "message": "no such method"}}
    return {"jsonrpc": "2.0", "id": message["id"], **said}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers.get("x-team") != "evals":
            return self.reply(403, b"who are you?")
        said = answer(message)
        self.reply(202, b"") if said is None else self.reply(200, json.dumps(said).encode())

    def do_GET(self):
        self.reply(405, b"")

    do_DELETE = do_GET

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if sys.argv[1:2] == ["--http"]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open(sys.argv[2] + ".new", "w") as file:
        file.write(f"http://127.0.0.1:{server.server_port}/mcp")
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    server.serve_forever()
else:
    if len(sys.argv) > 1:
        open(sys.argv[1], "a").write(f"{os.getpid()}\n")
    for line in sys.stdin:
        said = answer(json.loads(line))
        if said is not None:
            print(json.dumps(said), flush=True)
