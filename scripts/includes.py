#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that no #include runs upwards between rooms, nor between the folders of a room.

    includes.py [ROOT]

The order is defined below and nowhere else. What is above all rooms may include everything: tests/,
benchmarks/, *_test.cc, and headers that only these include.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Each room with the rooms below it.
ROOMS: dict[str, tuple[str, ...]] = {
    "common": (),
    "storage": ("common",),
    "workloads/graphs": ("common", "storage"),
    "workloads/streams": ("common", "storage", "workloads/graphs"),
    "engines": ("common", "storage"),
    "workloads": ("common", "storage", "engines"),
    "cli": ("common", "storage", "workloads/graphs", "workloads/streams", "engines", "workloads"),
}

# The folders of a room in rows, the lowest first. A folder, and everything below it without a row
# of its own, may include the rows below its own row, but no other folder of its row. "." is the
# room's folder itself, "*" every folder without a row. A file may have a row of its own.
ROWS: dict[str, tuple[tuple[str, ...], ...]] = {
    "storage": (
        ("events",),
        ("cache", "io", "sort", "trace"),
        ("cachesim", "container", "io/probe"),
        ("formats", "layout"),
        ("evolving", "inspect", "sizes", "source"),
    ),
    "engines": ((".",), ("lists", "memory"), ("*",), ("registry.cc",)),
}


@dataclass(frozen=True)
class Place:
    """Where a file is: its room, and the folder within it that has row number `row`."""

    room: str
    folder: str
    row: int

    def __str__(self) -> str:
        """Name the folder from the root."""
        return self.room if self.folder == "." else f"{self.room}/{self.folder}"

    def may_include(self, other: "Place") -> bool:
        """Tell whether `other` is below, or is the same folder."""
        if self.room != other.room:
            return other.room in ROOMS[self.room]
        return self == other or other.row < self.row


def room_of(file: Path) -> str | None:
    """Return the innermost room that a file is in."""
    return next((str(folder) for folder in file.parents if str(folder) in ROOMS), None)


def place_of(file: Path) -> Place | None:
    """Return the place of a file in a room; None if the room has no row for it."""
    room = room_of(file)
    if room is None or room not in ROWS:
        return None if room is None else Place(room, ".", 0)
    rows = {folder: row for row, names in enumerate(ROWS[room]) for folder in names}
    within = file.relative_to(room)
    for part in (within, *within.parents):
        if str(part) in rows and (part != Path() or within.parent == part):
            return Place(room, str(part), rows[str(part)])
    if "*" in rows and len(within.parts) > 1:
        return Place(room, within.parts[0], rows["*"])
    return None


def includes_of(root: Path, file: Path) -> list[tuple[int, Path]]:
    """Return line number and name of what a file includes from folders of the repository."""
    lines = (root / file).read_text(encoding="utf-8").splitlines()
    found = ((n, re.match(r'#include "([^"]+)"', line)) for n, line in enumerate(lines, 1))
    named = ((n, Path(match[1])) for n, match in found if match)
    return [(n, name) for n, name in named if len(name.parts) > 1]  # generated files have no folder


def product(root: Path) -> dict[Path, list[tuple[int, Path]]]:
    """Return what each file includes: sources that are not tests, and the headers they reach."""
    rooms = [room for room in ROOMS if (root / room).is_dir()]
    sources = {path.relative_to(root) for room in rooms for path in (root / room).rglob("*.cc")}
    wanted = [source for source in sources if not source.name.endswith("_test.cc")]
    seen: dict[Path, list[tuple[int, Path]]] = {}
    while wanted:
        file = wanted.pop()
        if file in seen or not (root / file).exists():  # the compiler reports what is missing
            continue
        seen[file] = includes_of(root, file)
        wanted += [name for _, name in seen[file] if room_of(name) is not None]
    return seen


def complaints(root: Path) -> Iterator[str]:
    """Say what is wrong, one line each."""
    for file, includes in sorted(product(root).items()):
        here = place_of(file)
        if here is None:
            yield f"{file}: its folder has no row in ROWS of scripts/includes.py"
            continue
        for line, name in includes:
            there = place_of(name)
            if room_of(name) is None:
                yield f"{file}:{line}: includes {name}, which is in no room"
            elif there is not None and not here.may_include(there):
                yield f"{file}:{line}: includes {name}, and {there} is not below {here}"


def main() -> int:
    """Print what is wrong and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parent.parent)
    wrong = list(complaints(parser.parse_args().root))
    if wrong:
        print("\n".join(wrong))
        print("The order of rooms and folders stands in scripts/includes.py.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
