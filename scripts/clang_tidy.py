#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over the sources of a build folder that changed since they last passed.

    clang_tidy.py CLANG_TIDY BUILD_FOLDER [--jobs N]

A source has passed if a source with the same text, including that of everything that it includes in
quotes, passed with the same command, .clang-tidy, clang-tidy and versions of our Debian packages.
Comments are no part of the text, except those that silence a check or close a namespace. What
passed is remembered below ~/.cache (or XDG_CACHE_HOME), as by ccache, so a fresh clone need not
start from nothing.
"""

import argparse
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMENT = re.compile(
    rb"(?:^[ \t]*//(?!.*NOLINT).*\n|[ \t]+//(?!.*NOLINT| namespace).*$)", re.MULTILINE
)
PACKAGES = ROOT / "scripts" / "debian-packages.txt"


def cache_folder() -> Path:
    """Return the folder that remembers what passed."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "outcore" / "clang-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def included(file: Path, folders: tuple[Path, ...]) -> tuple[bytes, tuple[Path, ...]]:
    """Return a file's text, and everything that it includes in quotes from these folders."""
    text = COMMENT.sub(b"", file.read_bytes())
    files = []
    for name in map(os.fsdecode, re.findall(rb'^#include "([^"]+)"', text, re.MULTILINE)):
        found = [folder / name for folder in (file.parent, *folders) if (folder / name).exists()]
        if not found:
            raise FileNotFoundError(f'{file}: it includes "{name}", which does not exist\n')
        files.append(found[0])
    return text, tuple(files)


def whole_text(source: Path, command: Sequence[str]) -> bytes:
    """Return the text of a source and of everything that it includes."""
    folders = tuple(Path(word[2:]) for word in command if word.startswith("-I"))
    seen, wanted = {}, [source]
    while wanted:
        file = wanted.pop()
        if file not in seen:
            seen[file], below = included(file, folders)
            wanted += below
    return b"".join(seen.values())


class Linter:
    """One clang-tidy with one configuration."""

    def __init__(self, program: Path, build: Path) -> None:
        """Ask for the versions of everything outside the repository."""
        self.program, self.build, self.cache = program, build, cache_folder()
        packages = re.findall(r"^[^#\s]\S*", PACKAGES.read_text(), re.MULTILINE)
        versions = [
            subprocess.run(command, capture_output=True, check=False).stdout
            for command in ([str(program), "--version"], ["dpkg-query", "--show", *packages])
        ]
        self.salt = b"".join(versions) + (ROOT / ".clang-tidy").read_bytes()

    def lint(self, entry: dict[str, str]) -> str:
        """Return what is wrong with one source; nothing if it passes."""
        words = entry["command"].replace(str(ROOT), ".").encode()
        try:
            text = whole_text(Path(entry["file"]), shlex.split(entry["command"]))
        except FileNotFoundError as error:
            return str(error)
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
