#!/usr/bin/env python3
"""Writes the folders of the npm packages: one per platform, and `agentv-eval`, which chooses among them.

usage: npm.py VERSION OUT [PLATFORM-ARCH=PROGRAM]...
"""

import json
import pathlib
import shutil
import sys

# All packages that a release consists of. Those without a program here are built elsewhere.
PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"]
HERE = pathlib.Path(__file__).parent


def write(folder, package, files):
    folder.mkdir(parents=True, exist_ok=True)
    common = {"license": "MIT", "description": "Evaluates AI agents and prompts from files"}
    (folder / "package.json").write_text(json.dumps({**package, **common}, indent=2) + "\n")
    for name, source in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / name)


def main():
    version, out = sys.argv[1], pathlib.Path(sys.argv[2])
    programs = dict(argument.split("=", 1) for argument in sys.argv[3:])
    licences = {"LICENSE": HERE.parent / "LICENSE", "THIRD-PARTY-LICENSES.txt": out.parent / "THIRD-PARTY-LICENSES.txt"}
    for platform, program in programs.items():
        system, architecture = platform.split("-")
        name = f"agentv-eval-{platform}"
        package = {"name": name, "version": version, "os": [system], "cpu": [architecture], "preferUnplugged": True}
        write(out / name, package, {f"bin/{pathlib.Path(program).name}": program, **licences})
    package = {
        "name": "agentv-eval",
        "version": version,
        "bin": {"agentv": "agentv.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {f"agentv-eval-{platform}": version for platform in PLATFORMS},
    }
    write(out / "agentv-eval", package, {"agentv.js": HERE / "npm/agentv.js", "README.md": HERE.parent / "README.md", **licences})


main()
