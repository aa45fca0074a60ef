#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write one workload's faulty variants as C++: plant.py REPOSITORY WORKLOAD > WORKLOAD.cc.

A variant is the workload's own text, with the files that it includes from its folder pasted in, in
a namespace of its own, and with the fault. The interface and the registry are included as
everywhere.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

INTERFACE = {"workload.h", "registry.h"}


def unrolled(folder: Path, name: str, seen: set[str]) -> str:
    """Return the text of `name`; each file of the folder that it includes is pasted in once."""

    def included(match: re.Match[str]) -> str:
        header = match[1]
        if header in INTERFACE or header in seen:
            return match[0] if header in INTERFACE else ""
        seen.add(header)
        source = header.replace(".h", ".cc")
        body = unrolled(folder, source, seen) if (folder / source).exists() else ""
        return unrolled(folder, header, seen) + body

    text = (folder / name).read_text().replace("#pragma once\n", "")
    return re.sub(r'#include "workloads/(\w+\.h)"\n', included, text)


def planted(repository: Path, workload: str) -> str:
    """Return the variants, and a line for each that makes it known to the test."""
    faults = tomllib.loads((repository / "tests/mutants/mutants.toml").read_text())[workload]
    function = workload.replace("-", "_")
    text = unrolled(repository / "workloads", f"{function}.cc", set())
    parts = ['#include "tests/mutants/mutants.h"\n']
    for number, fault in enumerate(faults):
        if text.count(fault["old"]) != 1:
            count = text.count(fault["old"])
            sys.exit(f"mutants.toml: {workload}: {fault['old']!r} occurs {count} times, not once")
        space = f"outcore::{function}_{number}"
        wrong = text.replace(fault["old"], fault["new"])
        parts.append(wrong.replace("namespace outcore {", f"namespace {space} {{"))
        said = json.dumps(fault["fault"])
        parts.append(f"static const outcore::Mutant known_{number}(\n    ")
        parts.append(f"{said}, {space}::{function}_workload());\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(planted(Path(sys.argv[1]), sys.argv[2]))
