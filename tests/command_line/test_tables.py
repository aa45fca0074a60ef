# SPDX-License-Identifier: Apache-2.0
"""Tables in and out: CSV, TSV, Parquet and Arrow, with ids that are numbers or names.

The expected values are read by Python's csv, NumPy and pyarrow.
"""

import csv
import io
import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from .conftest import BINARY, Runs, outcore

Edge = tuple[str, str]

URLS = [f'https://example.org/{i % 7}/page,{i}?a=b+c&d="{i}"' for i in range(40)]
PLAIN = [f"vertex-{i}" for i in range(40)]


def exported(graph: Path, form: str = "csv") -> list[list[str]]:
    """The rows of the graph's edges, without the header, sorted."""
    outcore("check", graph)
    text = outcore("export", graph, "-", "--format", form).stdout
    rows = list(csv.reader(io.StringIO(text), delimiter="\t" if form == "tsv" else ","))
    assert rows[0][:2] == ["source", "target"]
    return sorted(rows[1:])


def imported(tmp_path: Path, name: str, text: str, *words: object) -> list[list[str]]:
    """The edges of a file with this text."""
    (tmp_path / name).write_bytes(text.encode())
    outcore("import", tmp_path / name, tmp_path / "graph", "--force", *words)
    return exported(tmp_path / "graph")


def refused(tmp_path: Path, name: str, text: str, *words: object) -> str:
    """Return the message about a file with this text, which leaves no graph."""
    (tmp_path / name).write_bytes(text.encode())
    done = outcore("import", tmp_path / name, tmp_path / "graph", *words, check=False)
    assert done.returncode in (2, 3), done.stderr
    assert not (tmp_path / "graph").exists()
    return done.stderr


PATH = [["0", "1"], ["1", "2"]]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "0,1\n1,2\n", []),
        ("a.csv", "a,b\n0,1\n1,2\n", []),
        ("a.csv", "a,b\r\n0,1\r\n1,2\r\n", []),
        ("a.csv", "# made by hand\n\na,b\n0,1\n\n1,2", []),
        ("a.csv", "a, b\n0, 1\n 1 ,2\n", []),
        ("a.csv", '"a","b"\n"0","1"\n"1","2"\n', []),
        ("a.csv", "a;b\n0;1\n1;2\n", []),
        ("a.csv", "when,dst,src\nmon,1,0\ntue,2,1\n", []),
        ("a.csv", "when,To,FROM\nmon,1,0\ntue,2,1\n", []),
        ("a.csv", "x,y,z\n7,1,0\n8,2,1\n", ["--columns", "z,y"]),
        ("a.csv", "x,y,z\n7,1,0\n8,2,1\n", ["--columns", "3,2"]),
        ("a.csv", "7,1,0\n8,2,1\n", ["--columns", "3,2"]),
        ("a.csv", "3,4\n0,1\n1,2\n", ["--header"]),
        ("a.tsv", "a\tb\n0\t1\n1\t2\n", []),
        ("a.tsv", "\ta\tb\n\t0\t1\n\t1\t2\n", ["--columns", "a,b"]),
        ("a.txt", "a,b\n0,1\n1,2\n", []),
        ("a.txt", "a\tb\n0\t1\n1\t2\n", []),
        ("a.data", "0,1\n1,2\n", []),
        ("a.data", "0\t1\n1\t2\n", []),
        ("a.data", "src dst\n0 1\n1 2\n".replace(" ", "\t"), ["--format", "tsv"]),
    ],
)
def test_tables_are_read_as_people_write_them(
    tmp_path: Path, name: str, text: str, words: list[str]
) -> None:
    assert imported(tmp_path, name, text, *words) == PATH


def test_weights_are_a_column(tmp_path: Path) -> None:
    weighted = [["0", "1", "2.5"], ["1", "2", "0.5"]]
    text = "source,target,weight\n0,1,2.5\n1,2, +0.5 \n"
    assert imported(tmp_path, "a.csv", text) == weighted
    assert imported(tmp_path, "a.csv", text, "--columns", "source,target") == PATH
    swapped = "w\tb\ta\n2.5\t1\t0\n0.5\t2\t1\n"
    assert imported(tmp_path, "a.tsv", swapped, "--columns", "a,b,w") == weighted


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("a,b\n0,1\n1,x\n", [], "a.csv:3: found 'x', expected a vertex id (0 to "),
        ("a,b\n0,1\n1,x\n", [], "or --ids string"),
        ("0,1\n-1,2\n", [], "a.csv:2: found '-1', expected a vertex id"),
        ("a,b\n0,1\n\n2\n", [], "a.csv:4: found 1 columns, expected as many as the first line"),
        ("a,b\n0,\n", [], "a.csv:2: found an empty field, expected a vertex id"),
        ("a,b\n", ["--ids", "string"], "found no edges"),
        ("a,b\nx,\n", ["--ids", "string"], "a.csv:2: found an empty field, expected an id"),
        ('a,b\n"x,y\nu,v\n', ["--ids", "string"], "a.csv:2: found '\"x,y', expected a field whose"),
        ('a,b\n"x"z,y\n', ["--ids", "string"], "expected a field whose quotes end"),
        ('a,b\n"x"z"y",y\n', ["--ids", "string"], "expected a field whose quotes end"),
        ("source,target,weight\n0,1,nan\n", [], "a.csv:2: found 'nan', expected a weight"),
        ("x,0\n1,2\n", [], "a.csv:1: found 'x', expected a vertex id"),
        ("a\n0\n", [], "a.csv:1: found one column, 'a', expected two or more"),
        (
            "a,b\n0,1\n",
            ["--columns", "a,c"],
            "found the columns a, b, expected a column called 'c'",
        ),
        (
            "a,b\n0,1\n",
            ["--columns", "1,3"],
            "found the columns a, b, expected a column called '3'",
        ),
        ("a,b\n0,1\n", ["--columns", "a"], "--columns a: expected the columns of both ends"),
        ("a,b\n0,1\n", ["--columns", "a,,b"], "--columns a,,b: expected the columns"),
        ("a,b\n0,1\n", ["--ids", "names"], "--ids names: expected number or string"),
        ("", [], "found no edges"),
        ("# only this\n", [], "found no edges"),
    ],
)
def test_what_is_wrong_in_a_table_is_named(
    tmp_path: Path, text: str, words: list[str], message: str
) -> None:
    assert message in refused(tmp_path, "a.csv", text, *words)


def test_options_of_tables_are_of_tables(tmp_path: Path) -> None:
    for words in (["--columns", "1,2"], ["--header"], ["--no-header"]):
        assert "is no table; give --format csv" in refused(tmp_path, "a.el", "0 1\n", *words)
    message = refused(tmp_path, "a.gr", "p sp 2 1\na 1 2 3\n", "--ids", "string")
    assert "--ids string: vertices of gr are numbers" in message


def test_numbers_far_apart_are_kept_as_ids(tmp_path: Path) -> None:
    rows = imported(tmp_path, "a.csv", "a,b\n70,9000000000\n9000000000,5\n")
    assert rows == [["70", "9000000000"], ["9000000000", "5"]]
    many = "a,b\n" + "".join(f"{10**9 + 7 * i},{10**12 + i}\n" for i in range(5000))
    assert len(imported(tmp_path, "a.csv", many, "--threads", 3)) == 5000


def random_edges(names: list[str], seed: int = 1) -> list[Edge]:
    source = random.Random(seed)
    return [(source.choice(names), source.choice(names)) for _ in range(300)]


def as_csv(edges: list[Edge], *more: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([["u", "v"], *more, *edges])
    return text.getvalue()


@pytest.mark.parametrize("names", [URLS, PLAIN], ids=["urls", "plain"])
def test_names_are_kept_and_numbered_as_they_come(tmp_path: Path, names: list[str]) -> None:
    edges = random_edges(names)
    rows = imported(tmp_path, "a.csv", as_csv(edges), "--ids", "string", "--threads", 2)
    assert rows == sorted([u, v] for u, v in edges)
    first = list(dict.fromkeys(name for edge in edges for name in edge))
    offsets = np.fromfile(tmp_path / "graph" / "names.offsets", "<u8")
    stored = (tmp_path / "graph" / "names.bytes").read_bytes()
    spans = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    assert [stored[a:b].decode() for a, b in spans] == first


@pytest.mark.parametrize("form", ["snap", "el", "wel", "tsv", "csv"])
def test_names_come_in_every_text_and_through_pipes(tmp_path: Path, form: str) -> None:
    edges = random_edges(PLAIN)
    separator = {"csv": ",", "tsv": "\t"}.get(form, " ")
    weight = f"{separator}1" if form == "wel" else ""
    text = "".join(f"{u}{separator}{v}{weight}\n" for u, v in edges)
    table = ["--no-header"] if form in ("csv", "tsv") else []
    words = ["import", "-", tmp_path / "graph", "--format", form, "--ids", "string", *table]
    subprocess.run([BINARY, *words], input=text.encode(), check=True, capture_output=True)
    assert [row[:2] for row in exported(tmp_path / "graph")] == sorted([u, v] for u, v in edges)
    again = imported(tmp_path, "b.tsv", text.replace(separator, "\t"), "--ids", "string", *table)
    assert len(again) == len(edges) if table else len(edges) - 1


def test_symmetric_names(tmp_path: Path) -> None:
    """Symmetric from the import, or made symmetric afterwards."""
    edges = random_edges(URLS)
    pairs = {(u, v) for a, b in edges if a != b for u, v in [(a, b), (b, a)]}
    expected = sorted(map(list, pairs))
    assert imported(tmp_path, "a.csv", as_csv(edges), "--ids", "string", "--symmetric") == expected
    imported(tmp_path, "a.csv", as_csv(edges), "--ids", "string")
    outcore("symmetrise", tmp_path / "graph", tmp_path / "both")
    assert exported(tmp_path / "both") == expected


def test_many_names_grow_the_dictionary(tmp_path: Path) -> None:
    edges = [(f"a{i}", f"b{i % 90000}") for i in range(120000)]
    text = "".join(f"{u} {v}\n" for u, v in edges)
    (tmp_path / "a.el").write_text(text)
    outcore("import", tmp_path / "a.el", tmp_path / "graph", "--ids", "string", "--memory", "1M")
    outcore("check", tmp_path / "graph")
    back = outcore("export", tmp_path / "graph", "-", "--format", "el").stdout
    assert Counter(back.splitlines()) == Counter(text.splitlines())


def test_damaged_names_are_found(tmp_path: Path) -> None:
    imported(tmp_path, "a.csv", as_csv(random_edges(PLAIN)), "--ids", "string")
    for file, size, message in [
        ("names.order", 4, "found vertex"),
        ("names.offsets", 8, "expected names one after the other"),
    ]:
        path = tmp_path / "graph" / file
        whole = path.read_bytes()
        path.write_bytes(whole[size : 2 * size] * 2 + whole[2 * size :])
        done = outcore("check", tmp_path / "graph", check=False)
        assert done.returncode == 3 and message in done.stderr and file in done.stderr
        path.write_bytes(whole)
    outcore("check", tmp_path / "graph")


def test_a_name_with_a_blank_goes_into_tables_only(tmp_path: Path) -> None:
    text = as_csv([("New York", "Rome"), ("Rome", "tab\there")])
    rows = imported(tmp_path, "a.csv", text, "--ids", "string")
    assert rows == [["New York", "Rome"], ["Rome", "tab\there"]]
    assert exported(tmp_path / "graph", "tsv") == rows
    done = outcore("export", tmp_path / "graph", tmp_path / "x.el", check=False)
    assert done.returncode == 2
    assert "vertex 'New York' has a blank in its name" in done.stderr


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "parquet": lambda table, path: pyarrow.parquet.write_table(table, path, row_group_size=100),
    "arrow": lambda table, path: pyarrow.feather.write_feather(table, path),
    "feather": lambda table, path: pyarrow.feather.write_feather(table, path),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_columns_of_numbers(tmp_path: Path, ending: str) -> None:
    source = np.random.default_rng(1)
    ends = source.integers(0, 90, (400, 2))
    weights = source.random(400).astype(np.float32)
    columns = {"when": [b"x"] * 400, "src": ends[:, 0], "dst": ends[:, 1], "weight": weights}
    WRITERS[ending](pa.table(columns), tmp_path / f"a.{ending}")
    outcore("import", tmp_path / f"a.{ending}", tmp_path / "graph")
    rows = exported(tmp_path / "graph")
    found = Counter((int(u), int(v), np.float32(w)) for u, v, w in rows)
    assert found == Counter(zip(ends[:, 0], ends[:, 1], weights, strict=True))
    words = ["--columns", "dst,src", "--force"]
    outcore("import", tmp_path / f"a.{ending}", tmp_path / "graph", *words)
    turned = Counter((int(u), int(v)) for u, v in exported(tmp_path / "graph"))
    assert turned == Counter(map(tuple, ends[:, ::-1].tolist()))


def test_columns_of_numbers_far_apart_are_read_twice(tmp_path: Path) -> None:
    ends = np.random.default_rng(2).integers(0, 2**63, (300, 2))
    table = pa.table({"source": ends[:, 0], "target": ends[:, 1]})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    outcore("import", tmp_path / "a.parquet", tmp_path / "graph")
    assert exported(tmp_path / "graph") == sorted([str(u), str(v)] for u, v in ends)
    shown = json.loads(outcore("inspect", tmp_path / "graph", "--json").stdout)
    assert shown["provenance"]["bytes"] == (tmp_path / "a.parquet").stat().st_size


@pytest.mark.parametrize("encoded", [False, True])
def test_columns_of_names(tmp_path: Path, encoded: bool) -> None:
    edges = random_edges(URLS)
    columns = [pa.array(column) for column in zip(*edges, strict=True)]
    if encoded:
        columns = [column.dictionary_encode() for column in columns]
    table = pa.table(columns, names=["from", "to"])
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    outcore("import", tmp_path / "a.parquet", tmp_path / "graph", "--ids", "string")
    assert exported(tmp_path / "graph") == sorted([u, v] for u, v in edges)


@pytest.mark.parametrize(
    ("columns", "words", "message"),
    [
        ({"a": [1, None], "b": [2, 3]}, [], "column 'a' has empty cells"),
        ({"a": [1, -2], "b": [2, 3]}, [], "column 'a', rows from 0: Integer value -2"),
        ({"a": ["x", "y"], "b": [2, 3]}, [], "--ids string takes names"),
        ({"a": [1.5, 2.0], "b": [2, 3]}, [], "column 'a', rows from 0: Float value 1.5"),
        (
            {"a": [1, 2], "b": [2, 3]},
            ["--columns", "a,c"],
            "found the columns a, b, expected a column",
        ),
        (
            {"a": [1, 2], "b": [2, 3], "w": [1.0, float("nan")]},
            ["--columns", "a,b,w"],
            "weight nan",
        ),
        ({"a": [1, 2]}, [], "found one column, 'a'"),
        ({"a": [1, 2], "b": [2, 3]}, ["--no-header"], "the columns of this format have names"),
    ],
)
def test_what_is_wrong_in_columns_is_named(
    tmp_path: Path, columns: dict[str, list[object]], words: list[str], message: str
) -> None:
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    done = outcore("import", tmp_path / "a.parquet", tmp_path / "graph", *words, check=False)
    assert done.returncode in (2, 3), done.stderr
    assert message in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "graph").exists()


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    message = refused(tmp_path, "a.parquet", "0 1\n1 2\n")
    assert "a.parquet: " in message and message.count("\n") == 1


def test_without_pyarrow_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyarrow.parquet.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "a.parquet")
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 77\n")
    python.chmod(0o755)
    monkeypatch.setenv("OUTCORE_PYTHON", str(python))
    done = outcore("import", tmp_path / "a.parquet", tmp_path / "graph", check=False)
    assert done.returncode == 2
    assert f"need Python's pyarrow, which {python} does not have; install it" in done.stderr
    assert "OUTCORE_PYTHON" in done.stderr
    monkeypatch.setenv("OUTCORE_PYTHON", str(tmp_path / "none"))
    done = outcore("import", tmp_path / "a.parquet", tmp_path / "graph", check=False)
    assert done.returncode == 4 and "cannot start" in done.stderr


def test_a_symmetric_graph_goes_out_and_comes_back(tmp_path: Path) -> None:
    edges = random_edges(PLAIN)
    imported(tmp_path, "a.csv", as_csv(edges), "--ids", "string", "--symmetric")
    outcore("export", tmp_path / "graph", tmp_path / "x.csv")
    words = ["--ids", "string", "--symmetrised"]
    outcore("import", tmp_path / "x.csv", tmp_path / "back", *words)
    assert exported(tmp_path / "back") == exported(tmp_path / "graph")


@pytest.fixture
def pages(tmp_path: Path) -> tuple[Runs, nx.Graph]:
    """Runs of a graph of URLs, and the same graph in NetworkX."""
    edges = random_edges(URLS[:30], seed=4)[:24]
    imported(tmp_path, "a.csv", as_csv(edges), "--ids", "string", "--symmetric")
    outcore("layout", tmp_path / "graph")
    graph = nx.Graph()
    graph.add_nodes_from(dict.fromkeys(name for edge in edges for name in edge))
    graph.add_edges_from((u, v) for u, v in edges if u != v)
    return Runs(tmp_path / "graph", tmp_path), graph


def test_results_name_vertices_as_the_file_does(pages: tuple[Runs, nx.Graph]) -> None:
    runs, graph = pages
    source = max(graph, key=graph.degree)
    output = runs.folder / "levels.csv"
    record = runs.run(source=source, output=output, verify=True)
    assert record["answer"]["summary"]["source"] == source
    levels = nx.single_source_shortest_path_length(graph, source)
    with output.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["vertex", "value"]
    none = str(2**32 - 1)
    assert rows[1:] == [[name, str(levels.get(name, none))] for name in graph]
    runs.run(workload="wcc", output=output)
    with output.open(newline="") as file:
        labels: dict[str, str] = dict(list(csv.reader(file))[1:])
    order = list(graph)
    for component in nx.connected_components(graph):
        assert {labels[name] for name in component} == {min(component, key=order.index)}


def test_unknown_names_are_refused(pages: tuple[Runs, nx.Graph]) -> None:
    runs, graph = pages
    _, message = runs.fail(2, source="nobody")
    assert "--source nobody: there is no vertex 'nobody'; the graph's vertices have" in message
    assert f"such as '{next(iter(graph))}'" in message
    _, message = runs.fail(2, output=runs.folder / "x.npy")
    assert "NumPy's format cannot hold; use a file name that ends with .csv" in message


def test_several_named_sources(pages: tuple[Runs, nx.Graph]) -> None:
    runs, graph = pages
    one, two = list(graph)[:2]
    words = [*runs.words(workload="bfs"), "-r", one, "-r", two]
    outcore(*words)
    assert [row["source"] for row in runs.record()["trials"]] == [one, two]


@pytest.mark.parametrize("workload", ["bfs", "pagerank", "wcc"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_values_in_tables(kronecker: Path, tmp_path: Path, workload: str, ending: str) -> None:
    runs = Runs(kronecker, tmp_path)
    runs.run(workload=workload, output=tmp_path / "values.npy")
    expected = np.load(tmp_path / "values.npy")
    output = tmp_path / f"values.{ending}"
    runs.run(workload=workload, output=output)
    if ending == "parquet":
        table = pyarrow.parquet.read_table(output)
        kinds = {"bfs": pa.uint32(), "pagerank": pa.float32(), "wcc": pa.uint64()}
        assert table.schema.types == [pa.uint64(), kinds[workload]]
    else:
        options = pyarrow.csv.ParseOptions(delimiter="\t" if ending == "tsv" else ",")
        table = pyarrow.csv.read_csv(output, parse_options=options)
    assert table.column_names == ["vertex", "value"]
    assert table["vertex"].to_numpy().tolist() == expected["vertex"].tolist()
    found = table["value"].to_numpy().astype(expected["value"].dtype)
    assert found.tolist() == expected["value"].tolist()
    assert {p.name for p in tmp_path.iterdir()} == {"record.json", "values.npy", output.name}


def test_infinite_distances_in_parquet(tmp_path: Path) -> None:
    imported(tmp_path, "a.csv", "a,b,weight\n0,1,2\n2,3,1\n")
    outcore("layout", tmp_path / "graph", "--weights", "given", "--name", "it")
    runs = Runs(tmp_path / "graph", tmp_path)
    runs.run(workload="sssp", layout="it", source=0, output=tmp_path / "x.parquet")
    values = pyarrow.parquet.read_table(tmp_path / "x.parquet")["value"].to_pylist()
    assert values == [0, 2, float("inf"), float("inf")]


def test_the_largest_values_are_printed(sparse: Runs) -> None:
    record = sparse.run(source=100, top=3)
    assert record["answer"]["top"] == [
        *({"vertex": 9000000000, "value": 2}, {"vertex": 7, "value": 1}),
        {"vertex": 100, "value": 0},
    ]
    said = outcore(*sparse.words(source=100, top=2)).stdout
    assert "  top      9000000000  2\n           7           1\n" in said
    record = sparse.run(workload="wcc", top=5)
    assert record["answer"]["top"] == [
        {"vertex": 7, "vertices": 3},
        {"vertex": 55, "vertices": 2},
    ]
    assert "top" not in sparse.run(source=100)["answer"]
    assert "--top" in outcore(*sparse.words(top=0), check=False).stderr


@pytest.fixture
def sparse(tmp_path: Path) -> Runs:
    """A path and a pair whose ids are far apart."""
    (tmp_path / "edges.txt").write_text("100 7\n7 9000000000\n55 56\n")
    outcore("import", tmp_path / "edges.txt", tmp_path / "graph", "--symmetric")
    outcore("layout", tmp_path / "graph")
    return Runs(tmp_path / "graph", tmp_path)


@pytest.mark.parametrize("option", ["output", "record", "trace"])
def test_a_folder_that_is_not_there_is_not_made(sparse: Runs, option: str) -> None:
    path = sparse.folder / "none" / "file"
    done = outcore(*sparse.words(**{"record": None, option: path}), check=False)
    assert done.returncode == 2
    assert f"--{option} {path}: there is no folder {path.parent}; make it" in done.stderr
    assert not path.parent.exists()
