# SPDX-License-Identifier: Apache-2.0
"""Contestants that are described and not installed: each races with a stand-in of its programs."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, ROOT, outcore
from .stand_ins import PROGRAMS, install
from .test_contest import HOSTILE

# What a race asks for, and what it says of each contestant that is described for it.
RACES: dict[str, tuple[list[str], dict[str, str]]] = {
    "bfs": (
        ["--workload", "bfs", "-r", "0"],
        {
            "gapbs": "counts agree",
            "gridgraph": "counts agree",
            "acgraph": "counts agree",
            "cave": "counts agree",
            "chunkgraph": "counts agree",
            "blaze": "not compared",
            "ligra": "not compared",
        },
    ),
    "bfs-do": (["--workload", "bfs-do", "-r", "0"], {"gapbs": "counts agree"}),
    "wcc": (
        ["--workload", "wcc"],
        {
            "gridgraph": "right",
            "graphchi": "right",
            "libgrape-lite": "right",
            "gapbs": "counts agree",
            "blaze": "counts agree",
            "acgraph": "counts agree",
            "cave": "counts agree",
            "chunkgraph": "not compared",
            "ligra": "not compared",
            "xpgraph": "not compared",
        },
    ),
    "wcc-sample": (["--workload", "wcc-sample"], {"gapbs": "counts agree"}),
    "shares": (
        ["--workload", "pagerank"],
        dict.fromkeys(["gapbs", "chunkgraph", "ligra", "xpgraph"], "not compared"),
    ),
    "ranks": (
        ["--workload", "pagerank", "--set", "form=cave"],
        {"gridgraph": "right"}
        | dict.fromkeys(["lumos", "graphchi", "cave", "pcpm"], "not compared"),
    ),
    "coreness": (
        ["--workload", "coreness"],
        {"chunkgraph": "counts agree", "ligra": "counts agree", "blaze": "not compared"},
    ),
    "kcore": (["--workload", "kcore", "--set", "k=6"], {"acgraph": "counts agree"}),
    "mis": (["--workload", "mis"], {"acgraph": "not compared"}),
    "ppr": (
        ["--workload", "ppr", "-r", "0", "--set", "r_max=1e-6"],
        {"acgraph": "not compared"},
    ),
    "push": (
        ["--workload", "pagerank-push", "--set", "r_max=1e-6"],
        {"acgraph": "not compared"},
    ),
}
ENTRIES = [(race, name) for race, (_, verdicts) in RACES.items() for name in verdicts]
COMPARED = [
    (race, name) for race, name in ENTRIES if RACES[race][1][name] in ("right", "counts agree")
]
Hold = Callable[..., Any]


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Hold:
    """Return what holds a race with all its contestants, once, and returns its record."""
    folder = tmp_path_factory.mktemp("described")
    variables = {}
    for name in PROGRAMS:
        variable = f"OUTCORE_CONTESTANT_{name.upper().replace('-', '_')}"
        variables[variable] = str(install(name, folder / "programs"))
    outcore("generate", "kronecker", "--scale", 6, "--symmetric", folder / "graph")
    outcore("layout", folder / "graph", "--pack", "csr")
    held: dict[tuple[str, ...], Any] = {}

    def race(name: str, *, wrong: bool = False, graph: Path = folder / "graph") -> Any:
        key = (name, str(wrong), str(graph))
        if key not in held:
            asked, verdicts = RACES[name]
            record = folder / "race.json"
            command = [str(BINARY), "race", str(graph), *asked, "--turns", "1"]
            command += [word for one in verdicts for word in ("--with", one)]
            done = subprocess.run(
                [*command, "--record", str(record)],
                env=os.environ | variables | {"STAND_IN_IS_WRONG": "yes" if wrong else ""},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            held[key] = json.loads(record.read_text())
        return held[key]

    return race


def told(record: Any, name: str) -> Any:
    return next(found for found in record["contestants"] if found["name"] == name)


@pytest.mark.parametrize(("race", "name"), ENTRIES)
def test_each_races_by_its_description(hold: Hold, race: str, name: str) -> None:
    record = hold(race)
    found = told(record, name)
    assert found["verdict"] == RACES[race][1][name], found["reason"]
    assert len(found["version"]) == 12, "a digest"
    (turn,) = [one for one in record["records"] if one["raced"]["contestant"] == name]
    assert turn["raced"]["own_s"] > 0, "its own time is read"


@pytest.mark.parametrize(("race", "name"), COMPARED)
def test_another_answer_is_noticed(hold: Hold, race: str, name: str) -> None:
    assert told(hold(race, wrong=True), name)["verdict"] == "answers differ"


def test_every_description_for_a_workload_has_a_race() -> None:
    described = ROOT / "configs" / "contestants"
    for name in PROGRAMS:
        text = (described / f"{name}.yaml").read_text()
        known = {line.strip(" :") for line in text.partition("\nworkloads:\n")[2].splitlines()
                 if line.startswith("  ") and not line.startswith("   ")}  # fmt: skip
        raced = {RACES[race][0][1] for race, one in ENTRIES if one == name}
        assert known == raced, name


@pytest.mark.parametrize(
    ("name", "path"), [(name, path) for name, paths in PROGRAMS.items() for path in paths]
)
def test_stand_ins_refuse_what_they_do_not_know(tmp_path: Path, name: str, path: str) -> None:
    program = install(name, tmp_path) / path
    done = subprocess.run([program, "--colour"], capture_output=True, check=False, timeout=60)
    assert done.returncode not in (0, 255) and b"usage" in done.stderr


def test_what_a_program_has_fixed_keeps_it_out(hold: Hold, tmp_path: Path) -> None:
    """A directed graph is no input for those that need a symmetric one."""
    outcore("generate", "kronecker", "--scale", 6, tmp_path / "graph")
    outcore("layout", tmp_path / "graph", "--pack", "csr")
    record = hold("wcc", graph=tmp_path / "graph")
    for name in ("gridgraph", "acgraph", "ligra"):
        found = told(record, name)
        assert found["verdict"] == "unraced"
        assert "has symmetric fixed: 1, and this race has 0" in found["reason"]


def test_shells_of_descriptions_read_names_as_names(hold: Hold, tmp_path: Path) -> None:
    folder = tmp_path / HOSTILE
    folder.mkdir()
    outcore("generate", "kronecker", "--scale", 6, "--symmetric", folder / "graph")
    outcore("layout", folder / "graph", "--pack", "csr")
    for race, name in (("bfs", "acgraph"), ("bfs", "cave"), ("wcc", "graphchi")):
        found = told(hold(race, graph=folder / "graph"), name)
        assert found["verdict"] == RACES[race][1][name], found["reason"]
    assert list(tmp_path.rglob("hacked")) == [] and not Path("hacked").exists()
