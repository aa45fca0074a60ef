# SPDX-License-Identifier: Apache-2.0
"""From configuration to plan: which graphs, layouts and runs there are to be.

A plan is checked whole before anything runs. Its unit is the *cell*: one combination of graph,
layout, engine, workload, parameters and limits. A cell's hash covers all of them (and how graph and
layout are made), so a record found under that hash answers exactly that question; every trial of a
cell is one run.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
# Engines that keep the whole graph in memory read no blocks, so they leave no trace to replay.
TRACELESS = {"in_memory"}


@dataclass(frozen=True)
class Cell:
    """One combination that is run; see the module."""

    graph: str
    recipe: Json
    layout: str
    choices: Json
    engine: str
    workload: str
    parameters: Json
    threads: int
    frames: str | None
    memory: str | None
    backend: str | None
    depth: int | None
    verify: bool
    seconds: int
    trace: bool

    @property
    def key(self) -> str:
        """The configuration's hash: the name of its folder in the results."""
        return hashlib.sha256(self.json().encode()).hexdigest()[:12]

    def json(self) -> str:
        """The cell as JSON, the same text every time."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)

    def command(self, binary: str, container: str, record: str, trace: str) -> list[str]:
        """The command line that runs the cell once."""
        words = [binary, "run", container, "--engine", self.engine]
        words += ["--workload", self.workload, "--layout", self.layout]
        words += ["--threads", str(self.threads)]
        for option in ("frames", "memory", "backend", "depth"):
            if getattr(self, option) is not None:
                words += [f"--{option}", str(getattr(self, option))]
        for name, value in self.parameters.items():
            words += ["--source", str(value)] if name == "source" else ["--set", f"{name}={value}"]
        if self.verify:
            words.append("--verify")
        if self.trace:
            words += ["--trace", trace]
        return [*words, "--record", record]


@dataclass(frozen=True)
class Experiment:
    """An experiment file, reduced to one profile."""

    name: str
    title: str
    answers: str
    paper: Json | None
    graphs: list[str]
    layouts: Json
    cells: list[Cell]
    trials: int
    replay: Json | None
    excluded: list[Json]


@dataclass(frozen=True)
class Plan:
    """Everything that the pipeline is to make."""

    profile: str
    campaign: str
    binary: str
    graphs_folder: str
    results: str
    recipes: Json
    experiments: list[Experiment]
    claims: list[str]
    device: str
    host: str = field(default_factory=lambda: re.sub(r"[^A-Za-z0-9._-]", "-", platform.node()))

    @property
    def cells(self) -> dict[str, Cell]:
        """All cells by hash; a cell of two experiments is run once for both."""
        return {cell.key: cell for e in self.experiments for cell in e.cells}

    @property
    def records_folder(self) -> str:
        """Where this machine's records of the campaign lie."""
        return f"{self.results}/{self.campaign}/{self.host}"

    def recipe(self, graph: str) -> Json:
        """How a graph is made."""
        return recipe_of(self.recipes[graph])

    def stamp(self, graph: str) -> str:
        """The file that says that the graph was made by its recipe of today."""
        text = json.dumps(self.recipe(graph), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{self.graphs_folder}/.recipes/{graph}-{digest}.json"

    def layout_choices(self, layout: str) -> Json:
        """How a layout is made."""
        return next(e.layouts[layout] for e in self.experiments if layout in e.layouts)

    def layout_file(self, key: str) -> str:
        """The facts of the layout that a cell runs on."""
        cell = self.cells[key]
        return f"{self.records_folder}/layouts/{cell.graph}/{cell.layout}.json"

    def titles(self) -> dict[str, str]:
        """Graphs' names in words."""
        return {name: recipe["title"] for name, recipe in self.recipes.items()}

    def layouts(self) -> list[tuple[str, str]]:
        """(graph, layout name) of everything to build; a name is the same layout everywhere."""
        pairs = [(g, name) for e in self.experiments for g in e.graphs for name in e.layouts]
        return list(dict.fromkeys(pairs))

    def layout_facts(self) -> list[str]:
        """Files with the facts of each layout."""
        return [f"{self.records_folder}/layouts/{g}/{name}.json" for g, name in self.layouts()]

    def records(self) -> list[str]:
        """Files of all records, each once, in the order of the experiments."""
        wanted = [
            f"{self.records_folder}/{cell.key}/trial-{trial}.json"
            for e in self.experiments
            for cell in e.cells
            for trial in range(1, e.trials + 1)
        ]
        return list(dict.fromkeys(wanted))

    def replays(self) -> list[str]:
        """Files of all replayed traces."""
        return [
            f"{self.records_folder}/{cell.key}/trial-{trial}.replay.json"
            for e in self.experiments
            if e.replay
            for cell in e.cells
            for trial in range(1, e.trials + 1)
        ]

    def replay_of(self, key: str) -> Json:
        """Policies and sizes for the trace of a cell."""
        return next(
            e.replay for e in self.experiments if e.replay and key in (c.key for c in e.cells)
        )


def recipe_of(graph: Json) -> Json:
    """A graph's entry without what does not change the graph."""
    return {key: value for key, value in graph.items() if key != "title"}


def make_plan(config: Mapping[str, Any], files: list[str] | None = None) -> Plan:
    """Checks the configuration and all files that it names; raises ConfigError.

    Args:
        config: the effective configuration.
        files: the files that it was merged from, the last one winning, to name lines in errors.
    """
    _check_config(dict(config), files or [])
    graphs = load_yaml(config["graphs"])
    check(graphs, "graphs")
    profile = config["profile"]
    experiments = [read_experiment(file, profile, graphs.value) for file in config["experiments"]]
    _check_agreement(experiments)
    for file in config["claims"]:
        check(load_yaml(file), "claims")
    results = config["results_folder"]
    return Plan(
        profile=profile,
        campaign=config["campaign"],
        binary=config["binary"],
        graphs_folder=config["graphs_folder"],
        results=results if profile == "quick" else f"{results}/{profile}",
        recipes=graphs.value,
        experiments=experiments,
        claims=list(config["claims"]),
        device=config.get("device", "configs/devices/local.toml"),
    )


def _check_config(config: Json, files: list[str]) -> None:
    merged = Document("configuration", config)
    for file in files:
        source = load_yaml(file)
        for path in source.lines:
            if path:
                merged.lines[path] = source.lines[path]
                merged.file = source.file
    check(merged, "config")


def read_experiment(file: str, profile: str, recipes: Json) -> Experiment:
    """Reads and checks one experiment file, and expands its grid for a profile."""
    document = load_yaml(file)
    check(document, "experiment")
    value: Json = document.value
    _check_profiles(document, profile, recipes)
    _check_engines(document)
    scale = value["profiles"][profile]
    cells = list(_cells(document, scale["graphs"], recipes))
    return Experiment(
        name=Path(file).stem,
        title=value["title"],
        answers=value["answers"],
        paper=value.get("paper"),
        graphs=scale["graphs"],
        layouts=value["layouts"],
        cells=cells,
        trials=scale.get("trials", 1),
        replay=value.get("replay"),
        excluded=[
            e for e in value.get("exclude", []) if e.get("graph") in (None, *scale["graphs"])
        ],
    )


def _check_profiles(document: Document, profile: str, recipes: Json) -> None:
    profiles = document.value["profiles"]
    if profile not in profiles:
        raise ConfigError(
            f"{document.place(['profiles'])}: no profile '{profile}'; there are: "
            f"{', '.join(profiles)}"
        )
    for name, scale in profiles.items():
        for i, graph in enumerate(scale["graphs"]):
            if graph not in recipes:
                raise ConfigError(
                    f"{document.place(['profiles', name, 'graphs', i])}: unknown graph '{graph}'; "
                    f"there are: {', '.join(recipes)}"
                )


def _check_engines(document: Document) -> None:
    value = document.value
    for engine, spec in value.get("engines", {}).items():
        for i, layout in enumerate(spec["layouts"]):
            if layout not in value["layouts"]:
                raise ConfigError(
                    f"{document.place(['engines', engine, 'layouts', i])}: engine '{engine}' names "
                    f"layout '{layout}', which `layouts` does not have"
                )
        for i, frames in enumerate(spec.get("frames", [])):
            if frames.endswith("%") and not 0 < float(frames[:-1]) <= 100:
                raise ConfigError(
                    f"{document.place(['engines', engine, 'frames', i])}: a pool of {frames}; a "
                    "share is above 0% and at most 100%"
                )
        if "replay" in value and engine in TRACELESS:
            raise ConfigError(
                f"{document.place(['engines', engine])}: '{engine}' reads no blocks, so it leaves "
                "no trace to replay"
            )
    for i, rule in enumerate(value.get("exclude", [])):
        for key, known in (("engine", value["engines"]), ("workload", value["workloads"])):
            if key in rule and rule[key] not in known:
                raise ConfigError(
                    f"{document.place(['exclude', i, key])}: excludes {key} '{rule[key]}', which "
                    "the experiment does not have"
                )


def _check_agreement(experiments: list[Experiment]) -> None:
    """One layout name means one layout: two would overwrite each other in the container."""
    seen: dict[str, tuple[str, Json]] = {}
    for experiment in experiments:
        for name, choices in experiment.layouts.items():
            other, first = seen.setdefault(name, (experiment.name, choices))
            if first != choices:
                raise ConfigError(
                    f"layout '{name}' is {choices} in {experiment.name} but {first} in {other}; "
                    "give one of them another name"
                )


def _cells(document: Document, graphs: list[str], recipes: Json) -> Iterator[Cell]:
    value = document.value
    for graph in graphs:
        for engine, spec in value.get("engines", {}).items():
            for workload, parameters in value["workloads"].items():
                if _excluded(value.get("exclude", []), graph, engine, workload):
                    continue
                for layout, threads, frames, memory in itertools.product(
                    spec["layouts"],
                    spec.get("threads", [2]),
                    spec.get("frames", [None]),
                    spec.get("memory", [None]),
                ):
                    yield Cell(
                        graph=graph,
                        recipe=recipe_of(recipes[graph]),
                        layout=layout,
                        choices=value["layouts"][layout],
                        engine=engine,
                        workload=workload,
                        parameters=parameters or {},
                        threads=threads,
                        frames=frames,
                        memory=memory,
                        backend=spec.get("backend"),
                        depth=spec.get("depth"),
                        verify=value.get("verify", True),
                        seconds=value.get("seconds", 600),
                        trace="replay" in value,
                    )


def _excluded(rules: list[Json], graph: str, engine: str, workload: str) -> bool:
    actual = {"graph": graph, "engine": engine, "workload": workload}
    return any(all(rule.get(k, v) == v for k, v in actual.items()) for rule in rules)
