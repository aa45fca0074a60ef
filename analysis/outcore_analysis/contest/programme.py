# SPDX-License-Identifier: Apache-2.0
"""Races of the pipeline: files of configs/races, each a grid of graphs, workloads and limits."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outcore_analysis.contest.contestant import names
from outcore_analysis.contest.faults import RaceError
from outcore_analysis.locks import held
from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
NOT_ASKED = ("programme", "title", "answers", "at_once")
# Fields that were added after the first records: not in a key if they are empty.
LATER = ("engine", "layout", "frames")


@dataclass(frozen=True)
class Bout:
    """One race of a file: one graph, one question, one limit."""

    programme: str
    graph: str
    workload: str
    parameters: Json
    contestants: list[str]
    turns: int
    threads: int
    memory: str | None
    seconds: int | None
    # Who races for us, on what and with what frames; None: the fastest, and as it likes.
    engine: str | None = None
    layout: str | None = None
    frames: str | None = None
    title: str = ""
    answers: str = ""
    # Does `make reproduce` hold it too?
    at_once: bool = False

    @property
    def key(self) -> str:
        """Return the hash of all that is asked, without what the file says about it."""
        asked = {
            name: value
            for name, value in asdict(self).items()
            if name not in NOT_ASKED and (name not in LATER or value is not None)
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:12]

    def command(self, binary: str, folder: str, record: str) -> list[str]:
        """Return the command that holds it."""
        words = [binary, "race", folder, "--workload", self.workload]
        for name, value in self.parameters.items():
            words += ["-r", str(value)] if name == "source" else ["--set", f"{name}={value}"]
        for name in LATER:
            words += [f"--{name}", value] if (value := getattr(self, name)) is not None else []
        for name in self.contestants:
            words += ["--with", name]
        words += ["--turns", str(self.turns), "--threads", str(self.threads)]
        words += ["--memory", self.memory] if self.memory else []
        words += ["--timeout", str(self.seconds)] if self.seconds else []
        return [*words, "--record", record]


def read_programmes(
    config: Mapping[str, Any], graphs: Mapping[str, Any], layouts: Collection[str]
) -> dict[str, Bout]:
    """Return all races of a configuration, by their keys; raise ConfigError for impossible ones.

    `layouts` are those that experiments name.
    """
    bouts = {}
    for file in config.get("races", []):
        for bout in _bouts(file, graphs, layouts):
            bouts[bout.key] = bout
    return bouts


def bouts_of_experiment(
    document: Document, graphs: list[str], parameters: Callable[[Any], list[Json]]
) -> dict[str, Bout]:
    """Return the races of an experiment's key `races`, by their keys; `parameters` unrolls sets."""
    value = document.value
    asked = value.get("races")
    if asked is None:
        return {}
    faults = _unknown(document, ["races", "with"], asked["with"])
    if asked.get("layout", "") not in ("", *value["layouts"]):
        place = document.place(["races", "layout"])
        faults.append(f"{place}: the experiment has no layout called '{asked['layout']}'")
    if faults:
        raise ConfigError("\n".join(faults))
    sets = [(w, one) for w, given in value["workloads"].items() for one in parameters(given)]
    found = [
        Bout(
            programme=Path(document.file).stem,
            graph=graph,
            workload=workload,
            parameters=one,
            contestants=asked["with"],
            turns=asked.get("turns", 1),
            threads=asked.get("threads", 2),
            memory=asked.get("memory"),
            seconds=asked.get("seconds"),
            engine=asked.get("engine"),
            layout=asked.get("layout"),
            frames=asked.get("frames"),
            title=value["title"],
            answers=value["answers"],
        )
        for graph, (workload, one) in itertools.product(graphs, sets)
    ]
    return {bout.key: bout for bout in found}


def _unknown(document: Document, path: list[str], contestants: list[str]) -> list[str]:
    known = names()
    return [
        f"{document.place([*path, at])}: no contestant is called '{name}'; there are: "
        f"{', '.join(known)}"
        for at, name in enumerate(contestants)
        if name.partition(":")[0] not in known
    ]


def _bouts(file: str, graphs: Mapping[str, Any], layouts: Collection[str]) -> Iterator[Bout]:
    document = load_yaml(file)
    check(document, "races")
    value = document.value
    faults = [
        f"{document.place(['graphs', at])}: no graph is called '{graph}'"
        for at, graph in enumerate(value["graphs"])
        if graph not in graphs
    ]
    faults += _unknown(document, ["with"], value["with"])
    if value.get("layout", "") not in ("", *layouts):
        place = document.place(["layout"])
        faults.append(f"{place}: no experiment has a layout called '{value['layout']}'")
    if faults:
        raise ConfigError("\n".join(faults))
    grid = (value["graphs"], value["workloads"].items(), value.get("memory", [None]))
    for graph, (workload, parameters), memory in itertools.product(*grid):
        yield Bout(
            programme=Path(file).stem,
            graph=graph,
            workload=workload,
            parameters=parameters,
            contestants=value["with"],
            turns=value.get("turns", 5),
            threads=value.get("threads", 2),
            memory=memory,
            seconds=value.get("seconds"),
            engine=value.get("engine"),
            layout=value.get("layout"),
            frames=value.get("frames"),
            title=value["title"],
            answers=value["answers"],
            at_once=value.get("reproduce", False),
        )


def hold_bout(bout: Bout, binary: str, folder: str, record: Path, lock: Path | None) -> None:
    """Hold a race while nothing else is timed; raise RaceError if ours did not do well."""
    record.parent.mkdir(parents=True, exist_ok=True)
    draft = record.with_suffix(".draft")
    with held(lock) as inherited:
        command = bout.command(binary, folder, str(draft))
        done = subprocess.run(command, pass_fds=inherited, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise RaceError(f"{' '.join(command)}: exit code {done.returncode}")
    draft.replace(record)
