#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the durable store with one fault as C++: plant.py REPOSITORY NUMBER > FILE.cc.

It is the store's own text in a namespace of its own, with the fault from mutants.toml. The disk and
the changes of pairs are its interface, and are included as everywhere.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

INTERFACE = {"disk.h", "pair_changes.h"}


def unrolled(folder: Path, text: str, seen: set[str]) -> str:
    """Return `text` with the files of the folder that it includes pasted in, each once."""

    def included(match: re.Match[str]) -> str:
        header = match[1]
        if header in INTERFACE:
            return match[0]
        if header in seen:
            return ""
        seen.add(header)
        files = [folder / header, folder / header.replace(".h", ".cc")]
        pasted = (unrolled(folder, file.read_text(), seen) for file in files if file.exists())
        return "".join(pasted).replace("#pragma once\n", "")

    return re.sub(r'#include "storage/evolving/durable/(\w+\.h)"\n', included, text)


def planted(repository: Path, number: int) -> str:
    """Return the variant, and a line that makes it known to the test."""
    faults = tomllib.loads((repository / "tests/crash/mutants.toml").read_text())["fault"]
    fault = faults[number]
    begin = '#include "storage/evolving/durable/durable_store.h"\n'
    text = unrolled(repository / "storage/evolving/durable", begin, set())
    if text.count(fault["old"]) != 1:
        count = text.count(fault["old"])
        sys.exit(f"mutants.toml: {fault['old']!r} occurs {count} times, not once")
    space = f"outcore::evolving::mutant_{number}"
    wrong = text.replace(fault["old"], fault["new"])
    wrong = wrong.replace("namespace outcore::evolving {", f"namespace {space} {{")
    return (
        f'#include "tests/crash/subject.h"\n{wrong}\n'
        f"static const outcore::evolving::SubjectOf<{space}::DurableStore> subject_{number};\n"
        f"static const outcore::evolving::Mutant known_{number}(\n"
        f"    {json.dumps(fault['fault'])}, &subject_{number});\n"
    )


if __name__ == "__main__":
    print(planted(Path(sys.argv[1]), int(sys.argv[2])))
