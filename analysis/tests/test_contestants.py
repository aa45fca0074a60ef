# SPDX-License-Identifier: Apache-2.0
"""Descriptions of contestants: the shipped ones, and what is refused."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.contest.contestant import Contestant, default_of, names, variable_of
from outcore_analysis.contest.faults import RaceError, UnracedError
from outcore_analysis.contest.race import Entrant, order_of
from outcore_analysis.yamllines import ConfigError, schema
from workbench import ROOT

PLACES = ["graph", "converted", "answer", "scratch", "source", "threads", "memory", "memory_mb"]
PLACES += ["memory_gb", "pool_mb", "vertices", "edges", "symmetric", "checksum"]
PLACES += ["k", "iterations", "damping", "tolerance", "seed", "alpha", "r_max"]
VALUES = dict.fromkeys(PLACES, "7")
LEAST: dict[str, Any] = {
    "title": "T",
    "about": "a",
    "licence": "l",
    "reference": "r",
    "version": {"command": ["echo", "1"]},
    "graph": {"format": "el"},
    "workloads": {"bfs": {"command": ["echo", "{graph}"]}},
}


def described(folder: Path, **changed: Any) -> Contestant:
    (folder / "t.yaml").write_text(json.dumps(LEAST | changed))
    return Contestant.read("t", {}, folder)


@pytest.mark.parametrize("name", names())
def test_shipped_descriptions_are_whole(name: str, tmp_path: Path) -> None:
    contestant = Contestant.read(name, {name: str(tmp_path)})
    commands = [how["command"] for how in contestant.value["workloads"].values()]
    commands += [contestant.value["graph"].get("convert") or ["echo"]]
    for command in commands:
        filled = contestant.fill(command, VALUES)
        assert not any("{" in word for word in filled)
        scripts = [word for word in filled if word.startswith(str(contestant.scripts.parent))]
        assert all(Path(script).is_file() for script in scripts)
    text = (ROOT / "configs" / "contestants" / f"{name}.yaml").read_text()
    assert not re.search(r"(?<![\w.}:/])/\w", text), "a path of a machine"


def test_what_is_installed_is_described() -> None:
    lines = (ROOT / "contestants" / "requirements.txt").read_text().splitlines()
    pinned = [line.partition("==") for line in lines if line and not line.startswith("#")]
    assert all(version for _, _, version in pinned)
    shipped = {
        name for name in names() if Contestant.read(name).value.get("install") == "make contestants"
    }
    assert len(shipped) == 5
    assert shipped <= {name for name, _, _ in pinned}


def test_placeholders_are_replaced_once(tmp_path: Path) -> None:
    contestant = described(tmp_path)
    filled = contestant.fill(["a{graph}b", "{threads}"], {"graph": "{threads}\\1", "threads": 2})
    assert filled == ["a{threads}\\1b", "2"]


def test_where_programs_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contestant = described(tmp_path)
    assert contestant.variable == variable_of("t") == "OUTCORE_CONTESTANT_T"
    assert variable_of("ligra-mmap.2") == "OUTCORE_CONTESTANT_LIGRA_MMAP_2"
    assert Contestant.read("t", {"t": "/somewhere"}, tmp_path).programs == Path("/somewhere")
    monkeypatch.setenv("OUTCORE_CONTESTANT_T", "/elsewhere")
    assert Contestant.read("t", {"t": "/somewhere"}, tmp_path).programs == Path("/elsewhere")


def test_a_program_without_a_folder_is_unraced(tmp_path: Path) -> None:
    contestant = described(tmp_path)
    homeless = Contestant("t", contestant.value, None, contestant.scripts, contestant.place)
    with pytest.raises(UnracedError, match="set OUTCORE_CONTESTANT_T"):
        homeless.fill(["{programs}/x"], {})
    assert homeless.fill(["x"], {}) == ["x"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"graph": {"format": "xml"}}, "is not one of"),
        ({"workloads": {}}, "should be non-empty"),
        ({"workloads": {"bfs": {"command": "echo x"}}}, "is not of type 'array'"),
        ({"version": {"command": ["x"], "pattern": "no group"}}, "does not match"),
        ({"version": {"command": ["x"], "pattern": "([)"}}, "not a regular expression"),
        (
            {"workloads": {"bfs": {"command": ["x"], "counts": {"reached": "(*)"}}}},
            "not a regular expression",
        ),
    ],
)
def test_wrong_descriptions_name_their_line(tmp_path: Path, changed: Any, message: str) -> None:
    with pytest.raises(ConfigError) as found:
        described(tmp_path, **changed)
    assert "t.yaml:1" in str(found.value) and message in str(found.value)


def test_unknown_names(tmp_path: Path) -> None:
    described(tmp_path)
    with pytest.raises(RaceError, match=r"unknown contestant 'u'; .* describes: t"):
        Contestant.read("u", {}, tmp_path)


def test_times_and_counts_are_read_by_patterns(tmp_path: Path) -> None:
    contestant = described(
        tmp_path,
        times={
            "run": {"pattern": r"took (\S+) us", "unit": "us"},
            "read": {"pattern": r"in (\d+)"},
        },
        workloads={
            "bfs": {
                "command": ["x"],
                "counts": {"reached": r"saw ([\d,]+)", "depth": r"deep (\d+)"},
            },
            "wcc": {"command": ["x"], "times": {"run": {"pattern": r"cc (\d+)"}}},
        },
    )
    printed = "took 5 us\ntook 2500 us\nsaw 9\nsaw 1,234\nin 3\ncc 9"
    assert contestant.times("bfs", printed) == {"run": 0.0025, "read": 3.0}
    assert contestant.times("wcc", printed) == {"run": 9.0, "read": 3.0}
    assert contestant.times("bfs", "took long us") == {}
    assert contestant.counts("bfs", printed) == {"reached": 1234.0, "depth": None}


def test_defaults_are_those_of_the_schema() -> None:
    assert default_of("install") == schema("contestant")["properties"]["install"]["default"]
    assert default_of("version", "pattern") == r"(\S.*)"


@pytest.mark.parametrize("entrants", [2, 3, 5])
def test_everyone_runs_once_a_turn_and_follows_different_ones(entrants: int) -> None:
    everyone = [Entrant(str(number)) for number in range(entrants)]
    orders = [[e.name for e in order_of(everyone, turn)] for turn in range(1, 2 * entrants + 1)]
    assert all(sorted(order) == [e.name for e in everyone] for order in orders)
    assert {order[0] for order in orders} == {e.name for e in everyone}
    pairs = {pair for order in orders for pair in itertools.pairwise(order)}
    followed = {first for first, second in pairs if second == "0"}
    assert len(followed) >= min(2, entrants - 1)
