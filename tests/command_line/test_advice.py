# SPDX-License-Identifier: Apache-2.0
"""Commands that messages tell the user to run: pasted into a shell they work, whatever the path."""

import os
import subprocess
from pathlib import Path

import pytest

from .conftest import BINARY, outcore

SYMMETRIC = ("coreness", "kcore", "mis", "wcc", "wcc-sample")


def run(graph: str, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A verified run of the graph, named as it is seen from `folder`."""
    command = [str(BINARY), "run", "--engine", "concurrent", "--verify", *words, "--", graph]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def refused(graph: str, folder: Path, *words: str) -> str:
    """What such a run says that must be refused."""
    done = run(graph, folder, *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr.rstrip("\n")


def paste(message: str, folder: Path) -> str:
    """Runs the command that the message ends with, and gives it back."""
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


# Where the graph is, what it is called there, and the folder in which that is said.
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
    paste(message, tmp_path / here)
    assert source.read_text() == edges, "the user's own file"
    made = tmp_path / f"{graph}-symmetric"
    choices = ["--heads", "2", *(["--weights", "given"] if weighted else [])]
    outcore("layout", made, *choices, "--name", "all")
    for workload in (*SYMMETRIC, "sssp"):
        done = run(str(made), tmp_path, "--workload", workload, "--layout", "all")
        assert done.returncode == 0, done.stderr


def test_a_symmetric_graph_keeps_weights_and_the_ids_of_the_file(tmp_path: Path) -> None:
    """Ids so far apart that a pipe does not do, and files where the command would put its own."""
    (tmp_path / "mine.wel").write_text("100 7 2.5\n7 9000000000 0.5\n55 56 4\n")
    (tmp_path / "mine-symmetric.wel").write_text("in the way\n")
    (tmp_path / "mine-symmetric-2").write_text("in the way\n")
    outcore("import", tmp_path / "mine.wel", tmp_path / "mine")
    paste(refused("mine", tmp_path, "--workload", "wcc", "--layout", "firstfit"), tmp_path)
    assert (tmp_path / "mine-symmetric.wel").read_text() == "in the way\n"
    exported = outcore("export", tmp_path / "mine-symmetric-3", "-", "--format", "wel").stdout
    assert sorted(exported.splitlines()) == [
        *("100 7 2.5", "55 56 4", "56 55 4", "7 100 2.5", "7 9000000000 0.5"),
        "9000000000 7 0.5",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("mine", "mine-symmetric-2", "mine-symmetric-3", "mine-symmetric.wel", "mine.wel"),
    ]
