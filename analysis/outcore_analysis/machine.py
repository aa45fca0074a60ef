# SPDX-License-Identifier: Apache-2.0
"""What distinguishes one machine from another: its processor, cores and memory.

Records are in a folder of that name. A host name would not do: containers get a new one each time,
and a name may stay while the machine behind it changes.
"""

from __future__ import annotations

import math
import os
import platform
import re
from pathlib import Path

KIB_A_GIB = 1 << 20


def machine_name(
    cpuinfo: Path = Path("/proc/cpuinfo"), meminfo: Path = Path("/proc/meminfo")
) -> str:
    """Return e.g. `amd-epyc-7b13-2-cores-8-gib`: the same after a restart, or in a container."""
    model = _field(cpuinfo, "model name") or platform.machine()
    words = re.sub(r"\((r|tm)\)|\bcpu\b|@", " ", model.lower())
    name = re.sub(r"[^a-z0-9.]+", "-", words).strip("-.")
    kib = int(_field(meminfo, "MemTotal").removesuffix(" kB") or KIB_A_GIB)
    return f"{name}-{os.cpu_count()}-cores-{_coarse(kib / KIB_A_GIB)}-gib"


def _coarse(gib: float) -> int:
    """Round to the nearest half power of two: what a kernel keeps for itself differs by version."""
    return round(2 ** (round(2 * math.log2(gib)) / 2))


def _field(file: Path, name: str) -> str:
    """Return the first value of `name: value`; empty if the file has none."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    found = re.search(rf"^{name}\s*:\s*(.*)$", text, re.MULTILINE)
    return found.group(1).strip() if found else ""
