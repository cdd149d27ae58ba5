def call_api(prompt, options, context):
    print("not part of the answer")
    return {"output": prompt, "tokenUsage": {"prompt": 3, "completion": 2}}


async def whisper(prompt, options, context):
    return {"output": {"text": prompt.lower()}}
