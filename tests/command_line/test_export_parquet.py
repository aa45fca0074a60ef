# SPDX-License-Identifier: Apache-2.0
"""`outcore export` to Parquet, read by pyarrow."""

import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from .conftest import BINARY, outcore

GROUP = 1 << 20  # edges


def made(folder: Path, *words: object) -> Path:
    graph = folder / "graph"
    outcore("generate", *words, graph)
    return graph


def columns(graph: Path) -> dict[str, Any]:
    """The edges, from the container's own files."""
    offsets = np.fromfile(graph / "out.offsets", "<u8").astype("i8")
    found = {"source": np.repeat(np.arange(len(offsets) - 1, dtype="u4"), np.diff(offsets))}
    found["target"] = np.fromfile(graph / "out.targets", "<u4")
    if (graph / "out.weights").exists():
        found["weight"] = np.fromfile(graph / "out.weights", "<f4")
    return found


def expect_same(graph: Path, table: pyarrow.Table) -> None:
    expected = columns(graph)
    assert table.column_names == list(expected)
    for name, values in expected.items():
        assert np.array_equal(table[name].to_numpy(), values), name


@pytest.mark.parametrize("options", [[], ["--symmetric"]])
def test_edges(tmp_path: Path, options: list[str]) -> None:
    graph = made(tmp_path, "kronecker", "--scale", 9, *options)
    outcore("export", graph, tmp_path / "g.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "g.parquet")
    expect_same(graph, table)
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {"source": "uint32", "target": "uint32"}


def test_weights_are_a_column(tmp_path: Path) -> None:
    (tmp_path / "g.wel").write_text("".join(f"{i} {i * i % 97} {i / 7}\n" for i in range(97)))
    outcore("import", tmp_path / "g.wel", tmp_path / "graph")
    outcore("export", tmp_path / "graph", tmp_path / "g.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "g.parquet")
    expect_same(tmp_path / "graph", table)
    assert str(table.schema.field("weight").type) == "float"
    outcore("import", tmp_path / "g.parquet", tmp_path / "back")
    for name in ("out.targets", "out.weights"):
        assert (tmp_path / "graph" / name).read_bytes() == (tmp_path / "back" / name).read_bytes()


def test_row_groups_are_in_the_order_of_sources(tmp_path: Path) -> None:
    graph = made(tmp_path, "kronecker", "--scale", 17, "--degree", 20)
    outcore("export", graph, tmp_path / "g.parquet")
    file = pyarrow.parquet.ParquetFile(tmp_path / "g.parquet").metadata
    edges = file.num_rows
    sizes = [file.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert edges > 2 * GROUP
    assert sizes == [GROUP] * (edges // GROUP) + ([edges % GROUP] if edges % GROUP else [])
    of_sources = [file.row_group(i).column(0).statistics for i in range(file.num_row_groups)]
    for before, after in itertools.pairwise(of_sources):
        assert before.max <= after.min
    expect_same(graph, pyarrow.parquet.read_table(tmp_path / "g.parquet"))


def test_metadata_say_of_which_graph(tmp_path: Path) -> None:
    graph = made(tmp_path, "kronecker", "--scale", 8)
    outcore("export", graph, tmp_path / "g.parquet")
    said = pyarrow.parquet.read_schema(tmp_path / "g.parquet").metadata
    manifest = json.loads((graph / "graph.json").read_text())
    assert said[b"outcore.vertices"] == str(manifest["vertices"]).encode()
    assert said[b"outcore.edges"] == str(manifest["edges"]).encode()
    assert said[b"outcore.checksum"] == manifest["files"]["out.targets"]["hash"].encode()


@pytest.mark.parametrize("parts", [1, 3, 30])
def test_parts_are_files_with_equally_many_edges(tmp_path: Path, parts: int) -> None:
    """The graph has 24 edges, so 30 files are more than enough."""
    graph = made(tmp_path, "grid", "--rows", 3, "--columns", 3)
    folder = tmp_path / "g.parquet"
    done = outcore("export", graph, folder, "--parts", parts, "--json")
    files = sorted(folder.glob("*.parquet"))
    assert len(files) == parts
    rows = [pyarrow.parquet.read_metadata(file).num_rows for file in files]
    assert max(rows) - min(rows) <= 1
    expect_same(graph, pyarrow.parquet.read_table(folder))
    told = json.loads(done.stdout)
    assert told["bytes"] == sum(file.stat().st_size for file in folder.iterdir())


def test_it_comes_back_as_the_graph(tmp_path: Path) -> None:
    graph = made(tmp_path, "grid", "--rows", 20, "--columns", 20)
    outcore("export", graph, tmp_path / "g.parquet")
    outcore("import", tmp_path / "g.parquet", tmp_path / "back", "--symmetrised")
    for name in ("out.offsets", "out.targets"):
        assert (graph / name).read_bytes() == (tmp_path / "back" / name).read_bytes()


def test_parts_replace_only_what_outcore_wrote(tmp_path: Path) -> None:
    graph = made(tmp_path, "kronecker", "--scale", 8)
    folder = tmp_path / "parts"
    words = ["export", graph, folder, "--format", "parquet", "--parts"]
    outcore(*words, 4)
    refused = outcore(*words, 2, check=False)
    assert refused.returncode == 2 and "give --force" in refused.stderr
    outcore(*words, 2, "--force")
    assert len(list(folder.glob("*.parquet"))) == 2
    (folder / "mine.txt").write_text("dear")
    refused = outcore(*words, 3, "--force", check=False)
    assert refused.returncode == 2 and "mine.txt, which outcore did not write" in refused.stderr
    assert (folder / "mine.txt").read_text() == "dear"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["g.sg", "--parts", "2"], "--parts: a file of format sg has no parts, expected parquet"),
        (["-", "--format", "parquet"], "a Parquet file is not written to the standard output"),
        (["g.parquet", "--parts", "0"], "--parts"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, words: list[str], why: str) -> None:
    graph = made(tmp_path, "kronecker", "--scale", 8)
    done = subprocess.run(
        [str(BINARY), "export", str(graph), *words],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and why in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


@pytest.mark.parametrize("parts", [[], ["--parts", "2"]])
def test_a_full_disk_leaves_nothing(tmp_path: Path, parts: list[str]) -> None:
    """A limit of the size of files stands for a full disk: a write fails half way."""
    graph = made(tmp_path, "kronecker", "--scale", 12)
    limited = ["prlimit", "--fsize=20000", str(BINARY), "export", str(graph)]
    done = subprocess.run(
        [*limited, str(tmp_path / "g.parquet"), *parts],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3 and "g.parquet: " in done.stderr and "File too large" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


def test_a_python_without_pyarrow_is_said(tmp_path: Path) -> None:
    graph = made(tmp_path, "kronecker", "--scale", 8)
    bare = tmp_path / "bare"
    bare.write_text('#!/bin/sh\nexec python3 -S -E "$@"\n')
    bare.chmod(0o755)
    done = subprocess.run(
        [str(BINARY), "export", str(graph), str(tmp_path / "g.parquet")],
        env=os.environ | {"OUTCORE_PYTHON": str(bare)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and "need Python's pyarrow" in done.stderr
    assert not (tmp_path / "g.parquet").exists()
