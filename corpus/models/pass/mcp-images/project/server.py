"""An MCP server with a tool whose result is a text and an image."""
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "map", "inputSchema": {"type": "object"}}]}
    else:
        result = {"content": [{"type": "text", "text": "You are here:"}, {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
