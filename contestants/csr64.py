#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the lists of a csr64 file as another program's converter reads them, then start that.

    csr64.py FORMAT GRAPH VERTICES FILE [COMMAND...]

It serves programs that read none of the exported formats. It needs Python's library alone.
"""

import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

OFFSET, TARGET = 8, 4  # bytes of each
PIECE = 1 << 20


class Lists:
    """The lists of a csr64 file: vertices + 1 offsets (u64), then the targets (u32)."""

    def __init__(self, path: Path, vertices: int) -> None:
        """Map the file."""
        with path.open("rb") as file:
            self.raw = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        end = OFFSET * (vertices + 1)
        self.vertices = vertices
        self.offsets, self.targets = self.raw[:end], self.raw[end:]
        self.edges = len(self.targets) // TARGET

    def __iter__(self) -> Iterator[memoryview]:
        """Yield the bytes of each vertex's list."""
        begin = 0
        for (end,) in struct.iter_unpack("<Q", self.offsets[OFFSET:]):
            yield self.targets[TARGET * begin : TARGET * end]
            begin = end


def text(lists: Lists, file: Path) -> None:
    """Write an edge a line: source, tab, target."""
    with file.open("w", encoding="ascii") as out:
        for source, found in enumerate(lists):
            out.writelines(f"{source}\t{target}\n" for (target,) in struct.iter_unpack("<I", found))


def acgraph(lists: Lists, file: Path) -> None:
    """Write a folder: offset (u64), data (u32), and meta, whose first three bytes are flags."""
    file.mkdir()
    (file / "meta").write_bytes(bytes(3) + struct.pack("<IQ", lists.vertices, lists.edges))
    _write(file / "offset", lists.offsets)
    _write(file / "data", lists.targets)


def binadj(lists: Lists, file: Path) -> None:
    """Write two numbers, vertices and edges, then each vertex's degree and list (all i32)."""
    with file.open("wb") as out:
        out.write(struct.pack("<ii", lists.vertices, lists.edges))
        for found in lists:
            out.write(struct.pack("<i", len(found) // TARGET))
            out.write(found)


def galois(lists: Lists, file: Path) -> None:
    """Write Galois' graph, version 1: four numbers, the lists' ends, targets to a multiple of 8."""
    header = struct.pack("<4Q", 1, 0, lists.vertices, lists.edges)
    padding = bytes(TARGET * (lists.edges % 2))
    _write(file, header, lists.offsets[OFFSET:], lists.targets, padding)


def ligra(lists: Lists, file: Path) -> None:
    """Write Ligra's binary graph, as FILE.config, .idx, .adj, and the same for in-edges.

    The graph is symmetric, so the lists of in-edges (.ridx, .radj) are those of out-edges.
    """
    file.with_suffix(".config").write_text(f"{lists.vertices}\n", encoding="ascii")
    for kind, part in (("idx", lists.offsets), ("adj", lists.targets)):
        _write(file.with_suffix(f".{kind}"), part)
        os.link(file.with_suffix(f".{kind}"), file.with_suffix(f".r{kind}"))


def graphalytics(lists: Lists, file: Path) -> None:
    """Write FILE.v, a vertex a line, and FILE.e, an edge a line."""
    vertices = "".join(f"{vertex}\n" for vertex in range(lists.vertices))
    file.with_suffix(".v").write_text(vertices, encoding="ascii")
    text(lists, file.with_suffix(".e"))


def _write(file: Path, *parts: bytes | memoryview) -> None:
    with file.open("wb") as out:
        for part in parts:
            for begin in range(0, len(part), PIECE):
                out.write(part[begin : begin + PIECE])


FORMATS: dict[str, Callable[[Lists, Path], None]] = {
    found.__name__: found for found in (text, acgraph, binadj, galois, ligra, graphalytics)
}


def main() -> None:
    """Write the file, then become the command."""
    form, graph, vertices, name, *command = sys.argv[1:]
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    FORMATS[form](Lists(Path(graph), int(vertices)), file)
    if command:
        os.execvp(command[0], command)


if __name__ == "__main__":
    main()
