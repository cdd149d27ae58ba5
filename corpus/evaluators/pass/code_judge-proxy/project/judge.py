import json, os, sys, urllib.error, urllib.request

url = os.environ["AGENTV_TARGET_PROXY_URL"]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(path, body=None, token=os.environ["AGENTV_TARGET_PROXY_TOKEN"]):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Authorization": "Bearer " + token})
    try:
        with opener.open(request) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


given = json.load(sys.stdin)
requests = [{"question": "Is it right?"}, {"question": given["question"], "target": "agent"}]
details = [
    ask("/info"),
    ask("/invoke", {"question": "Is it right?", "systemPrompt": "You are a critic", "evalCaseId": "asked"}),
    ask("/invokeBatch", {"requests": requests}),
    ask("/invokeBatch", {"requests": requests}),
    ask("/invoke", {"question": "And now?", "target": "nobody"}),
    ask("/info", token="guessed"),
    ask("/info")[1]["call_count"],
]
print(json.dumps({"score": 1, "details": details}))
