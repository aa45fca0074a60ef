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
Entry = dict[str, str]  # of compile_commands.json
TOGETHER = 8
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

    def mark(self, entry: Entry) -> Path:
        """Return the file that is there once the source has passed as it is now."""
        words = entry["command"].replace(str(ROOT), ".").encode()
        text = whole_text(Path(entry["file"]), shlex.split(entry["command"]))
        return self.cache / hashlib.sha256(self.salt + words + text).hexdigest()

    def lint(self, entries: Sequence[Entry]) -> str:
        """Return what is wrong with sources of one target; nothing if they pass.

        Most of the time goes into what sources include, so they are read as one. What is wrong
        there may be so only because they are one, so then each is asked for by itself.
        """
        marks = [self.mark(entry) for entry in entries]
        if len(entries) > 1 and self.complaints(self.together(entries, marks[0].name)):
            return "".join(self.lint([entry]) for entry in entries)
        if len(entries) == 1 and (wrong := self.complaints(entries[0])):
            return wrong
        for mark in marks:
            mark.touch()
        return ""

    def together(self, entries: Sequence[Entry], name: str) -> Entry:
        """Return a source that includes all of these, with the command of the first."""
        lines = [
            f'// NOLINTNEXTLINE(bugprone-suspicious-include)\n#include "{entry["file"]}"\n'
            for entry in entries
        ]
        source = self.build / "together" / f"{name}.cc"
        source.parent.mkdir(exist_ok=True)
        source.write_text("".join(lines))
        return {"file": str(source), "command": entries[0]["command"]}

    def complaints(self, entry: Entry) -> str:
        """Ask clang-tidy about one file."""
        words = shlex.split(entry["command"])
        flags = words[1 : words.index("-o")]
        run = subprocess.run(
            [self.program, "-quiet", entry["file"], "--", *flags],
            capture_output=True,
            text=True,
            check=False,
        )
        return run.stdout + run.stderr if run.returncode != 0 else ""


def batches(linter: Linter, entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return what has not passed, in groups of sources of one target with the same flags."""
    targets: dict[str, list[Entry]] = {}
    for entry in entries:
        if not linter.mark(entry).exists():
            target = re.sub(r"\.dir/\S+ -c \S+$", "", entry["command"])
            targets.setdefault(target, []).append(entry)
    return [
        target[first : first + TOGETHER]
        for target in targets.values()
        for first in range(0, len(target), TOGETHER)
    ]


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
    try:
        groups = batches(linter, entries)
    except FileNotFoundError as error:
        sys.exit(str(error))
    with ThreadPoolExecutor(options.jobs) as pool:
        wrong = "".join(pool.map(linter.lint, groups))
    print(wrong, end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
