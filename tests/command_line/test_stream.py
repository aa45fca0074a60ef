# SPDX-License-Identifier: Apache-2.0
"""Streams of updates: made, taken in again, and what is said of wrong ones."""

import json
import os
import struct
from pathlib import Path

import pytest

from .conftest import outcore

DATA = os.environ.get("OUTCORE_DATA")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small directed graph."""
    folder = tmp_path_factory.mktemp("streams") / "graph"
    outcore("generate", "kronecker", "--scale", 9, "--degree", 8, folder)
    return folder


def lists(folder: Path) -> tuple[str, str]:
    """Return the checksums of the targets of all lists."""
    files = json.loads((folder / "graph.json").read_text())["files"]
    return files["out.targets"]["hash"], files["in.targets"]["hash"]


@pytest.mark.parametrize("kind", [["shuffle"], ["sorted"], ["aging", "--factor", 10]])
def test_a_stream_of_a_graph_ends_in_that_graph(
    graph: Path, tmp_path: Path, kind: list[object]
) -> None:
    stream = tmp_path / "stream.ocs"
    made = json.loads(outcore("stream", kind[0], graph, *kind[1:], stream, "--json").stdout)
    edges = json.loads((graph / "graph.json").read_text())["edges"]
    assert made["updates"] == (edges if kind[0] != "aging" else edges + 9 * edges // 2 * 2)
    outcore("ingest", stream, "--verify", "--freeze", tmp_path / "frozen")
    assert lists(tmp_path / "frozen") == lists(graph)
    # Vertices behind the last that has an edge are not known to a stream.
    offsets = (tmp_path / "frozen" / "out.offsets").read_bytes()
    assert (graph / "out.offsets").read_bytes().startswith(offsets)


def test_a_symmetric_graph_goes_in_once_and_stands_at_both_ends(tmp_path: Path) -> None:
    graph, stream, store = (tmp_path / name for name in ("graph", "once.ocs", "store"))
    text = tmp_path / "edges.txt"
    text.write_text("".join(f"{v} {v * v % 97}\n" for v in range(100)) + "5 25\n7 7\n7 7\n")
    outcore("import", text, graph, "--symmetric", "--keep-loops", "--keep-parallel")
    facts = json.loads((graph / "graph.json").read_text())
    assert facts["loops"] > 0 and facts["parallel"] > 0
    made = json.loads(outcore("stream", "shuffle", graph, stream, "--once", "--json").stdout)
    assert made["updates"] == (facts["edges"] + facts["loops"]) // 2
    both_ends = ("--engine", "evolving:lists=symmetric")
    outcore("ingest", stream, *both_ends, "--verify", "--freeze", tmp_path / "frozen")
    frozen, own = (json.loads((g / "graph.json").read_text()) for g in (tmp_path / "frozen", graph))
    assert frozen["files"]["out.targets"]["hash"] == own["files"]["out.targets"]["hash"]
    outcore("ingest", stream, "--engine", "evolving:medium=ssd", "--store", store)
    for workload in ("kcore", "coreness", "mis", "cdlp", "lcc"):
        record = tmp_path / "record.json"
        words = ("--workload", workload, "--verify", "--record", record)
        outcore("run", store, *both_ends, *words)
        told = json.loads(record.read_text())
        assert told["answer"]["verified"]["passed"]
        assert told["graph"]["edges"] == facts["edges"]


def test_kinds_from_nothing_go_into_a_store(tmp_path: Path) -> None:
    for kind in (
        ["growth", "--vertices", 2000, "--degree", 3],
        ["bursts", "--vertices", 2000, "--updates", 9000, "--hot", 50, "--drift", 500],
    ):
        stream = tmp_path / f"{kind[0]}.ocs"
        said = outcore("stream", *kind, stream).stdout
        assert "updates, 0 of them removals" in said
        outcore("ingest", stream, "--verify")


def test_real_streams_are_windowed_by_their_times(tmp_path: Path) -> None:
    triples = [(1, 2, 100), (3, 4, 150), (5, 6, 260)]
    real = tmp_path / "real.tel32"
    real.write_bytes(b"".join(struct.pack("<3I", *triple) for triple in triples))
    words = ("stream", "times", real, tmp_path / "day.ocs", "--window", 100, "--json")
    made = json.loads(outcore(*words).stdout)
    assert (made["updates"], made["removals"]) == (5, 2)
    outcore("ingest", tmp_path / "day.ocs", "--verify")
    outcore("ingest", real, "--verify")


@pytest.mark.parametrize("name", ["collegemsg", "sx-mathoverflow"])
def test_real_streams_of_the_field_go_in(tmp_path: Path, name: str) -> None:
    file = Path(DATA or "") / f"{name}.tel32.zst"
    if not file.exists():
        pytest.skip(f"OUTCORE_DATA={DATA or ''} names no folder with {file.name}")
    stream = tmp_path / "week.ocs"
    week = 7 * 24 * 3600
    words = ("stream", "times", file, stream, "--window", week, "--json")
    assert json.loads(outcore(*words).stdout)["removals"] > 10_000
    outcore("ingest", stream, "--verify")


def test_what_cannot_be_is_refused(graph: Path, tmp_path: Path) -> None:
    def fails(code: int, text: str, *words: object) -> None:
        done = outcore(*words, check=False)
        assert done.returncode == code, done.stderr
        assert text in done.stderr

    stream = tmp_path / "stream.ocs"
    fails(2, "--edges", "stream", "window", graph, stream)
    fails(2, "--edges 0", "stream", "window", graph, stream, "--edges", 0)
    fails(2, "A subcommand is required", "stream")
    fails(2, f"{graph} is directed: --once", "stream", "shuffle", graph, stream, "--once")
    assert not stream.exists()
    outcore("stream", "sorted", graph, stream)
    fails(2, "give --force", "stream", "sorted", graph, stream)
    outcore("stream", "sorted", graph, stream, "--force")
    stream.write_bytes(stream.read_bytes()[:-1])
    fails(3, "4095 bytes at the end", "ingest", stream)
    falling = tmp_path / "falling.tel32"
    falling.write_bytes(struct.pack("<6I", 1, 2, 9, 1, 2, 8))
    fails(3, "at offset 12: found time 8", "stream", "times", falling, tmp_path / "out.ocs")
    log = tmp_path / "old.graphlog"
    log.write_text("# GRAPHLOG\nversion = 0\n__BINARY_SECTION_FOLLOWS\n")
    fails(3, "a graphlog of another version", "ingest", log)
    fails(4, "", "stream", "sorted", graph, "/dev/null/none/out.ocs")
