# SPDX-License-Identifier: Apache-2.0
"""`outcore race`: every engine that can run, on layouts that suit it, and the command to keep."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import (
    BINARY,
    SCHEMA,
    TRAITS,
    disguise_layout,
    graph_with_anothers_layout,
    outcore,
)

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A symmetric graph without a layout, in a folder with a blank."""
    graph = tmp_path / "my graph"
    outcore("generate", "kronecker", "--scale", 9, "--symmetric", graph)
    return graph


def raced(graph: Path, *words: object) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(outcore("race", graph, *words, "--json").stdout)
    return rows


def test_every_engine_runs_three_times_and_is_verified(bare: Path) -> None:
    rows = raced(bare, "--workload", "wcc")
    listed = json.loads(outcore("list", "--json").stdout)["engines"]
    of_layouts = {entry["name"] for entry in listed if entry["traits"]["reads"] != "store"}
    assert {row["engine"] for row in rows} == of_layouts
    digests = set()
    for row in rows:
        assert row["failed"] is None and len(row["records"]) == 3
        for record in row["records"]:
            jsonschema.Draft202012Validator(SCHEMA).validate(record)
            assert record["answer"]["verified"]["passed"]
            assert record["asked"]["layout"] == row["layout"]
            assert record["asked"]["frames_bytes"] == 1 << 20, "6% would be too small"
            digests.add(record["answer"]["digest"])
    assert len(digests) == 1
    medians = [sorted(r["phases"]["run_s"] for r in row["records"])[1] for row in rows]
    assert medians == sorted(medians)


def test_the_last_line_is_the_command_to_keep(bare: Path) -> None:
    done = outcore("race", bare, "--workload", "bfs", "-r", "random:3")
    lines = done.stdout.splitlines()
    assert "made layout firstfit for " in done.stdout
    assert any(line.split()[:1] == ["engine"] and "bytes/edge" in line for line in lines)
    command = lines[-1].removeprefix("fastest: ")
    path = f"{BINARY.parent}:{os.environ['PATH']}"
    again = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert "reached " in again.stdout


def test_factors_are_to_the_fastest_that_reads_meanwhile(bare: Path) -> None:
    """The factors that explain each time multiply to it."""
    outcore("layout", bare)
    lines = outcore("race", bare, "--workload", "pagerank").stdout.splitlines()
    (head,) = (at for at, line in enumerate(lines) if line.split()[:1] == ["engine"])
    rows = [re.split("  +", line.strip()) for line in lines[head + 1 : -1]]
    reads = [row for row in rows if not TRAITS.get(row[0], {}).get("keeps_graph_in_memory")]
    for row in rows:
        if row not in reads:
            assert row[4:7] == ["-", "-", "-"]
            continue
        time, edges, bytes_an_edge, rate = (float(cell.removeprefix("x ")) for cell in row[3:7])
        # Each factor is printed to a hundredth.
        rounding = sum(0.005 / factor for factor in (edges, bytes_an_edge, rate))
        assert time == pytest.approx(edges * bytes_an_edge / rate, rel=1.1 * rounding, abs=0.01)
    assert reads[0][3:7] == ["x 1.00"] * 4
    assert len(rows) > len(reads) > 1


def test_a_wrong_answer_fails_the_race(tmp_path: Path) -> None:
    graph = graph_with_anothers_layout(tmp_path)
    disguise_layout(graph)
    done = outcore("race", graph, "--workload", "bfs", check=False)
    assert done.returncode == 5
    assert " on firstfit: bfs gave a wrong answer" in done.stderr
    assert "fastest: " not in done.stdout


def test_a_race_without_a_winner_says_why(bare: Path) -> None:
    done = outcore("race", bare, "--workload", "bfs", "--memory", "0", check=False)
    assert done.returncode == 2
    assert "no engine came to an answer; " in done.stderr and "--memory 0: no run" in done.stderr


def test_what_does_not_fit_is_told_below_the_table(bare: Path) -> None:
    outcore("layout", bare)
    done = outcore(
        *("race", bare, "--workload", "bfs", "--memory", "1G", "--frames", "1K"), check=False
    )
    assert "too small" in done.stdout and "fastest: " in done.stdout
    winner = done.stdout.splitlines()[-1]
    assert "concurrent" not in winner and "async_block" not in winner, "which need frames"


def test_an_engine_that_needs_more_frames_has_them_unless_they_were_asked_for(
    tmp_path: Path,
) -> None:
    """A memory shard of psw is more than 6% here, in however many shards the graph is cut."""
    graph = tmp_path / "graph"
    outcore("generate", "kronecker", "--scale", 16, "--symmetric", graph)
    said = outcore("race", graph, "--workload", "bfs").stdout
    assert re.search(r"^  psw  ", said, re.MULTILINE)
    assert re.search(
        r"^  psw on psw\S*: frames .* MiB, the smallest with which", said, re.MULTILINE
    )
    (refused,) = (
        row for row in raced(graph, "--workload", "bfs", "--frames", "1M") if row["engine"] == "psw"
    )
    assert "--frames 1048576 is too small" in refused["failed"]


def test_a_layout_is_made_for_the_frames(tmp_path: Path) -> None:
    """Four shards are usual; into fewer frames fit smaller ones."""
    graph = tmp_path / "graph"
    outcore("generate", "kronecker", "--scale", 14, "--degree", 32, "--symmetric", graph)
    rows = raced(graph, "--workload", "bfs", "--frames", "4M")
    (psw,) = (row for row in rows if row["engine"] == "psw")
    assert psw["failed"] is None
    assert re.fullmatch(r"psw-p\d+", psw["layout"])


def test_an_engine_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """On a long path a label goes one step a round, and at once without rounds."""
    outcore("generate", "comb", "--spine", 200_000, "--tooth", 0, tmp_path / "path")
    rows = raced(tmp_path / "path", "--workload", "wcc", "--timeout", 2)
    failed = {row["engine"]: row["failed"] for row in rows}
    assert failed["concurrent"] == failed["in_memory"] == "stopped after 2 s"
    assert failed["async_block"] is None


def test_a_directed_graph_is_told_how_to_become_symmetric(tmp_path: Path) -> None:
    outcore("generate", "kronecker", "--scale", 6, tmp_path / "graph")
    done = outcore("race", tmp_path / "graph", "--workload", "mis", check=False)
    assert done.returncode == 2
    assert "build one with: outcore symmetrise" in done.stderr
