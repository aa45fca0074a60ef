# SPDX-License-Identifier: Apache-2.0
"""Imports and exports as a user meets them: killed in the middle, refused, there already."""

import random
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import BINARY, outcore


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text of some megabytes, which takes a while to import."""
    source = random.Random(1)
    path = tmp_path_factory.mktemp("edges") / "edges.wel"
    with path.open("w") as file:
        for _ in range(300_000):
            file.write(f"{source.randrange(9000)} {source.randrange(9000)} {source.random():.3f}\n")
    return path


def kill_later_and_later(result: Path, *words: object) -> None:
    """Kills at ever later moments until the result is there, which then has to be whole."""
    seconds = 0.001
    killed = 0
    while not result.exists():
        with subprocess.Popen([str(BINARY), *map(str, words)]) as process:
            time.sleep(seconds)
            process.kill()
        killed += process.returncode != 0
        seconds *= 1.5
    assert killed > 0


def test_a_killed_import_leaves_nothing_under_the_graphs_name(edges: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    kill_later_and_later(graph, "import", edges, graph, "--memory", "1M")
    outcore("check", graph)
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


def test_a_killed_export_leaves_nothing_under_the_files_name(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    outcore("export", tmp_path / "graph", tmp_path / "whole.adj")
    kill_later_and_later(tmp_path / "x.adj", "export", tmp_path / "graph", tmp_path / "x.adj")
    assert (tmp_path / "x.adj").read_bytes() == (tmp_path / "whole.adj").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph", "whole.adj", "x.adj"]


def test_weights_are_shown_and_come_back(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    assert "directed, weighted" in outcore("inspect", tmp_path / "graph").stdout
    outcore("export", tmp_path / "graph", tmp_path / "x.wel")
    outcore("import", tmp_path / "x.wel", tmp_path / "again")
    for name in ("out.targets", "out.weights", "in.weights"):
        assert (tmp_path / "graph" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_refusals_name_the_line_and_exit_with_bad_input(tmp_path: Path) -> None:
    (tmp_path / "a.wel").write_text("0 1 2\n1 0 nan\n")
    done = outcore("import", tmp_path / "a.wel", tmp_path / "graph", check=False)
    assert done.returncode == 3
    assert "a.wel:2: found 'nan', expected a weight (a finite number)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.wel"]


def test_existing_results_are_replaced_only_with_force(tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n")
    outcore("import", tmp_path / "a.el", tmp_path / "graph")
    (tmp_path / "b.el").write_text("0 1\n1 0\n")
    words = ("import", tmp_path / "b.el", tmp_path / "graph")
    done = outcore(*words, check=False)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert "1 edges" in outcore("inspect", tmp_path / "graph").stdout
    outcore(*words, "--force")
    assert "2 edges" in outcore("inspect", tmp_path / "graph").stdout
