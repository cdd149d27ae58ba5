"""An MCP server at an address whose tools break off, cut a character in half, or end the server. Its URL goes to a file."""
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HALF = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"cut \\ud83d"}]}}'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message:
            return self.reply(202, b"")
        if message["method"] == "initialize":
            result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}}
        elif message["method"] == "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ["half", "half_event", "cuts", "ends", "dies"]]}
        else:
            return self.call(message["params"]["name"], message["id"])
        self.reply(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def call(self, name, id):
        if name == "half":
            self.reply(200, HALF % id)
        elif name == "half_event":
            self.reply(200, b"event: message\ndata: " + HALF % id + b"\n\n", "text/event-stream")
        elif name == "cuts":
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "100")
            self.end_headers()
            self.wfile.write(b'{"jsonrpc"')
            self.close_connection = True
        elif name == "ends":
            self.reply(200, b": a comment, and no answer\n\n", "text/event-stream")
        else:
            os._exit(1)

    def do_GET(self):
        self.reply(405, b"")

    do_DELETE = do_GET

    def reply(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as file:
    file.write(f"http://127.0.0.1:{server.server_port}/mcp")
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
