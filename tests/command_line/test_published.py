# SPDX-License-Identifier: Apache-2.0
"""`form=published`: each engine's knobs as the program of its paper has them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.forms import PROGRAMS
from outcore_analysis.ladder import rungs
from outcore_analysis.yamllines import load_yaml

from .conftest import ROOT, Runs, outcore

Json = dict[str, Any]
LAYOUTS = {
    "async_block": ["--preset", "acgraph"],
    "binning": ["--preset", "csr"],
    "chunk_mmap": ["--preset", "chunkgraph"],
    "concurrent": ["--preset", "cave"],
    "grid": ["--pack", "grid:p=4"],
    "psw": ["--pack", "psw:p=4"],
    "sync_subgraph": ["--preset", "losc"],
}


def count(name: str) -> Callable[[Json], float]:
    """Return what takes a count, which is 0 where the engine does not tell it."""
    return lambda record: record["counts"].get(name, 0)


def of(part: str, name: str) -> Callable[[Json], float]:
    """Return what takes a number of a part of the record."""
    return lambda record: record[part].get(name, 0)


# What grows from the usual form to the published one, and whether the other way round.
MOVES: dict[str, tuple[Callable[[Json], float], bool]] = {
    "async_block": (of("io", "requests"), True),
    "binning": (count("scatterers"), False),
    "chunk_mmap": (count("chunks_populated"), False),
    "concurrent": (of("io", "requests"), True),
    "grid": (of("io", "requests"), False),
    "psw": (of("memory", "frames_bytes"), True),
    "sync_subgraph": (count("edges_constructed"), True),
}


@pytest.fixture(scope="module")
def graph(binary: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "kron"
    outcore("generate", "kronecker", "--scale", 14, "--symmetric", folder)
    for engine, choices in LAYOUTS.items():
        outcore("layout", folder, *choices, "--name", engine)
    return folder


@pytest.fixture
def ran(graph: Path, tmp_path: Path) -> Callable[..., Any]:
    runs = Runs(graph, tmp_path)

    def run(engine: str, settings: str = "", **more: object) -> Any:
        spec = f"{engine}:{settings}" if settings else engine
        asked = {"engine": spec, "layout": engine, "workload": "wcc", "verify": True}
        return runs.run(**asked | {"frames": "2M"} | more)

    return run


@pytest.fixture(scope="module")
def listed(binary: None) -> dict[str, Json]:
    told = json.loads(outcore("list", "--json").stdout)
    return {engine["name"]: engine for engine in told["engines"]}


def test_these_engines_have_one(listed: dict[str, Json]) -> None:
    with_a_form = {name for name, engine in listed.items() if "published" in engine}
    assert with_a_form == set(LAYOUTS) == set(PROGRAMS)
    for name in LAYOUTS:
        (form,) = (p for p in listed[name]["parameters"] if p["name"] == "form")
        assert form["default"] == "usual"
        for knob, value in listed[name]["published"].items():
            assert value in form["help"], knob


@pytest.mark.parametrize("engine", sorted(LAYOUTS))
def test_the_form_moves_a_counter_and_no_answer(
    ran: Callable[..., Any], listed: dict[str, Json], engine: str
) -> None:
    usual, published = ran(engine), ran(engine, "form=published")
    number, grows = MOVES[engine]
    before, after = number(usual), number(published)
    assert after > before if grows else after < before
    assert published["answer"]["digest"] == usual["answer"]["digest"]
    assert published["asked"]["settings"] == {"form": "published"}
    assert published["asked"]["published"] == listed[engine]["published"]
    assert "published" not in usual["asked"]


def test_a_knob_that_is_given_beside_the_form_wins(ran: Callable[..., Any]) -> None:
    published = ran("binning", "form=published", frames="16M")
    assert published["asked"]["max_request_bytes"] == 16 << 10
    assert published["counts"]["scatterers"] == 1
    both = ran("binning", "form=published,roles=any", frames="16M", max_request="64K")
    assert both["asked"]["settings"] == {"form": "published", "roles": "any"}
    assert both["asked"]["max_request_bytes"] == 64 << 10
    assert both["counts"]["scatterers"] == 2
    assert both["io"]["requests"] < published["io"]["requests"]


def test_options_of_the_form_lose_to_those_of_the_command_line(ran: Callable[..., Any]) -> None:
    published = ran("concurrent", "form=published", depth=4)
    assert published["asked"]["backend"] == "threads"
    assert published["cache"]["policy"] == "clock"
    both = ran("concurrent", "form=published", depth=4, backend="mem")
    assert both["asked"]["backend"] == "mem"


def test_an_engine_of_no_paper_has_no_such_form(graph: Path, tmp_path: Path) -> None:
    runs = Runs(graph, tmp_path)
    _, said = runs.fail(2, engine="in_memory:form=published", layout="binning")
    assert "takes no parameters" in said


def test_ladders_lead_from_the_published_form_to_the_usual_one(listed: dict[str, Json]) -> None:
    """Every knob of the form has one step, to its default. What follows is no default."""
    spec = load_yaml(ROOT / "configs/experiments/ladder.yaml").value["engines"]
    assert set(spec) == set(LAYOUTS)
    for name, engine in spec.items():
        facts = listed[name]
        usual = {p["name"]: p["default"] for p in facts["parameters"]}
        usual["max-request"] = f"{facts['max_request'] // 1024}K"
        usual["backend"] = facts["backend"]
        first, last = rungs(engine)[0], rungs(engine)[-1]
        assert (first.settings, first.options) == ({"form": "published"}, {})
        reached = {**last.settings, **last.options} | {"backend": last.backend or usual["backend"]}
        reached = {k: v.replace("1M", "1024K") for k, v in reached.items()}
        for knob in facts["published"]:
            assert reached[knob] == usual[knob], f"{name} {knob}"
            steps = [
                step
                for step in engine["ladder"]
                if knob in {*step, *step.get("settings", {}), *step.get("options", {})}
            ]
            assert len(steps) == 1, f"{name} {knob}"
