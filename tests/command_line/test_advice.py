# SPDX-License-Identifier: Apache-2.0
"""Commands in messages for the user: they work when pasted into a shell, whatever the path."""

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from .conftest import BINARY, outcore

SYMMETRIC = ("coreness", "kcore", "mis", "wcc-sample")


def run(graph: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the graph with --verify, named as it is seen from `folder`."""
    engine = [] if "--engine" in words else ["--engine", "concurrent"]
    command = [str(BINARY), "run", *engine, "--verify", *words, "--", graph]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def refused(graph: str, folder: Path, *words: str) -> str:
    """Return the message of such a run, which must be refused."""
    done = run(graph, folder, *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr.rstrip("\n")


def paste(message: str, folder: Path) -> str:
    """Run the command with which the message ends, and return the command."""
    command = message.rpartition("build one with: ")[2]
    path = f"{BINARY.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return command


# Where the graph is, how it is named from the working folder, and that folder.
PLACES = {
    "plain": ("mine", "mine", "."),
    "slash": ("mine", "mine/", "."),
    "blanks": ("my graphs/Ann's", "my graphs/Ann's", "."),
    "dash": ("-mine", "-mine", "."),
    "here": ("my graph", ".", "my graph"),
    "above": ("my graph", "..", "my graph/layouts"),
}


@pytest.mark.parametrize("weighted", [False, True], ids=["ids", "weights"])
@pytest.mark.parametrize("place", PLACES)
def test_a_directed_graph_names_the_command_that_makes_it_symmetric(
    tmp_path: Path, place: str, weighted: bool
) -> None:
    graph, named, here = PLACES[place]
    source = tmp_path / f"{graph}.{'wel' if weighted else 'el'}"
    source.parent.mkdir(exist_ok=True)
    edges = "0 1 2.5\n1 2 0.5\n2 1 0.25\n3 4 1\n" if weighted else "0 1\n1 2\n2 1\n3 4\n"
    source.write_text(edges)
    outcore("import", source, tmp_path / graph)
    (tmp_path / here).mkdir(exist_ok=True)

    for workload in SYMMETRIC:
        words = ("--workload", workload, "--layout", "firstfit")
        message = refused(named, tmp_path / here, *words)
        assert f"{workload} needs a symmetric graph" in message
        assert "build one with: outcore symmetrise " in message
    paste(message, tmp_path / here)
    assert source.read_text() == edges, "the user's own file"
    made = tmp_path / f"{graph}-symmetric"
    choices = ["--heads", "2", *(["--weights", "given"] if weighted else [])]
    outcore("layout", made, *choices, "--name", "all")
    for workload in (*SYMMETRIC, "sssp"):
        done = run(str(made), tmp_path, "--workload", workload, "--layout", "all")
        assert done.returncode == 0, done.stderr


def test_a_symmetric_graph_keeps_weights_and_the_ids_of_the_file(tmp_path: Path) -> None:
    """Ids that are far apart, and other files where the command would put its own."""
    (tmp_path / "mine.wel").write_text("100 7 2.5\n7 9000000000 0.5\n55 56 4\n")
    (tmp_path / "mine-symmetric").write_text("in the way\n")
    (tmp_path / "mine-symmetric-2").write_text("in the way\n")
    outcore("import", tmp_path / "mine.wel", tmp_path / "mine")
    paste(refused("mine", tmp_path, "--workload", "mis", "--layout", "firstfit"), tmp_path)
    assert (tmp_path / "mine-symmetric").read_text() == "in the way\n"
    exported = outcore("export", tmp_path / "mine-symmetric-3", "-", "--format", "wel").stdout
    assert sorted(exported.splitlines()) == [
        *("100 7 2.5", "55 56 4", "56 55 4", "7 100 2.5", "7 9000000000 0.5"),
        "9000000000 7 0.5",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("mine", "mine-symmetric", "mine-symmetric-2", "mine-symmetric-3", "mine.wel"),
    ]


def test_a_symmetric_graph_keeps_vertices_without_edges_behind_all_others(tmp_path: Path) -> None:
    offsets, targets = np.array([0, 1, 2, 2, 2, 2], "<u8"), np.array([1, 2], "<u4")
    (tmp_path / "mine.csr64").write_bytes(offsets.tobytes() + targets.tobytes())
    outcore("import", tmp_path / "mine.csr64", tmp_path / "mine")
    paste(refused("mine", tmp_path, "--workload", "mis", "--layout", "firstfit"), tmp_path)
    assert outcore("inspect", tmp_path / "mine-symmetric").stdout.startswith(
        "mine-symmetric: 5 vertices (2 isolated), 4 edges, symmetric\n"
    )


def layout_named_by(message: str) -> str:
    """Return the layout that the message recommends for the next run."""
    named = re.search(r"(?:for|use) --layout (\S+)", message)
    assert named is not None, message
    return named[1]


@pytest.fixture
def weighted(tmp_path: Path) -> Path:
    """A symmetric graph with weights, in a folder with a blank, without a layout."""
    (tmp_path / "edges.wel").write_text("0 1 2.5\n1 2 0.5\n2 3 0.25\n0 3 7\n")
    outcore("import", tmp_path / "edges.wel", tmp_path / "my graph", "--symmetric")
    return tmp_path


@pytest.mark.parametrize("workload", ["bfs", "sssp", "spmv", "wcc-sample"])
def test_a_graph_without_layouts_names_one_that_the_workload_can_take(
    weighted: Path, workload: str
) -> None:
    words = ("--workload", workload, "--layout")
    message = refused("my graph", weighted, *words, "none")
    assert "my graph has no layout yet; " in message
    paste(message, weighted)
    done = run("my graph", weighted, *words, layout_named_by(message))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "choices",
    [
        "--pack firstfit",
        "--pack lplf:window=16,ranges=2 --number degree --place degree --codec svb --block 8K",
        "--preset acgraph",
        "--preset cave --name mine",
        "--preset chunkgraph",
    ],
)
def test_what_a_layout_lacks_is_added_to_its_own_choices(weighted: Path, choices: str) -> None:
    outcore("layout", weighted / "my graph", *choices.split())
    layouts = weighted / "my graph" / "layouts"
    (old,) = [path.name for path in layouts.iterdir()]
    for workload, added in [("sssp", {"weights": "given"}), ("wcc-sample", {"heads": 2})]:
        words = ("--workload", workload, "--layout")
        message = refused("my graph", weighted, *words, old)
        new = layout_named_by(message)
        assert not (layouts / new).exists()
        paste(message, weighted)
        before, after = (
            json.loads((layouts / name / "layout.json").read_text())["choices"]
            for name in (old, new)
        )
        assert after == {**before, **added}
        done = run("my graph", weighted, *words, new)
        assert done.returncode == 0, done.stderr
        assert refused("my graph", weighted, *words, old).endswith(f"use --layout {new}")


def test_a_name_that_another_layout_has_is_not_named(weighted: Path) -> None:
    for name in ("firstfit", "firstfit-given"):
        outcore("layout", weighted / "my graph", "--name", name)
    words = ("--workload", "sssp", "--layout")
    message = refused("my graph", weighted, *words, "firstfit-given")
    assert layout_named_by(message) == "firstfit-given-2"
    paste(message, weighted)
    assert run("my graph", weighted, *words, "firstfit-given-2").returncode == 0
    done = run("my graph", weighted, *words, "firstfit", "--set", "weights=hashed")
    assert done.returncode == 0, "as the message says too"


def test_an_engine_that_reads_lists_names_a_layout_of_lists(weighted: Path) -> None:
    outcore("layout", weighted / "my graph", "--pack", "psw")
    message = refused("my graph", weighted, "--workload", "bfs", "--layout", "psw")
    assert "engine concurrent reads lists, and my graph/layouts/psw holds edges" in message
    paste(message, weighted)
    words = ("--workload", "bfs", "--layout", layout_named_by(message))
    assert run("my graph", weighted, *words).returncode == 0


@pytest.mark.parametrize("weights", ["none", "given"])
def test_negative_weights_are_refused_before_a_layout_or_an_engine_is_built(
    tmp_path: Path, weights: str
) -> None:
    (tmp_path / "edges.wel").write_text("0 1 -2.5\n1 2 0.5\n")
    outcore("import", tmp_path / "edges.wel", tmp_path / "graph")
    outcore("layout", tmp_path / "graph", "--weights", weights, "--name", "it")
    engine = ("--engine", "in_memory", "--backend", "fault", "--fault", "eio@0")
    words = ("--workload", "sssp", "--layout", "it", *engine)
    message = refused("graph", tmp_path, *words)
    assert "sssp needs weights of at least 0, but this graph has -2.5" in message


def test_what_the_graph_or_the_layout_lacks_is_told_before_the_graph_is_read(
    weighted: Path, kronecker: Path
) -> None:
    outcore("layout", weighted / "my graph")
    engine = ("--engine", "in_memory", "--backend", "fault", "--fault", "eio@0")
    for workload in ("sssp", "spmv"):
        words = ("--workload", workload, "--layout", "firstfit", *engine)
        assert "takes the graph's weights, which" in refused("my graph", weighted, *words)
        message = refused(str(kronecker), weighted, *words, "--set", "weights=given")
        assert f"{workload} weights=given: the graph has none" in message


def test_a_run_takes_a_layout_that_suits(weighted: Path) -> None:
    """Of three layouts one is of edges, and one lacks the weights; of two, that of fewer bytes."""
    all_of_it = ["--weights", "given", "--block", "64K", "--name", "all"]
    for words in (["--pack", "psw"], ["--name", "bare"], all_of_it):
        outcore("layout", weighted / "my graph", *words)
    record = weighted / "record.json"
    done = run("my graph", weighted, "--workload", "sssp", "--record", str(record))
    assert done.returncode == 0, done.stderr
    assert json.loads(record.read_text())["asked"]["layout"] == "all"
    os.environ.pop("OUTCORE_QUIET")
    done = run("my graph", weighted, "--workload", "bfs", "--record", str(record))
    os.environ["OUTCORE_QUIET"] = "1"
    assert done.returncode == 0, done.stderr
    assert "layout bare, of all, bare: it has the fewest bytes; --layout takes" in done.stderr
    assert json.loads(record.read_text())["asked"]["layout"] == "bare"


@pytest.mark.parametrize("workload", ["sssp", "spmv"])
def test_a_limit_of_memory_goes_with_the_graphs_own_weights(weighted: Path, workload: str) -> None:
    """What a run needs besides its frames is worked out on a sample, which has weights too."""
    outcore("layout", weighted / "my graph", "--weights", "given")
    words = ("--workload", workload, "--set", "weights=given", "--memory", "64M")
    done = run("my graph", weighted, *words)
    assert done.returncode == 0, done.stderr


def test_without_a_layout_that_suits_the_run_says_how_to_have_one(weighted: Path) -> None:
    outcore("layout", weighted / "my graph", "--pack", "psw")
    message = refused("my graph", weighted, "--workload", "wcc-sample")
    assert "my graph has no layout for wcc-sample on concurrent yet; " in message
    paste(message, weighted)
    done = run("my graph", weighted, "--workload", "wcc-sample")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("pack", "goes"),
    [("grid:p=5", "give p=3"), ("psw:p=5", "give p=3"), ("grid:p=2,groups=3", "give groups=2")],
)
def test_more_intervals_than_go_are_refused_with_how_many_do(
    tmp_path: Path, pack: str, goes: str
) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    outcore("import", tmp_path / "edges.txt", tmp_path / "graph")
    refused = outcore("layout", tmp_path / "graph", "--pack", pack, check=False)
    assert refused.returncode == 2
    assert goes in refused.stderr
    outcore("layout", tmp_path / "graph", "--pack", pack.split(":")[0])
