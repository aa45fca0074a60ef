# SPDX-License-Identifier: Apache-2.0
"""What a build of outcore has: engines, workloads, backends, options of `run`.

Experiments name engines that are planned. A run that this build cannot do is left out before
anything starts, and the page says why; it is neither an error nor a failed run. A parameter that
an engine of this build does not have is an error: it is misspelt.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from outcore_analysis.yamllines import KeyPath

Json = dict[str, Any]


@dataclass(frozen=True)
class Inventory:
    """Names that `outcore list` and `outcore run --help` tell."""

    engines: frozenset[str]
    workloads: frozenset[str]
    backends: frozenset[str]
    options: frozenset[str]
    settings: dict[str, frozenset[str]]  # of each engine its parameters

    def lacks(self, engine: str, workload: str, backend: str | None) -> str:
        """Why this build cannot do a run; empty if it can."""
        if engine not in self.engines:
            return f"this build of outcore has no engine '{engine}'"
        if workload not in self.workloads:
            return f"this build of outcore has no workload '{workload}'"
        if backend and backend.split(":")[0] not in self.backends:
            return f"this build of outcore has no backend '{backend}'"
        return ""

    def unknown(self, value: Json) -> Iterator[tuple[KeyPath, str]]:
        """Parameters and options, in an experiment, that engines which are there do not have."""
        for engine, spec in value.get("engines", {}).items():
            if engine not in self.engines:
                continue
            has = ", ".join(sorted(self.settings[engine])) or "none"
            for i, name in _names(spec, "settings"):
                if name not in self.settings[engine]:
                    path = ("engines", engine, "settings", i, name)
                    yield path, f"engine '{engine}' has no parameter '{name}'; it has: {has}"
            for i, name in _names(spec, "options"):
                if name not in self.options:
                    path = ("engines", engine, "options", i, name)
                    yield path, f"`outcore run` has no option '--{name}'; see outcore run --help"


def _names(spec: Json, key: str) -> Iterator[tuple[int, str]]:
    yield from ((i, name) for i, chosen in enumerate(spec.get(key, [])) for name in chosen)


def usual_depth(engine: str) -> int:
    """The depth of an engine where none is asked for (`outcore list --json`)."""
    return 256 if engine == "async_block" else 64


def inventory(binary: str) -> Inventory | None:
    """What the binary has; None if it is not there or does not say, and all is taken to exist."""
    path = Path(binary)
    return _asked(binary, path.stat().st_mtime_ns) if path.is_file() else None


@cache
def _asked(binary: str, _changed: int) -> Inventory | None:
    try:
        told = json.loads(_output([binary, "list", "--json"]))
        words = _output([binary, "run", "--help"])
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return None
    names = {kind: frozenset(entry["name"] for entry in told[kind]) for kind in told}
    return Inventory(
        names["engines"],
        names["workloads"],
        names["backends"],
        frozenset(re.findall(r"(?<![\w-])!?--([a-z][a-z-]*)", words)),
        {
            entry["name"]: frozenset(parameter["name"] for parameter in entry["parameters"])
            for entry in told["engines"]
        },
    )


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
