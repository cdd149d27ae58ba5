import re


async def has_price(output, context):
    return bool(re.search(r"\d", output))


def get_assert(output, context):
    return "free" in output
