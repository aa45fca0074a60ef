#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over the sources of a build folder that changed since they last passed.

    clang_tidy.py CLANG_TIDY BUILD_FOLDER [--jobs N]

A source has passed when one with the same text after preprocessing, comments included, passed with
the same command, the same .clang-tidy and the same clang-tidy. What passed is remembered below
~/.cache (or XDG_CACHE_HOME), as ccache does, so that a fresh clone need not begin again.
"""

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cache_folder() -> Path:
    """Return where it is remembered what passed."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "outcore" / "clang-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def preprocessed(command: Sequence[str], folder: str) -> bytes:
    """Return the text that the compiler sees, with its comments and without this clone's path."""
    words = [word for word in command if word != "-c"]
    output = words.index("-o")
    del words[output : output + 2]
    text = subprocess.run(
        [*words, "-E", "-P", "-C"], cwd=folder, capture_output=True, check=True
    ).stdout
    return text.replace(os.fsencode(ROOT), b".")


class Linter:
    """One clang-tidy with one configuration."""

    def __init__(self, program: Path, build: Path) -> None:
        """Ask the program for its version."""
        self.program, self.build, self.cache = program, build, cache_folder()
        version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
        self.salt = version + (ROOT / ".clang-tidy").read_bytes()

    def lint(self, entry: dict[str, str]) -> str:
        """Return what is wrong with one source; nothing if it passes."""
        command = shlex.split(entry["command"])
        try:
            text = preprocessed(command, entry["directory"])
        except subprocess.CalledProcessError as error:
            return str(error.stderr.decode())
        words = " ".join(command).replace(str(ROOT), ".").encode()
        passed = self.cache / hashlib.sha256(self.salt + words + text).hexdigest()
        if passed.exists():
            return ""
        run = subprocess.run(
            [self.program, "-quiet", "-p", self.build, entry["file"]],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            return run.stdout + run.stderr
        passed.touch()
        return ""


def main() -> int:
    """Lint, print what is wrong, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clang_tidy", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    linter = Linter(options.clang_tidy, options.build)
    entries = [
        entry
        for entry in json.loads((options.build / "compile_commands.json").read_text())
        if not Path(entry["file"]).is_relative_to(options.build.resolve())  # generated
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        wrong = [complaint for complaint in pool.map(linter.lint, entries) if complaint]
    print("".join(wrong), end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
