# SPDX-License-Identifier: Apache-2.0
"""Imports, layouts and runs of one Graphalytics graph, by the binary."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcore_analysis.graphalytics.faults import GraphalyticsError
from outcore_analysis.graphalytics.matching import in_their_form, write_answer
from outcore_analysis.graphalytics.properties import KERNELS, Properties
from outcore_analysis.values import load_values

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

PLAINEST = "firstfit"


@dataclass(frozen=True)
class Loaded:
    """A graph with the layout that a kernel reads, and how long it took to make both."""

    graph: Path
    layout: str
    seconds: float


class Runs:
    """Kernels of one graph on one engine; graphs are made once, in `folder`."""

    def __init__(
        self,
        binary: str,
        properties: Properties,
        folder: Path,
        engine: str,
        memory: str = "",
        threads: int = 0,
    ) -> None:
        """Ask the binary what layout the engine reads, but make nothing yet."""
        self.binary, self.properties, self.folder, self.engine = binary, properties, folder, engine
        self.memory = ["--memory", memory] if memory else []
        self.threads = ["--threads", str(threads)] if threads else []
        self.pack = self._pack()
        self.imports: dict[Path, float] = {}
        self.layouts: dict[tuple[Path, str], float] = {}

    def outcore(self, *words: object) -> str:
        """Run the binary and return what it prints; what it refuses is a fault."""
        try:
            done = subprocess.run(
                [self.binary, *map(str, words)], capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise GraphalyticsError(
                f"--binary {self.binary}: found none ({error.strerror}), expected outcore's program"
            ) from error
        if done.returncode != 0:
            said = done.stderr.strip().removeprefix("outcore: ")
            raise GraphalyticsError(said or f"outcore {words[0]}: exit code {done.returncode}")
        return done.stdout

    def loaded(self, kernel: str) -> Loaded:
        """Return the kernel's graph and layout, made unless they are.

        WCC, CDLP and LCC look at edges from both ends. They need a second graph of directed edges,
        in which two between the same vertices are kept: these count twice.
        """
        both_ways = KERNELS[kernel].both_ways and self.properties.directed
        name = f"graphalytics-{self.properties.name}{'-both-ways' if both_ways else ''}"
        graph = self.folder / name
        if graph not in self.imports:
            choices = ["--symmetric", "--keep-parallel"] if both_ways else []
            words = ["import", self.properties.file, graph, "--force", "--quiet", *choices]
            self.imports[graph] = self._timed(*words, *self.memory, *self.threads)
        layout = "weighted" if KERNELS[kernel].weighted else "plain"
        if (graph, layout) not in self.layouts:
            weights = ["--weights", "given"] if layout == "weighted" else []
            words = ["layout", graph, "--name", layout, "--pack", self.pack, "--quiet", *weights]
            self.layouts[graph, layout] = self._timed(*words)
        return Loaded(graph, layout, self.imports[graph] + self.layouts[graph, layout])

    def run(self, kernel: str, answer: Path) -> tuple[pd.Series, Any]:
        """Run the kernel, write its answer and its record; return both."""
        loaded, source = self.loaded(kernel), self.properties.source(kernel)
        values = answer.with_name(f"{answer.name}.npy")
        record = answer.with_name(f"{answer.name}.json")
        words = [
            *("run", loaded.graph, "--layout", loaded.layout, "--engine", self.engine),
            *("--workload", KERNELS[kernel].workload, "--output", values, "--record", record),
            *("--quiet", *self.memory, *self.threads),
        ]
        for parameter in self.properties.parameters(kernel):
            words += ["--set", parameter]
        try:
            self.outcore(*words, *(["--source", source] if source else []))
        except GraphalyticsError as error:
            raise self._placed(kernel, error) from error
        found = in_their_form(kernel, load_values(values))
        values.unlink()
        write_answer(found, answer)
        return found, json.loads(record.read_text(encoding="utf-8"))

    def _placed(self, kernel: str, error: GraphalyticsError) -> GraphalyticsError:
        """Return the fault with the property's line, where it is the source's."""
        source = self.properties.source(kernel)
        refused = f"--source {source}: "
        if source is None or not str(error).startswith(refused):
            return error
        line = self.properties.entry(f"{kernel}.source-vertex")[1]
        why = str(error).removeprefix(refused)
        return GraphalyticsError.at(
            self.properties.file, line, f"source {source}", f"a vertex of the graph: {why}"
        )

    def _timed(self, *words: object) -> float:
        begin = time.monotonic()
        self.outcore(*words)
        return time.monotonic() - begin

    def _pack(self) -> str:
        """Return the plainest packing that the engine reads."""
        engines = json.loads(self.outcore("list", "--json"))["engines"]
        traits = {
            one["name"]: one["traits"] for one in engines if one["traits"]["reads"] != "store"
        }
        name = self.engine.partition(":")[0]
        if name not in traits:
            expected = ", ".join(traits)
            raise GraphalyticsError(f"--engine {self.engine}: found '{name}', expected {expected}")
        return traits[name]["pack"] or PLAINEST
