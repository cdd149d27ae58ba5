#!/usr/bin/env python3
"""Writes prices.csv: what the vendors of models ask per million tokens, and which models take images.

The figures are those that the Python package `litellm` carries. Without an argument the newest
version is downloaded with pip; a path to a wheel, or to the JSON file inside it, is taken as it is.
"""

import csv
import datetime
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile
from decimal import Decimal

TABLE = "litellm/model_prices_and_context_window_backup.json"
TARGET = pathlib.Path(__file__).resolve().parent / "prices.csv"

# The vendor's name in the package, and ours.
VENDORS = {
    "anthropic": "anthropic",
    "azure": "azure",
    "bedrock": "bedrock",
    "bedrock_converse": "bedrock",
    "deepseek": "deepseek",
    "fireworks_ai": "fireworks",
    "gemini": "gemini",
    "groq": "groq",
    "mistral": "mistral",
    "openai": "openai",
    "openrouter": "openrouter",
    "text-completion-openai": "openai",
    "together_ai": "together",
    "xai": "xai",
}
MODES = ("chat", "responses")
# The prices of requests with a long input are those of its largest part that has one.
LONG = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
COSTS = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
)


def read(argument):
    """The table of the package, and the name of the file that it stood in."""
    path = pathlib.Path(argument)
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8")), path.name
    with zipfile.ZipFile(path) as wheel:
        return json.loads(wheel.read(TABLE)), "-".join(path.name.split("-")[:2])


def download(folder):
    """The newest wheel of the package."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "litellm"]
    subprocess.run(command, cwd=folder, check=True)
    return next(pathlib.Path(folder).glob("litellm-*.whl"))


def per_million(entry, field):
    """A price per million tokens, without the noise of binary fractions; empty if there is none."""
    cost = entry.get(field)
    if cost is None:
        return ""
    price = (Decimal(repr(float(cost))) * 1_000_000).quantize(Decimal("1e-6")).normalize()
    return format(price, "f")


def images(entry):
    """yes, no, or empty if the package does not say."""
    return {True: "yes", False: "no"}.get(entry.get("supports_vision"), "")


def long_input(entry):
    """The number of input tokens above which other prices hold, and those prices; five empty cells if there is none."""
    limits = [int(found[1]) for field in entry if (found := LONG.fullmatch(field))]
    if not limits:
        return [""] * 5
    limit = min(limits)
    prices = [per_million(entry, f"{field}_above_{limit}k_tokens") for field in COSTS]
    return [str(limit * 1000), *prices] if all(prices[:2]) else [""] * 5


def model_of(name, package_vendor):
    """The model's name without the vendor's, or None for a copy that differs by region only."""
    prefixes = (f"{package_vendor}/", f"{VENDORS[package_vendor]}/")
    model = next((name.removeprefix(p) for p in prefixes if name.startswith(p)), name)
    regional = VENDORS[package_vendor] in ("azure", "bedrock") and "/" in model
    return None if regional else model


def rows(table):
    """Vendor, model, the four prices, images, and the prices of long inputs, of every model that has prices."""
    found = {}
    for name, entry in table.items():
        package_vendor = entry.get("litellm_provider")
        if package_vendor not in VENDORS or entry.get("mode") not in MODES:
            continue
        model = model_of(name, package_vendor)
        prices = [per_million(entry, field) for field in COSTS]
        if model and any(price not in ("", "0") for price in prices[:2]) and all(prices[:2]):
            found[VENDORS[package_vendor], model.lower()] = [*prices, images(entry), *long_input(entry)]
    return [(*key, *found[key]) for key in sorted(found)]


def write(lines, source):
    """The file with its header."""
    text = io.StringIO()
    text.write("# US dollars per million tokens. Written by update.py.\n")
    text.write(f"# Source: {source} (PyPI, MIT licence), {datetime.date.today().isoformat()}.\n")
    writer = csv.writer(text, lineterminator="\n")
    prices = ("input", "output", "cached_input", "cache_write")
    writer.writerow(("vendor", "model", *prices, "images", "above", *(f"{name}_above" for name in prices)))
    writer.writerows(lines)
    TARGET.write_text(text.getvalue(), encoding="utf-8")


def main():
    if len(sys.argv) > 1:
        table, source = read(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            table, source = read(download(folder))
    lines = rows(table)
    write(lines, source)
    print(f"{len(lines)} models from {source}")


if __name__ == "__main__":
    main()
