# SPDX-License-Identifier: Apache-2.0
"""What a build of outcore has: engines, workloads, backends, options of `run` and `ingest`.

Experiments may name planned engines. A run that this build cannot do is left out before anything
starts, and the page says why; it is neither an error nor a failed run. A name that is similar to an
engine of this build is an error: it is misspelt. So is a parameter that the engine does not have.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from outcore_analysis.ingestion import BY_INGEST, INGEST
from outcore_analysis.yamllines import KeyPath

Json = dict[str, Any]

NEAR = 0.7  # how similar a name must be to an engine's to count as misspelt


@dataclass(frozen=True)
class Engine:
    """What `outcore list` says about an engine."""

    parameters: frozenset[str]
    depth: int  # if none is asked for; likewise the backend
    backend: str
    reads: str  # lists, edges, or the store of a graph that changes
    pack: str | None  # the only pack that it reads; None: any
    heads: str  # none, layout or any
    keeps_graph_in_memory: bool
    traces: bool
    reverse: bool  # rounds along the in-edges of a directed graph
    messages_on_edges: bool  # they lie on the layout's values, which must have room


@dataclass(frozen=True)
class Inventory:
    """What `outcore list` and `outcore run --help` say."""

    engines: dict[str, Engine]
    workloads: frozenset[str]
    backends: frozenset[str]
    options: frozenset[str]  # of `outcore run`
    ingest_options: frozenset[str]
    edge_packs: frozenset[str]  # packs that hold edges, not lists
    message_bytes: dict[str, int]  # of the largest messages of each workload
    needs_reverse: frozenset[str]  # workloads with rounds along in-edges

    def lacks(self, engine: str, workload: str, backend: str | None) -> str:
        """Return why this build cannot do a run; empty if it can."""
        if engine not in self.engines:
            return f"this build of outcore has no engine '{engine}'"
        if workload not in self.workloads and workload not in BY_INGEST:
            return f"this build of outcore has no workload '{workload}'"
        if backend and backend.split(":")[0] not in self.backends:
            return f"this build of outcore has no backend '{backend}'"
        return ""

    def unknown(self, value: Json) -> Iterator[tuple[KeyPath, str]]:
        """Yield parameters and options in an experiment that this build's engines do not have."""
        for engine, spec in value.get("engines", {}).items():
            if engine not in self.engines:
                if near := get_close_matches(engine, self.engines, 1, NEAR):
                    why = f"there is no engine '{engine}'; did you mean '{near[0]}'?"
                    yield ("engines", engine), why
                continue
            parameters = self.engines[engine].parameters
            has = ", ".join(sorted(parameters)) or "none"
            for place, name in _names(spec, "settings"):
                if name not in parameters:
                    path: KeyPath = ("engines", engine, *place, name)
                    yield path, f"engine '{engine}' has no parameter '{name}'; it has: {has}"
            options = self.ingest_options if spec.get("streams") else self.options
            for place, name in _names(spec, "options"):
                if name not in options:
                    path = ("engines", engine, *place, name)
                    verb = INGEST if spec.get("streams") else "run"
                    yield path, f"`outcore {verb}` has no option '--{name}'; see its --help"


def _names(spec: Json, key: str) -> Iterator[tuple[KeyPath, str]]:
    for i, chosen in enumerate(spec.get(key, [])):
        yield from (((key, i), name) for name in chosen)
    for i, step in enumerate(spec.get("ladder", [])):
        yield from ((("ladder", i, key), name) for name in step.get(key, {}))


def inventory(binary: str) -> Inventory | None:
    """Return what the binary has; None, which allows everything, if there is no binary to ask."""
    path = Path(binary)
    return _asked(binary, path.stat().st_mtime_ns) if path.is_file() else None


@cache
def _asked(binary: str, _changed: int) -> Inventory | None:
    try:
        told = json.loads(_output([binary, "list", "--json"]))
        run, ingest = (_output([binary, verb, "--help"]) for verb in ("run", INGEST))
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return None
    names = {kind: frozenset(entry["name"] for entry in told[kind]) for kind in told}
    return Inventory(
        {entry["name"]: _engine(entry) for entry in told["engines"]},
        names["workloads"],
        names["backends"],
        _options_in(run),
        _options_in(ingest),
        frozenset(pack["name"] for pack in told["packs"] if pack["holds"] == "edges"),
        {entry["name"]: entry["message_bytes"] for entry in told["workloads"]},
        frozenset(entry["name"] for entry in told["workloads"] if entry["needs_reverse"]),
    )


def _options_in(words: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?<![\w-])!?--([a-z][a-z-]*)", words))


def _engine(entry: Json) -> Engine:
    traits = entry["traits"]
    return Engine(
        parameters=frozenset(parameter["name"] for parameter in entry["parameters"]),
        depth=entry["depth"],
        backend=entry["backend"],
        reads=traits["reads"],
        pack=traits["pack"],
        heads=traits["heads"],
        keeps_graph_in_memory=traits["keeps_graph_in_memory"],
        traces=traits["traces"],
        reverse=traits["reverse"],
        messages_on_edges=traits["messages_on_edges"],
    )


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
