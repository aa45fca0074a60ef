# SPDX-License-Identifier: Apache-2.0
"""The benchmark's verb, `python -m outcore_analysis graphalytics`, on LDBC's published examples."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from outcore_analysis.__main__ import main
from outcore_analysis.graphalytics.faults import GraphalyticsError
from outcore_analysis.graphalytics.matching import difference, same_values
from outcore_analysis.graphalytics.properties import KERNELS, Properties
from outcore_analysis.graphalytics.runs import Runs

from .conftest import BINARY, ROOT

EXAMPLES = json.loads((ROOT / "tests/fixtures/graphalytics/examples.json").read_text())
DIRECTED = "example-directed"
INFINITE = {"BFS": str(2**63 - 1), "SSSP": "infinity"}


def write_example(folder: Path, name: str) -> Path:
    """Write the graph and its references as LDBC does; return its properties."""
    example = EXAMPLES[name]
    properties = {
        "vertex-file": f"{name}.v",
        "edge-file": f"{name}.e",
        "meta.vertices": len(example["vertices"]),
        "meta.edges": len(example["edges"]),
        "directed": str(example["directed"]).lower(),
        "edge-properties.names": "weight",
        "edge-properties.types": "real",
        "algorithms": "bfs, cdlp, lcc, pr, sssp, wcc",
        "bfs.source-vertex": example["source"],
        "cdlp.max-iterations": 2,
        "pr.damping-factor": 0.85,
        "pr.num-iterations": 2,
        "sssp.weight-property": "weight",
        "sssp.source-vertex": example["source"],
    }
    lines = ["# a graph of LDBC's", *(f"graph.{name}.{k} = {v}" for k, v in properties.items())]
    (folder / f"{name}.v").write_text("".join(f"{v}\n" for v in example["vertices"]))
    (folder / f"{name}.e").write_text("".join(f"{u} {v} {w}\n" for u, v, w in example["edges"]))
    for kernel in map(str.upper, KERNELS):
        write_reference(folder, name, kernel, example[kernel])
    path = folder / f"{name}.properties"
    path.write_text("\n".join(lines) + "\n")
    return path


def write_reference(folder: Path, name: str, kernel: str, values: list[Any]) -> None:
    rows = zip(EXAMPLES[name]["vertices"], values, strict=True)
    text = "".join(f"{v} {INFINITE[kernel] if x == 'infinity' else x}\n" for v, x in rows)
    (folder / f"{name}-{kernel}").write_text(text)


def benchmark(properties: Path, *words: object) -> int:
    """Run the verb in this process; return its exit code."""
    folder = properties.parent
    places = ["--graphs", folder / "graphs", "--out", folder / "out", "--binary", BINARY]
    return main(["graphalytics", *map(str, [properties, *places, *words])])


def results(properties: Path) -> Any:
    return json.loads((properties.parent / "out" / "results.json").read_text())["algorithms"]


def edit(properties: Path, old: str, new: str) -> None:
    text = properties.read_text()
    assert old in text
    properties.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("match", "reference", "right", "wrong", "line"),
    [
        ("exact", [3, 1, 2, 0, 1], [3, 1, 2, 0, 1], [3, 1, 2, 5, 1], 3),
        ("equivalence", [1, 1, 1, 2, 2, 3], [81, 81, 81, 32, 32, 12], [31, 52, 31, 31, 31, 74], 1),
        ("equivalence", [1, 1, 2], [5, 5, 6], [5, 5, 5], 2),
        ("equivalence", [1, 2, 1], [2, 1, 2], [2, 1, 3], 2),
        ("epsilon", [0, 0.3, 0.45], [0, 0.30002, 0.45], [1e-6, 0.3, 0.45], 0),
        ("epsilon", [0.45, 0.001], [0.45, 0.001], [0.46, 0.001], 0),
        ("epsilon", [math.inf, 0.23], [math.inf, 0.229997], [1.79769e308, 0.23], 0),
        ("epsilon", [0.23, 0.001], [0.23, 0.001], [0.23, math.inf], 1),
        ("epsilon", [0.23, 0.001], [0.23, 0.001], [0.23, math.nan], 1),
    ],
)
def test_the_rules_are_those_of_the_specification(
    match: str, reference: list[float], right: list[float], wrong: list[float], line: int
) -> None:
    assert same_values(match, pd.Series(reference), pd.Series(right)).all()
    assert same_values(match, pd.Series(reference), pd.Series(wrong)).tolist().index(False) == line


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("engine", ["async_block", "concurrent", "chunk_mmap"])
def test_the_published_examples_pass(tmp_path: Path, name: str, engine: str) -> None:
    properties = write_example(tmp_path, name)
    assert benchmark(properties, "--engine", engine, "--memory", "256M", "--threads", 1) == 0
    told = results(properties)
    assert list(told) == ["bfs", "cdlp", "lcc", "pr", "sssp", "wcc"]
    for kernel, result in told.items():
        assert result["validated"] == "passed"
        assert result["load_s"] > 0 and result["run_s"] > 0
        record = json.loads((tmp_path / "out" / f"{name}-{kernel.upper()}.json").read_text())
        assert record["asked"]["engine"] == engine
        assert record["asked"]["threads"] == 1
        assert record["asked"]["memory_bytes"] == 256 << 20
    # Answers are in the layout of the references: whole numbers to the letter.
    for kernel in "BFS", "CDLP":
        answer = tmp_path / "out" / f"{name}-{kernel}"
        assert answer.read_text() == (tmp_path / f"{name}-{kernel}").read_text()
    rows = [row.split() for row in (tmp_path / "out" / f"{name}-SSSP").read_text().splitlines()]
    assert [int(vertex) for vertex, _ in rows] == EXAMPLES[name]["vertices"]
    expected = [float(value) for value in EXAMPLES[name]["SSSP"]]
    assert [float(value) for _, value in rows] == pytest.approx(expected, rel=1e-4)
    assert [value for _, value in rows].count("infinity") == expected.count(math.inf)


@pytest.mark.parametrize("engine", ["grid", "psw"])
def test_an_engine_of_edges_runs_what_it_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    properties = write_example(tmp_path, DIRECTED)
    asked = ["--algorithms", "cdlp,bfs,PR,wcc,sssp", "--memory", "256M"]
    assert benchmark(properties, "--engine", engine, *asked) == 5
    verdicts = {kernel: result["validated"] for kernel, result in results(properties).items()}
    passed = dict.fromkeys(["bfs", "pr", "wcc", "sssp"], "passed")
    assert verdicts == {"cdlp": "failed", **passed}
    assert f"{engine} cannot run cdlp" in results(properties)["cdlp"]["why"]
    assert "results.json" in capsys.readouterr().err


def planted(kernel: str, values: list[Any]) -> tuple[list[Any], int]:
    """Return a reference with one value wrong, and its line."""
    wrong = list(values)
    at = next(i for i in range(3, len(values)) if values[i] not in (0, "infinity"))
    if kernel in ("PR", "LCC", "SSSP"):
        wrong[at] = values[at] * 1.0002
    elif kernel == "BFS":
        wrong[at] = values[at] + 1
    else:
        wrong[at] = 999
    return wrong, at + 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_planted_wrong_value_is_found_and_its_line_told(tmp_path: Path, name: str) -> None:
    properties = write_example(tmp_path, name)
    lines = {}
    for kernel in map(str.upper, KERNELS):
        wrong, lines[kernel] = planted(kernel, EXAMPLES[name][kernel])
        write_reference(tmp_path, name, kernel, wrong)
    assert benchmark(properties) == 5
    for kernel, result in results(properties).items():
        reference = tmp_path / f"{name}-{kernel.upper()}"
        vertex = EXAMPLES[name]["vertices"][lines[kernel.upper()] - 1]
        assert result["validated"] == "failed"
        place = f"{reference}:{lines[kernel.upper()]}: found vertex {vertex} with "
        assert result["why"].startswith(place)
        assert "expected" in result["why"]


def test_one_wrong_answer_fails_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    properties = write_example(tmp_path, DIRECTED)
    write_reference(tmp_path, DIRECTED, "BFS", [*EXAMPLES[DIRECTED]["BFS"][:-1], 3])
    (tmp_path / f"{DIRECTED}-PR").unlink()
    assert benchmark(properties, "--algorithms", "bfs,pr,sssp") == 5
    verdicts = [result["validated"] for result in results(properties).values()]
    assert verdicts == ["failed", "no reference", "passed"]
    assert f"{DIRECTED}-BFS:10: found vertex 10 with 2, expected 3" in capsys.readouterr().out


def test_an_answer_without_reference_fails_nothing(tmp_path: Path) -> None:
    properties = write_example(tmp_path, DIRECTED)
    (tmp_path / f"{DIRECTED}-BFS").unlink()
    assert benchmark(properties, "--algorithms", "bfs") == 0
    assert results(properties)["bfs"]["validated"] == "no reference"


@pytest.mark.parametrize(
    ("name", "imports", "layouts"), [(DIRECTED, 2, 3), ("example-undirected", 1, 2)]
)
def test_a_graph_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, imports: int, layouts: int
) -> None:
    """A directed one twice: WCC, CDLP and LCC look at edges from both ends."""
    verbs: list[object] = []
    monkeypatch.setattr(
        Runs, "outcore", lambda _, *words: verbs.append(words[0]) or '{"engines": []}'
    )
    monkeypatch.setattr(Runs, "_pack", lambda _: "firstfit")
    runs = Runs("none", Properties.read(write_example(tmp_path, name)), tmp_path, "async_block")
    for kernel in KERNELS:
        runs.loaded(kernel)
    assert verbs.count("import") == imports
    assert verbs.count("layout") == layouts


ANSWER = pd.Series([0, 1, 2], index=[4, 7, 9])


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("4 0\n7 1\n", "", ["2 vertices, and not 9", "the 3 of this graph"]),
        ("", "", ["0 vertices", "another's"]),
        ("4 0\n7 1\n8 2\n", ":3", ["found vertex 8", "one of this graph's"]),
        ("4 0\n7 1\n7 1\n", ":3", ["found vertex 7 again", "each vertex once"]),
        ("4 0\n\n7 1\n", ":2", ["found ''", "a vertex and its value"]),
        ("4 0\n7 one\n", ":2", ["found '7 one'", "a vertex and its value"]),
        ("4 0\n-7 1\n", ":2", ["found '-7 1'", "a vertex and its value"]),
        ("4 0\n7 1 1\n", ":2", ["found '7 1 1'", "a vertex and its value"]),
    ],
)
def test_a_reference_of_another_graph_is_refused(
    tmp_path: Path, text: str, place: str, words: list[str]
) -> None:
    file = tmp_path / "it-BFS"
    file.write_text(text)
    with pytest.raises(GraphalyticsError) as refused:
        difference("bfs", ANSWER, file)
    assert str(refused.value).startswith(f"{file}{place}: found ")
    for word in words:
        assert word in str(refused.value)


def test_lines_of_a_reference_may_come_in_any_order(tmp_path: Path) -> None:
    file = tmp_path / "it-BFS"
    file.write_text("9 2\n4 0\n7 1\n")
    assert difference("bfs", ANSWER, file) is None


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        (".algorithms = bfs,", ".algorithms = bsf,", ":9", ["'bsf'", "bfs, pr, wcc"]),
        (".algorithms", ".algorithm", "", ["no key", ".algorithms = ..."]),
        (".pr.num-iterations", ".pr.iterations", "", ["no key", ".pr.num-iterations = ..."]),
        (".bfs.source-vertex = 1", ".bfs.source-vertex = a", ":10", ["'a'", "a number"]),
        (".v\n", ".w\n", ":2", ["example-directed.w", "not there", "expected a file"]),
        (".e\n", ".f\n", ":3", ["example-directed.f", "not there", "expected a file"]),
        (".directed = true", ".directed = yes", ":6", ["'yes'", "true or false"]),
        (".weight-property = weight", ".weight-property = cost", ":14", ["'cost'", "= weight"]),
        (".directed = true", ".directed true", ":6", ["directed true", "key = value"]),
        (".meta.edges = 17", ".meta.edges = 18", None, ["17", "18"]),
    ],
)
def test_faults_of_properties_are_told_before_anything_runs(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    place: str | None,
    words: list[str],
) -> None:
    properties = write_example(tmp_path, DIRECTED)
    edit(properties, old, new)
    assert benchmark(properties) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert place is None or message.startswith(f"{properties}{place}: found ")
    for word in words:
        assert word in message
    assert not (tmp_path / "out" / "results.json").exists()


def test_vertices_without_edges_have_answers_too(tmp_path: Path) -> None:
    properties = write_example(tmp_path, DIRECTED)
    edit(properties, ".meta.vertices = 10", ".meta.vertices = 11")
    with properties.with_suffix(".v").open("a") as vertices:
        vertices.write("7000000000\n")
    with (tmp_path / f"{DIRECTED}-CDLP").open("a") as reference:
        reference.write("7000000000 7000000000\n")
    assert benchmark(properties, "--algorithms", "cdlp,bfs") == 5
    told = results(properties)
    assert told["cdlp"]["validated"] == "passed"
    assert "10 vertices, and not 7000000000, expected the 11" in told["bfs"]["why"]
    answer = (tmp_path / "out" / f"{DIRECTED}-BFS").read_text()
    assert answer.endswith("\n7000000000 9223372036854775807\n")


def test_an_edge_to_an_unknown_vertex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    properties = write_example(tmp_path, DIRECTED)
    edges = properties.with_suffix(".e")
    edges.write_text(edges.read_text().replace("2 4 0.1\n", "2 44 0.1\n"))
    assert benchmark(properties) == 2
    expected = f"{edges}:3: found '44', expected an id that the graph's .v file has\n"
    assert capsys.readouterr().err == expected


def test_a_source_that_is_no_vertex_fails_its_kernel(tmp_path: Path) -> None:
    properties = write_example(tmp_path, DIRECTED)
    edit(properties, ".bfs.source-vertex = 1\n", ".bfs.source-vertex = 77\n")
    assert benchmark(properties, "--algorithms", "bfs,sssp") == 5
    told = results(properties)
    assert told["bfs"]["why"].startswith(f"{properties}:10: found source 77, expected a vertex of")
    assert told["sssp"]["validated"] == "passed"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithms", "bfs,dfs"], "--algorithms: found 'dfs', expected algorithms of bfs"),
        (["--engine", "quick"], "--engine quick: found 'quick', expected async_block"),
        (["--engine", "evolving"], "--engine evolving: found 'evolving', expected async_block"),
        (["--binary", "/nowhere/outcore"], "--binary /nowhere/outcore: found none"),
        (["--out", "."], "found the references, expected another folder"),
    ],
)
def test_faults_of_the_command_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    properties = write_example(tmp_path, DIRECTED)
    monkeypatch.chdir(tmp_path)
    assert benchmark(properties, *words) == 2
    assert message in capsys.readouterr().err


def test_properties_that_are_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark(tmp_path / "none.properties") == 2
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'none.properties'}: found No such file")
