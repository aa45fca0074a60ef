#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a store with one fault as C++: plant.py REPOSITORY FAULTS NUMBER > FILE.cc.

It is the store's own text in a namespace of its own, with a fault from FAULTS, a file beside this
one. mutants.toml has those of the store on a disk, pmem_mutants.toml those of the store in
persistent memory. What a store shares with the tests is its interface, and is included as
everywhere; so are files in which no fault is planted and that know nothing of those that are.
"""

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Planting:
    """What is pasted, and how the tests learn of it."""

    begin: str  # of the text
    pasted: str  # a pattern of the names after storage/evolving/, or after tests/crash/
    more: dict[str, tuple[str, ...]]  # the sources of a header, if they are not called like it
    known: str  # the line that makes a mutant known


DISK = Planting(
    begin='#include "storage/evolving/durable/durable_store.h"\n',
    pasted=r"durable/(?!disk\.h|pair_changes\.h)\w+\.h",
    more={},
    known="static const outcore::evolving::SubjectOf<{space}::DurableStore> subject_{number};\n"
    "static const outcore::evolving::Mutant known_{number}({fault}, &subject_{number});\n",
)
PMEM = Planting(
    begin='#include "tests/crash/pmem_subject_of.h"\n',
    pasted=r"(?:store|store_knobs|snapshot|edge_log|adjacency_chain|vertex_lists|pmem/pmem_image"
    r"|pmem_subject_of)\.h",
    more={"store.h": ("store.cc", "flush.cc", "compaction.cc", "recovery.cc")},
    known="static const {space}::PmemSubjectOf subject_{number};\n"
    "static const outcore::evolving::PmemMutant known_{number}({fault}, &subject_{number});\n",
)


def unrolled(repository: Path, text: str, planting: Planting, seen: set[str]) -> str:
    """Return `text` with the files that it includes pasted in, each once."""

    def included(match: re.Match[str]) -> str:
        folder, header = match[1], match[2]
        if header in seen:
            return ""
        seen.add(header)
        names = (header, *planting.more.get(header, (header.replace(".h", ".cc"),)))
        files = [repository / folder / name for name in names]
        pasted = (
            unrolled(repository, file.read_text(), planting, seen)
            for file in files
            if file.exists()
        )
        return "".join(pasted).replace("#pragma once\n", "")

    named = rf'#include "(storage/evolving|tests/crash)/({planting.pasted})"\n'
    return re.sub(named, included, text)


def planted(repository: Path, name: str, number: int) -> str:
    """Return the variant, and a line that makes it known to the test."""
    planting = PMEM if name.startswith("pmem") else DISK
    fault = tomllib.loads((repository / "tests/crash" / name).read_text())["fault"][number]
    text = unrolled(repository, planting.begin, planting, set())
    if text.count(fault["old"]) != 1:
        sys.exit(f"{name}: {fault['old']!r} occurs {text.count(fault['old'])} times, not once")
    space = f"outcore::evolving::mutant_{number}"
    wrong = text.replace(fault["old"], fault["new"])
    wrong = wrong.replace("namespace outcore::evolving {", f"namespace {space} {{")
    known = planting.known.format(space=space, number=number, fault=json.dumps(fault["fault"]))
    return f'#include "tests/crash/subject.h"\n{wrong}\n{known}'


if __name__ == "__main__":
    print(planted(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
