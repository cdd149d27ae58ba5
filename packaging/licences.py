#!/usr/bin/env python3
"""Prints the licences of all crates that the program is built from, each text once."""

import json
import pathlib
import subprocess
import sys

NAMES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT")


def used_packages(target):
    """Yields the packages of other people that the binary for a target contains."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    start = next(id for id, package in packages.items() if package["name"] == "agentv")
    seen, waiting = {start}, [start]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            kinds = {kind["kind"] for kind in dependency["dep_kinds"]}
            if None in kinds and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    chosen = (packages[id] for id in seen if packages[id]["source"])
    return sorted(chosen, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """Returns the licence files of a package."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(NAMES))
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def main():
    target = sys.argv[1]
    by_text = {}
    without = []
    for package in used_packages(target):
        name = f"{package['name']} {package['version']} ({package['license']})"
        found = texts(package)
        if not found:
            without.append(name)
        for text in found:
            by_text.setdefault(text, []).append(name)
    print("agentv contains these crates, under these licences.\n")
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        print("=" * 80, *names, "-" * 80, text, "", sep="\n")
    if without:
        print("=" * 80, "Crates without a licence file; their manifests name the licence:", *without, sep="\n")


main()
