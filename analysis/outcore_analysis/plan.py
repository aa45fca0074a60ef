# SPDX-License-Identifier: Apache-2.0
"""From configuration to plan: which graphs, layouts and runs there should be.

A plan is checked completely before anything runs. Its unit is the *cell*: one combination of graph,
layout, engine, workload, parameters and limits. A cell's hash covers all of them (and how graph and
layout are made), so a record under that hash answers exactly that question. Every trial of a cell
is one run. In place of a layout a cell may have a stream, which is taken in, or a store.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from outcore_analysis.cluster.nodes import Cluster
from outcore_analysis.contest.contestant import INSTALLED
from outcore_analysis.contest.programme import Bout, bouts_of_experiment, read_programmes
from outcore_analysis.figure_keys import check_figures
from outcore_analysis.forms import PUBLISHED, is_published, with_forms
from outcore_analysis.graphs import Source, import_path, own_graph, read_graphs, recipe_of, sources
from outcore_analysis.ingestion import BY_INGEST, INGEST, engine_of, is_on_disk
from outcore_analysis.inventory import Inventory, inventory
from outcore_analysis.ladder import Rung, rungs, unrolled
from outcore_analysis.machine import machine_name
from outcore_analysis.possible import (
    DEVICES,
    excluded,
    faults,
    goes_on,
    inputs,
    is_recovered,
    kind_of,
    named_inputs,
    parameter_sets,
)
from outcore_analysis.prepare import options_of
from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
PROFILES = ("smoke", "quick", "full")
# Fields of a cell that were added after the first records: not in its hash if they are empty.
LATER = ("device", "dilation", "options", "settings", "model")
USUAL = {"backend": "uring", "device": "real"}  # unless the engine has another
# What callgrind counted for a cell, in the folder of the cell's records (counts.py).
COUNTED = "counts.json"
SWAPS = Path("/proc/swaps")  # a line of titles, then one for each
# Names of targets that no experiment may have.
TAKEN = {*PROFILES, *("all", "graph", "layout", "trial", "replay", "fetch", "tables", "figures")}
TAKEN |= {"claims", "report", "heat", "count", "complete", "stream", "store", "shape", "shapes"}


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
    device: str | None = None
    dilation: float | None = None
    options: Json = field(default_factory=dict)
    settings: Json = field(default_factory=dict)
    # Hash of the contents of the modelled device's file.
    model: str | None = None

    @property
    def further(self) -> str:
        """Return settings of the engine and options of `run`, as in the column `options`."""
        asked = self.settings | self.options
        return " ".join(sorted(f"{k}={v}" if v is not True else k for k, v in asked.items()))

    @cached_property
    def key(self) -> str:
        """The configuration's hash: the name of its folder in the results."""
        return hashlib.sha256(self.json().encode()).hexdigest()[:12]

    def json(self) -> str:
        """Return the cell as JSON, always the same text."""
        told = {k: v for k, v in asdict(self).items() if k not in LATER or v not in (None, {})}
        return json.dumps(told, sort_keys=True, ensure_ascii=False)

    def command(self, binary: str, container: str, record: str, trace: str) -> list[str]:
        """Return the command line that runs the cell once."""
        engine = engine_of(self.engine, self.settings)
        if self.workload in BY_INGEST:
            return self._ingest(binary, container, engine, record)
        words = [binary, "run", container, "--engine", engine]
        words += ["--workload", self.workload]
        if kind_of(self.choices) == "layouts":
            words += ["--layout", self.layout]
        words += ["--threads", str(self.threads)]
        for option in ("frames", "memory", "backend", "depth"):
            if getattr(self, option) is not None:
                words += [f"--{option}", str(getattr(self, option))]
        if self.device is not None:
            words += ["--device", str(DEVICES / f"{self.device}.toml")]
        if self.dilation is not None:
            words += ["--dilation", f"{self.dilation:g}"]
        words += options_of(self.options)
        for name, value in self.parameters.items():
            words += ["--source", str(value)] if name == "source" else ["--set", f"{name}={value}"]
        if self.verify:
            words.append("--verify")
        if self.trace:
            words += ["--trace", trace]
        return [*words, "--record", record]

    def _ingest(self, binary: str, source: str, engine: str, record: str) -> list[str]:
        stream = nothing_beside(record) if kind_of(self.choices) == "stores" else source
        words = [binary, INGEST, stream, "--engine", engine, "--threads", str(self.threads)]
        if self.memory is not None:
            words += ["--memory", self.memory]
        if is_on_disk(self.settings):
            words += ["--store", store_beside(record)]
        words += options_of(self.options | self.parameters)
        if self.verify and kind_of(self.choices) == "streams":
            words.append("--verify")
        return [*words, "--record", record]


def store_beside(record: str) -> str:
    """Return the folder of the store that a run has for itself, and that is removed after it."""
    return f"{record}.store"


def nothing_beside(record: str) -> str:
    """Return the file without updates that is added to a store that is recovered."""
    return f"{record}.nothing"


@dataclass(frozen=True)
class Experiment:
    """An experiment file, reduced to one profile."""

    name: str
    title: str
    answers: str
    paper: Json | None
    graphs: list[str]
    layouts: Json
    # By name, of what its engines read: see possible.inputs.
    streams: Json
    stores: Json
    cells: list[Cell]
    trials: int
    replay: Json | None
    excluded: list[Json]
    figures: list[Json] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    minutes: float | None = None
    # Does callgrind count instructions and misses of each cell too?
    counted: bool = False
    # The generator of each graph, if it has one.
    families: dict[str, str | None] = field(default_factory=dict)
    # Cells, including those that the build lacks.
    wanted: list[Cell] = field(default_factory=list)
    # For each engine that has one, its ladder.
    ladders: dict[str, list[Rung]] = field(default_factory=dict)
    # For each engine of the binary, the default depth and backend.
    usual: dict[str, Json] = field(default_factory=dict)
    # Is each engine run in its published form too?
    in_both_forms: bool = False
    # Its races against other programs, by their keys.
    bouts: dict[str, Bout] = field(default_factory=dict)

    @property
    def drawn(self) -> list[Cell]:
        """Return the cells of its figures: where there are both forms, those in our best."""
        return [c for c in self.cells if not (self.in_both_forms and is_published(c.settings))]

    @property
    def drawn_claims(self) -> list[str]:
        """Return the claims whose numbers its figures show."""
        shown = [entry for figure in self.figures for entry in figure.get("paper", [])]
        return [entry["claim"] for entry in shown if "claim" in entry]

    @property
    def wants_heat(self) -> bool:
        """Tell whether a figure shows which blocks were asked for when."""
        return any(figure["kind"] == "heat" for figure in self.figures)


@dataclass(frozen=True)
class Plan:
    """Everything from which one page of the pipeline is made."""

    profile: str
    campaign: str
    binary: str
    graphs_folder: str
    results_folder: str
    recipes: Json
    experiments: list[Experiment]
    claims: list[str]
    device: str
    paper: str | None = None
    figure: str | None = None
    # Experiments that are not part of this profile.
    elsewhere: tuple[str, ...] = ()
    # Are the experiments the user's own? Then their page judges claims only if asked to.
    own: bool = False
    judges: bool = True
    # Where runs are timed, if not on this machine.
    cluster: Cluster | None = None
    # Races against other programs, by their keys; only the page of a whole profile has them.
    bouts: dict[str, Bout] = field(default_factory=dict)

    @cached_property
    def host(self) -> str:
        """The machine's name, which is that of its records' folder; a cluster's is the user's."""
        return self.cluster.name if self.cluster else machine_name()

    @cached_property
    def raced(self) -> dict[str, Bout]:
        """Return the races of the experiments."""
        return {key: bout for e in self.experiments for key, bout in e.bouts.items()}

    @cached_property
    def races(self) -> dict[str, Bout]:
        """Return all races, those of race files and those of experiments."""
        return self.bouts | self.raced

    @property
    def results(self) -> str:
        """The folder of this page; profiles, papers, figures and own campaigns have one each."""
        words = [self.results_folder, self.campaign if self.own else ""]
        words += [self.profile if self.profile != "quick" else "", self.figure or self.paper or ""]
        return "/".join(word for word in words if word)

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """Return all cells by hash; a cell of two experiments is run once for both."""
        return {cell.key: cell for e in self.experiments for cell in e.cells}

    @property
    def records_folder(self) -> str:
        """The folder of this machine's records of the campaign."""
        return f"{self.results_folder}/{self.campaign}/{self.host}"

    def race_file(self, bout: str) -> str:
        """Return the record of a race."""
        return f"{self.records_folder}/races/{bout}.json"

    def race_layout(self, bout: str) -> list[str]:
        """Return the facts of the layout on which our engine races; none where it is left open."""
        asked = self.races[bout]
        folder = f"{self.records_folder}/layouts/{asked.graph}"
        return [f"{folder}/{asked.layout}.json"] if asked.layout else []

    def races_at_once(self) -> list[str]:
        """Return the records of races that are held with the page, if programs are installed.

        Those of an experiment are held with the page of that experiment alone.
        """
        if self.figure:
            return [self.race_file(key) for key in self.raced]
        if self.profile != "quick" or not INSTALLED.is_dir():
            return []
        return [self.race_file(key) for key, bout in self.bouts.items() if bout.at_once]

    def recipe(self, graph: str) -> Json:
        """Return how a graph is made."""
        return recipe_of(self.recipes[graph])

    def sources(self, graph: str) -> list[Source]:
        """Return the files from which a graph is fetched."""
        return sources(self.recipes[graph])

    def source_of(self, name: str) -> Source:
        """Return the fetched file of that name."""
        files = (file for graph in self.recipes for file in self.sources(graph))
        return next(file for file in files if file.name == name)

    def origin(self, graph: str) -> str:
        """Return the file from which a graph is imported; empty for generated graphs."""
        fetched = self.sources(graph)
        if fetched:
            return f"{self.graphs_folder}/.fetched/{fetched[0].name}"
        return import_path(self.recipes[graph]) if "import" in self.recipes[graph] else ""

    def stamp(self, graph: str) -> str:
        """Return the file that says that the graph was made by its current recipe."""
        text = json.dumps(self.recipe(graph), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{self.graphs_folder}/.recipes/{graph}-{digest}.json"

    def layout_choices(self, layout: str) -> Json:
        """Return how a layout is made."""
        return _choices_of(layout, (e.layouts for e in self.experiments))

    def layout_file(self, key: str) -> str:
        """Return the facts of the layout, the stream or the store on which a cell runs."""
        cell = self.cells[key]
        return f"{self.records_folder}/{kind_of(cell.choices)}/{cell.graph}/{cell.layout}.json"

    def stream_choices(self, stream: str) -> Json:
        """Return how a stream is made."""
        return _choices_of(stream, (e.streams for e in self.experiments))

    def store_choices(self, store: str) -> Json:
        """Return how a store is made, and under `stream` the name of what it takes in."""
        return _choices_of(store, (e.stores for e in self.experiments))

    def titles(self) -> dict[str, str]:
        """Return the graphs' names in words."""
        return {name: recipe["title"] for name, recipe in self.recipes.items()}

    def layouts(self) -> list[tuple[str, str]]:
        """Return (graph, layout name) of all layouts to build; equal names mean equal layouts."""
        pairs = [(g, name) for e in self.experiments for g in e.graphs for name in e.layouts]
        return list(dict.fromkeys(pairs))

    def missing(self) -> list[tuple[str, str]]:
        """Return what is not run and why: what the build lacks, what belongs to other profiles."""
        gaps = [(f"{e.name}: {what}", why) for e in self.experiments for what, why in e.missing]
        if self.elsewhere:
            gaps.append((", ".join(self.elsewhere), f"not part of the profile {self.profile}"))
        return list(dict.fromkeys(gaps))

    def layout_facts(self) -> list[str]:
        """Return the files with the facts of each layout."""
        return [f"{self.records_folder}/layouts/{g}/{name}.json" for g, name in self.layouts()]

    def records(self) -> list[str]:
        """Return the files of all records, each once, in the order of the experiments."""
        wanted = [
            f"{self.records_folder}/{cell.key}/trial-{trial}.json"
            for e in self.experiments
            for cell in e.cells
            for trial in range(1, e.trials + 1)
        ]
        return list(dict.fromkeys(wanted))

    def replays(self) -> list[str]:
        """Return the files of all replayed traces."""
        return [
            f"{self.records_folder}/{cell.key}/trial-{trial}.replay.json"
            for e in self.experiments
            if e.replay
            for cell in e.cells
            for trial in range(1, e.trials + 1)
        ]

    def heats(self) -> list[str]:
        """Return the files of heat maps: which blocks the first trial of a run asked for when."""
        keys = dict.fromkeys(c.key for e in self.experiments if e.wants_heat for c in e.cells)
        return [f"{self.records_folder}/{key}/trial-1.heat.json" for key in keys]

    def counted(self) -> list[str]:
        """Return the files with callgrind's counts of each cell that asks for them."""
        keys = dict.fromkeys(c.key for e in self.experiments if e.counted for c in e.cells)
        return [f"{self.records_folder}/{key}/{COUNTED}" for key in keys]

    def replay_of(self, key: str) -> Json:
        """Return the policies and sizes for the trace of a cell."""
        return next(
            e.replay for e in self.experiments if e.replay and key in (c.key for c in e.cells)
        )


def _choices_of(name: str, parts: Iterable[Json]) -> Json:
    choices: Json = next(part[name] for part in parts if name in part)
    return choices


def make_plan(config: Mapping[str, Any], files: list[str] | None = None) -> Plan:
    """Check the configuration and all files that it names; raise ConfigError.

    Args:
        config: the effective configuration.
        files: the files from which it was merged, the last one winning, for line numbers in errors.
    """
    return _Files.read(config, files or []).plan()


def make_plans(
    config: Mapping[str, Any], files: list[str] | None = None
) -> tuple[Plan, Plan, dict[str, Plan]]:
    """Return the configured plan, the plan of everything, and one for each named target.

    Targets are the profiles and the experiments. An experiment that the configured profile lacks is
    run as in its largest profile.
    """
    read = _Files.read(config, files or [])
    configured = read.plan()
    targets = {profile: read.plan(profile=profile) for profile in read.profiles()}
    for name, document in read.experiments.items():
        profiles = list(document.value["profiles"])
        profile = read.config["profile"]
        scale = profile if profile in profiles else max(profiles, key=PROFILES.index)
        targets[name] = read.plan(profile=scale, figure=name, paper=None)
    everything = [e for plan in [configured, *targets.values()] for e in plan.experiments]
    all_of_it = replace(configured, experiments=everything, bouts=read.bouts)
    return configured, all_of_it, targets


def all_plans(config: Mapping[str, Any]) -> dict[str, Plan]:
    """Return a plan for each profile, as if the build had everything that experiments name."""
    read = replace(_Files.read(config, []), build=None)
    return {profile: read.plan(profile=profile) for profile in read.profiles()}


@dataclass(frozen=True)
class _Files:
    """All files of a configuration, read and checked once for any number of plans."""

    config: Json
    graphs: Json
    experiments: dict[str, Document]
    claims: dict[str, Json]
    build: Inventory | None
    usual: dict[str, Json]  # of each engine that the binary has: what it does unasked
    bouts: dict[str, Bout]

    @classmethod
    def read(cls, config: Mapping[str, Any], files: list[str]) -> _Files:
        """Read and check everything."""
        _check_config(dict(config), files)
        graphs = read_graphs(config["graphs"])[0] | own_graph(config)
        build = inventory(config["binary"])
        experiments: dict[str, Document] = {}
        for file in config["experiments"]:
            document = _checked_experiment(file, graphs, build)
            name = Path(file).stem
            if name in experiments or name in TAKEN:
                raise ConfigError(f"{file}:1: the name '{name}' is taken; give the file another")
            experiments[name] = document
        _check_agreement(experiments)
        claims = {}
        for file in config["claims"]:
            document = load_yaml(file)
            check(document, "claims")
            claims[file] = document.value
        known = {claim["id"] for value in claims.values() for claim in value["claims"]}
        for document in experiments.values():
            check_figures(document, known)
        engines = build.engines if build else {}
        usual = {name: {"depth": e.depth, "backend": e.backend} for name, e in engines.items()}
        layouts = {name for d in experiments.values() for name in d.value.get("layouts", {})}
        bouts = read_programmes(config, graphs, layouts)
        return cls(dict(config), graphs, experiments, claims, build, usual, bouts)

    def profiles(self) -> list[str]:
        """Return the profiles that any experiment has."""
        known = {name for d in self.experiments.values() for name in d.value["profiles"]}
        return [name for name in PROFILES if name in known]

    def plan(self, **changed: Any) -> Plan:
        """Return the plan of the configuration with these keys changed."""
        config = self.config | changed
        profile, paper, figure = config["profile"], config.get("paper"), config.get("figure")
        wanted = {
            name: document
            for name, document in self.experiments.items()
            if (not figure or name == figure) and _of_paper(document.value, paper)
        }
        here = {n: d for n, d in wanted.items() if profile in d.value["profiles"]}
        # The page of a paper whose engine does not exist yet has claims that were not run.
        only_claims = not wanted and not figure and str(paper).lower() in self._papers()
        if not here and not only_claims:
            raise ConfigError(self._nothing(wanted, profile, paper, figure))
        return Plan(
            profile=profile,
            campaign=config["campaign"],
            binary=config["binary"],
            graphs_folder=config["graphs_folder"],
            results_folder=config["results_folder"],
            recipes=self.graphs,
            experiments=[
                read_experiment(document, profile, self.graphs, self.build, self.usual)
                for document in here.values()
            ],
            claims=[
                file
                for file, value in self.claims.items()
                if not paper or value["paper"].lower() == paper.lower()
            ],
            device=config.get("device", "configs/devices/local.toml"),
            paper=paper.lower() if paper else None,
            figure=figure,
            elsewhere=tuple(name for name in wanted if name not in here),
            own=config.get("own", False),
            judges=config.get("judge", True),
            cluster=Cluster.read(config.get("cluster")),
            bouts={} if paper or figure else self.bouts,
        )

    def _papers(self) -> set[str]:
        """Return the papers of all experiments and claims, in lower case."""
        experiments = {d.value["paper"]["name"] for d in self._of_papers()}
        return {n.lower() for n in experiments | {v["paper"] for v in self.claims.values()}}

    def _of_papers(self) -> list[Document]:
        return [d for d in self.experiments.values() if "paper" in d.value]

    def _nothing(
        self, wanted: Mapping[str, Document], profile: str, paper: str | None, figure: str | None
    ) -> str:
        if not wanted:
            asked = {"paper": paper, "figure": figure}
            words = " and ".join(f"{key} '{name}'" for key, name in asked.items() if name)
            return (
                f"no experiment is of {words}; there are the papers "
                f"{', '.join(sorted(self._papers()))} and the figures {', '.join(self.experiments)}"
            )
        document = next(iter(wanted.values()))
        return (
            f"{document.place(['profiles'])}: no profile '{profile}'; there are: "
            f"{', '.join(document.value['profiles'])}"
        )


def _of_paper(value: Json, paper: str | None) -> bool:
    return not paper or str(value.get("paper", {}).get("name", "")).lower() == paper.lower()


def _check_config(config: Json, files: list[str]) -> None:
    merged = Document("configuration", config)
    for file in files:
        source = load_yaml(file)
        for path in source.lines:
            if path:
                merged.lines[path] = source.lines[path]
                merged.file = source.file
    check(merged, "config")
    if config.get("own") and config["campaign"] in TAKEN:
        raise ConfigError(
            f"{merged.place(['campaign'])}: a campaign of your own experiments cannot be called "
            f"'{config['campaign']}': a page of that name is there"
        )


def _checked_experiment(file: str, graphs: Json, build: Inventory | None) -> Document:
    document = load_yaml(file)
    check(document, "experiment")
    document.value = with_forms(document.value)
    found = faults(document, graphs, build) or list(build.unknown(document.value) if build else [])
    if found:
        lines = [f"{document.place(path)}: {message}" for path, message in found]
        raise ConfigError("\n".join(dict.fromkeys(lines)))
    return document


def read_experiment(
    document: Document,
    profile: str,
    graphs: Json,
    build: Inventory | None,
    usual: dict[str, Json],
) -> Experiment:
    """Reduce a checked experiment to a profile, and to what the build can do."""
    value: Json = document.value
    scale = value["profiles"][profile]
    wanted = list(_cells(document, profile, graphs, usual))
    lacks = {cell.key: _lacks(cell, build) for cell in wanted}
    cells = [cell for cell in wanted if not lacks[cell.key]]
    asked = {name for spec in value.get("engines", {}).values() for name in named_inputs(spec)}
    layouts, stores = value.get("layouts", {}), value.get("stores", {})
    used = {cell.layout for cell in cells} | (set(layouts) - asked)
    used |= {stores[name]["stream"] for name in used & set(stores)}
    missing = [
        (_what(cell, lacks[cell.key]), lacks[cell.key]) for cell in wanted if lacks[cell.key]
    ]
    return Experiment(
        name=Path(document.file).stem,
        title=value["title"],
        answers=value["answers"],
        paper=value.get("paper"),
        graphs=scale["graphs"],
        layouts={name: layouts[name] for name in layouts if name in used},
        streams={name: how for name, how in value.get("streams", {}).items() if name in used},
        stores={name: how for name, how in stores.items() if name in used},
        cells=cells,
        trials=scale.get("trials", 1),
        replay=value.get("replay"),
        excluded=[
            e
            for e in value.get("exclude", [])
            if e.get("graph") in (None, *scale["graphs"]) and e.get("profile") in (None, profile)
        ],
        figures=value.get("figures", []),
        missing=list(dict.fromkeys(missing)),
        minutes=scale.get("minutes"),
        counted=value.get("counted", False),
        families={graph: graphs[graph].get("generate") for graph in scale["graphs"]},
        wanted=wanted,
        ladders={name: found for name, spec in _engines(value) if (found := rungs(spec))},
        usual=usual,
        in_both_forms=PUBLISHED in value.get("forms", []),
        bouts=bouts_of_experiment(document, scale["graphs"], parameter_sets),
    )


def _engines(value: Json) -> Iterable[tuple[str, Json]]:
    engines: Json = value.get("engines", {})
    return engines.items()


def _lacks(cell: Cell, build: Inventory | None) -> str:
    """Return why a cell cannot be run here; empty where it can."""
    if build is None:
        return ""
    if cell.options.get("swap") and len(SWAPS.read_text(encoding="utf-8").splitlines()) < 2:
        return f"this machine has no swap space for this workload ({SWAPS}): mkswap, swapon"
    return build.lacks(cell.engine, cell.workload, cell.backend)


def _what(cell: Cell, why: str) -> str:
    return f"{cell.engine} {cell.workload}" if "workload" in why else cell.engine


def _check_agreement(experiments: Mapping[str, Document]) -> None:
    """Refuse two layouts of one name: they would overwrite each other in the container."""
    seen: dict[str, tuple[str, Json]] = {}
    for experiment, document in experiments.items():
        for name, choices in inputs(document.value).items():
            other, first = seen.setdefault(name, (experiment, choices))
            if first != choices:
                kind = kind_of(choices)
                raise ConfigError(
                    f"{document.place([kind, name])}: {kind[:-1]} '{name}' is {choices} in "
                    f"{experiment} but {first} in {other}; give one of them another name"
                )


def _cells(
    document: Document, profile: str, graphs: Json, usual: dict[str, Json]
) -> Iterator[Cell]:
    value = document.value
    rules = value.get("exclude", [])
    there = inputs(value)
    for graph in value["profiles"][profile]["graphs"]:
        recipe = recipe_of(graphs[graph])
        for engine, spec in value.get("engines", {}).items():
            for workload, parameters in value["workloads"].items():
                for settings in _settings(spec, parameter_sets(parameters), usual.get(engine, {})):
                    names = {"engine": engine, "workload": workload, "layout": settings["layout"]}
                    names |= {"graph": graph, "parameters": settings["parameters"]}
                    names |= {key: settings[key] for key in ("settings", "options")}
                    how = there[settings["layout"]]
                    if excluded(rules, profile, **names) or not goes_on(workload, how):
                        continue
                    if not is_recovered(workload, how, settings["settings"]):
                        continue
                    yield Cell(
                        graph=graph,
                        recipe=recipe,
                        choices=how,
                        engine=engine,
                        workload=workload,
                        verify=value.get("verify", True),
                        seconds=value.get("seconds", 600),
                        trace="replay" in value or _wants_heat(value),
                        **settings,
                    )


def _wants_heat(value: Json) -> bool:
    return any(figure["kind"] == "heat" for figure in value.get("figures", []))


def _settings(spec: Json, parameters: list[Json], engines_own: Json) -> Iterator[Json]:
    """Yield every combination of an engine's lists and of the sets of parameters."""
    for one in unrolled(spec):
        yield from _combined(one, parameters, engines_own)


def _combined(spec: Json, parameters: list[Json], engines_own: Json) -> Iterator[Json]:
    lists: dict[str, Iterable[Any]] = {
        "layout": named_inputs(spec),
        "parameters": parameters,
        "threads": spec.get("threads", [2]),
        "frames": spec.get("frames", [None]),
        "memory": spec.get("memory", [None]),
        "backend": spec.get("backend", [None]),
        "depth": spec.get("depth", [None]),
        "device": spec.get("device", [None]),
        "options": spec.get("options", [{}]),
        "settings": spec.get("settings", [{}]),
    }
    for values in itertools.product(*lists.values()):
        settings = dict(zip(lists, values, strict=True))
        # A cell is the same whether or not a default value is written out.
        usually = USUAL | engines_own
        if is_published(settings["settings"]):
            usually = {"device": USUAL["device"]}  # the form may have another backend
        settings |= {key: None for key, usual in usually.items() if settings[key] == usual}
        drawn_out = spec.get("dilation")
        if isinstance(drawn_out, dict):
            drawn_out = drawn_out.get(settings["device"])
        dilation = drawn_out if settings["device"] else None
        yield settings | {"dilation": dilation, "model": _model(settings["device"])}


def _model(device: str | None) -> str | None:
    """Return the hash of a modelled device's numbers: an edited device is another one."""
    path = DEVICES / f"{device}.toml"
    if device is None or not path.is_file():
        return None
    numbers = tomllib.loads(path.read_text(encoding="utf-8"))
    return hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:12]
