# SPDX-License-Identifier: Apache-2.0
"""A Graphalytics graph's file of properties: what is run on the graph, and with what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from outcore_analysis.graphalytics.faults import GraphalyticsError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Kernel:
    """A kernel of the benchmark, and the workload that answers it."""

    workload: str
    match: str  # exact, equivalence or epsilon
    both_ways: bool = False  # edges count in both directions
    weighted: bool = False
    source: bool = False
    numbers: dict[str, str] = field(default_factory=dict)  # parameters of ours, by their property
    fixed: tuple[str, ...] = ()


KERNELS = {
    "bfs": Kernel("bfs", "exact", source=True),
    "pr": Kernel(
        "pagerank",
        "epsilon",
        numbers={"damping-factor": "damping", "num-iterations": "iterations"},
        fixed=("sinks=spread",),
    ),
    "wcc": Kernel("wcc", "equivalence", both_ways=True),
    "cdlp": Kernel("cdlp", "exact", both_ways=True, numbers={"max-iterations": "iterations"}),
    "lcc": Kernel("lcc", "epsilon", both_ways=True),
    "sssp": Kernel("sssp", "epsilon", weighted=True, source=True),
}


def kernels_of(text: str, file: Path | None = None, line: int = 0) -> list[str]:
    """Return the kernels that a list between commas names, each once."""
    kernels = [word.strip().lower() for word in text.split(",")]
    for kernel in kernels:
        if kernel not in KERNELS:
            expected = f"algorithms of {', '.join(KERNELS)}"
            if file is None:
                raise GraphalyticsError(f"--algorithms: found '{kernel}', expected {expected}")
            raise GraphalyticsError.at(file, line, f"'{kernel}'", expected)
    return list(dict.fromkeys(kernels))


@dataclass(frozen=True)
class Properties:
    """Graph NAME, of which NAME.properties says all: each key with its value and its line."""

    file: Path
    values: dict[str, tuple[str, int]]

    @classmethod
    def read(cls, file: Path) -> Properties:
        """Read the file and look for the graph's parts; of a key twice there the last counts."""
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "bytes that are no text"
            raise GraphalyticsError.at(file, 0, why, "a graph's NAME.properties") from error
        values = {}
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.strip()
            if not words or words[0] in "#!":
                continue
            key, equals, value = words.partition("=")
            if not equals:
                raise GraphalyticsError.at(file, number, f"'{words}'", "key = value")
            values[key.strip()] = (value.strip(), number)
        properties = cls(file, values)
        for part in "vertex-file", "edge-file":
            properties._expect_file(part)
        return properties

    @property
    def name(self) -> str:
        """The graph's name."""
        return self.file.stem

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        value, line = self.entry("directed")
        if value not in ("true", "false"):
            raise GraphalyticsError.at(self.file, line, f"'{value}'", "true or false")
        return value == "true"

    def full(self, key: str) -> str:
        """Return the key as the file has it."""
        return f"graph.{self.name}.{key}"

    def entry(self, key: str) -> tuple[str, int]:
        """Return the value and the line of a key that has to be there."""
        if self.full(key) not in self.values:
            raise GraphalyticsError.at(
                self.file, 0, f"no key {self.full(key)}", f"a line {self.full(key)} = ..."
            )
        return self.values[self.full(key)]

    def kernels(self) -> list[str]:
        """Return the kernels that the properties name."""
        value, line = self.entry("algorithms")
        return kernels_of(value, self.file, line)

    def parameters(self, kernel: str) -> list[str]:
        """Return the workload's parameters, as `run --set` takes them."""
        of = KERNELS[kernel]
        if of.weighted:
            self._expect_weights(kernel)
        asked = [f"{ours}={self._number(f'{kernel}.{key}')}" for key, ours in of.numbers.items()]
        if kernel == "lcc":
            asked.append(f"edges={'directed' if self.directed else 'undirected'}")
        return [*asked, *of.fixed]

    def source(self, kernel: str) -> str | None:
        """Return the vertex where the kernel begins, if it begins somewhere."""
        return self._number(f"{kernel}.source-vertex") if KERNELS[kernel].source else None

    def _number(self, key: str) -> str:
        value, line = self.entry(key)
        try:
            float(value) if key.endswith("factor") else int(value)
        except ValueError as error:
            raise GraphalyticsError.at(self.file, line, f"'{value}'", "a number") from error
        return value

    def _expect_file(self, key: str) -> None:
        value, line = self.entry(key)
        path = self.file.parent / value
        if not any(path.with_name(path.name + end).is_file() for end in ("", ".gz", ".zst")):
            raise GraphalyticsError.at(
                self.file, line, f"{key} = {value}, which is not there", f"a file {path}"
            )

    def _expect_weights(self, kernel: str) -> None:
        wanted, line = self.entry(f"{kernel}.weight-property")
        there, _ = self.values.get(self.full("edge-properties.names"), ("", 0))
        if wanted != there:
            raise GraphalyticsError.at(
                self.file,
                line,
                f"'{wanted}'",
                f"the one property of edges, {self.full('edge-properties.names')} = {there}",
            )
