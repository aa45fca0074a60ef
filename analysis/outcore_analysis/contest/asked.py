# SPDX-License-Identifier: Apache-2.0
"""What `outcore race --with` asks for, as it hands it over, with defaults filled in."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Ours:
    """The engine that races for us."""

    engine: str
    layout: str
    frames: str


@dataclass(frozen=True)
class Asked:
    """One race."""

    binary: str
    graph: str
    facts: Json  # of the graph, as in a record
    machine: Json
    build: Json
    named: bool  # the graph's vertices have names
    workload: str
    parameters: Json  # of the workload, all of them
    settings: list[str]  # of these, name=value, those that were given
    source: str | None  # by the ids of the imported file; None: the workload has none
    source_number: int | None  # the same by the graph's own numbers
    ours: Ours
    contestants: list[str]
    turns: int
    threads: int
    memory: int | None
    seconds: float | None
    cold: bool
    record: str | None
    json: bool

    @classmethod
    def of(cls, value: Json) -> Asked:
        """Read it from JSON."""
        return cls(**value | {"ours": Ours(**value["ours"])})

    def question(self) -> list[str]:
        """Return the options of `outcore` that ask for the answer."""
        words = ["--workload", self.workload]
        for setting in self.settings:
            words += ["--set", setting]
        return words + (["-r", self.source] if self.source is not None else [])

    def run(self, values: Path, record: Path) -> list[str]:
        """Return our command."""
        words = [self.binary, "run", self.graph, "--engine", self.ours.engine]
        words += ["--layout", self.ours.layout, "--frames", self.ours.frames]
        words += ["--threads", str(self.threads), *self.question()]
        return [*words, "--output", str(values), "--record", str(record)]

    def placeholders(self, by_number: bool) -> dict[str, object]:
        """Return what stands for them in a contestant's commands."""
        source = self.source_number if by_number else self.source
        bytes_at_most = self.memory or self.machine["memory_bytes"]
        return self.parameters | {
            "source": "" if source is None else source,
            "threads": self.threads,
            "memory": self.memory or 0,
            "memory_mb": (self.memory or 0) >> 20,
            # For programs that take no 0 for "no limit": whole units, one at least.
            "memory_gb": max(1, bytes_at_most >> 30),
            "pool_mb": max(1, bytes_at_most >> 21),
            "vertices": self.facts["vertices"],
            "edges": self.facts["edges"],
            "symmetric": int(self.facts["symmetric"]),
            "checksum": self.facts["checksum"],
        }

    def of_record(self) -> Json:
        """Return what the race's record says of it."""
        left_out = {"binary", "facts", "machine", "build", "json", "record", "named", "settings"}
        return {name: value for name, value in asdict(self).items() if name not in left_out}
