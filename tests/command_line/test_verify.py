# SPDX-License-Identifier: Apache-2.0
"""`outcore verify`: the answer of any program is checked as a run's is, in every format."""

import json
import struct
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, outcore, read_record

numpy = pytest.importorskip("numpy")

# A path 10 - 20 - 30 and a pair 40 - 50, by ids far apart, so that ids are no numbers.
EDGES = {10: [20], 20: [10, 30], 30: [20], 4_000_000_040: [4_000_000_050]}
IDS = [10, 20, 30, 4_000_000_040, 4_000_000_050]
LEVELS = [0, 1, 2, -1, -1]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    lines = [f"{a} {b}" for a, others in EDGES.items() for b in others if a < b]
    (tmp_path / "edges.el").write_text("\n".join(lines) + "\n")
    outcore("import", tmp_path / "edges.el", tmp_path / "graph", "--symmetric")
    return tmp_path / "graph"


def verify(graph: Path, values: Path, *words: object, workload: str = "bfs") -> Any:
    source = ["-r", 10] if workload == "bfs" else []
    return outcore(
        "verify", graph, "--workload", workload, *source, "--values", values, *words, check=False
    )


def text_of(pairs: list[tuple[Any, Any]], separator: str = " ") -> str:
    return "".join(f"{vertex}{separator}{value}\n" for vertex, value in pairs)


def write_levels(folder: Path, form: str) -> Path:
    path = folder / f"levels.{form}"
    pairs = list(zip(IDS, LEVELS, strict=True))
    if form == "txt":
        path.write_text("# vertex level\n" + text_of(pairs[::-1]))
    elif form == "csv":
        path.write_text("vertex,value\n" + text_of(pairs, ","))
    elif form == "tsv":
        path.write_text(text_of([(v, float(level)) for v, level in pairs], "\t"))
    elif form == "npy":
        numpy.save(path, numpy.array(LEVELS, "<i4"))
    elif form == "u32":
        path.write_bytes(struct.pack("<5I", 0, 1, 2, 2**32 - 1, 2**32 - 1))
    elif form == "f32":
        path.write_bytes(struct.pack("<5f", 0, 1, 2, float("inf"), -1))
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"value": LEVELS, "vertex": IDS}), path)
    return path


@pytest.mark.parametrize("form", ["txt", "csv", "tsv", "npy", "u32", "f32", "parquet"])
def test_each_format_is_read(graph: Path, tmp_path: Path, form: str) -> None:
    done = verify(graph, write_levels(tmp_path, form))
    assert done.returncode == 0, done.stderr
    assert "is right (serial search with a queue)" in done.stdout


def test_format_may_be_named(graph: Path, tmp_path: Path) -> None:
    path = write_levels(tmp_path, "u32").rename(tmp_path / "levels")
    assert verify(graph, path).returncode == 3
    assert verify(graph, path, "--format", "u32").returncode == 0


def test_records_of_numpy_name_their_vertices(graph: Path, tmp_path: Path) -> None:
    rows = numpy.array(list(zip(IDS, LEVELS, strict=True))[::-1], [("v", "<u8"), ("x", "<f8")])
    numpy.save(tmp_path / "levels.npy", rows)
    assert verify(graph, tmp_path / "levels.npy").returncode == 0


def test_what_a_run_wrote_is_right(graph: Path, tmp_path: Path) -> None:
    outcore("layout", graph, "--pack", "csr")
    for form in ("csv", "npy", "txt"):
        values = tmp_path / f"ours.{form}"
        words = ("--engine", "in_memory", "--workload", "wcc", "--output", values)
        outcore("run", graph, *words)
        assert verify(graph, values, workload="wcc").returncode == 0


@pytest.mark.parametrize("other", [0, 4 * len(IDS) - 1, 4 * len(IDS), 2**60])
def test_components_may_have_any_labels(graph: Path, tmp_path: Path, other: int) -> None:
    path = tmp_path / "labels.txt"
    path.write_text(text_of(list(zip(IDS, [7, 7, 7, other, other], strict=True))))
    record = tmp_path / "record.json"
    assert verify(graph, path, "--record", record, workload="wcc").returncode == 0
    outcore("layout", graph, "--pack", "csr")
    ours = tmp_path / "ours.json"
    outcore("run", graph, "--engine", "in_memory", "--workload", "wcc", "--record", ours)
    assert read_record(record)["answer"]["digest"] == read_record(ours)["answer"]["digest"]
    path.write_text(text_of(list(zip(IDS, [7, 7, 8, 9, 9], strict=True))))
    assert verify(graph, path, workload="wcc").returncode == 5


def test_any_maximal_independent_set_will_do(graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "set.txt"
    codes = []
    for members in ([1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 1, 0, 1, 0], [1, 0, 0, 1, 0]):
        path.write_text("\n".join(map(str, members)))
        codes.append(verify(graph, path, workload="mis").returncode)
    assert codes == [0, 0, 5, 5], "the last two are not independent, not maximal"


def ranks(iterations: int) -> list[float]:
    lists = [[1], [0, 2], [1], [4], [3]]
    rank = [0.2] * 5
    for _ in range(iterations):
        heard = [0.03] * 5
        for u, targets in enumerate(lists):
            for v in targets:
                heard[v] += 0.85 * rank[u] / len(targets)
        rank = heard
    return rank


def test_ranks_are_those_of_the_iterations_asked_for(graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "ranks.txt"
    path.write_text("\n".join(map(str, ranks(7))))
    asked = ("--set", "iterations=7")
    assert verify(graph, path, *asked, workload="pagerank").returncode == 0
    assert verify(graph, path, "--set", "iterations=2", workload="pagerank").returncode == 5
    path.write_text("\n".join(map(str, ranks(200))))
    until = ("--set", "iterations=1000", "--set", "tolerance=1e-6")
    assert verify(graph, path, *until, workload="pagerank").returncode == 0


def test_vertices_may_be_called_by_number(graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "levels.txt"
    path.write_text(text_of(list(enumerate(LEVELS))))
    refused = verify(graph, path)
    assert refused.returncode == 3
    assert "levels.txt:1: found vertex '0', expected a vertex's id" in refused.stderr
    assert "the graph has 5, with ids from 10 to 4000000050 in its file" in refused.stderr
    assert verify(graph, path, "--numbers").returncode == 0


def test_vertices_with_names(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\nann lee,bob\ncy,dot\n")
    graph = tmp_path / "named"
    outcore("import", tmp_path / "edges.csv", graph, "--ids", "string", "--symmetric")
    path = tmp_path / "labels.txt"
    path.write_text("bob ann lee\nann lee bob\n")
    assert "found vertex 'bob ann'" in verify(graph, path, workload="wcc").stderr
    path.write_text("bob bob\nann lee bob\ncy 4\ndot 4\n")
    assert verify(graph, path, workload="wcc").returncode == 0
    path.write_text("bob bob\nann lee bob\ncy 4\nnobody 4\n")
    assert "such as 'ann lee'" in verify(graph, path, workload="wcc").stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10 0\n20 1\n30 2\n", ": found values of 3 vertices, and none of vertex 4000000040, "),
        ("10 0\n20 1\n10 0\n", ":3: found vertex 10 again, expected one value of each vertex"),
        ("10 0\n20 one\n", ":2: found the value 'one', expected a whole number"),
        ("10 0\n20 1.5\n", ":2: found the value '1.5', expected a whole number"),
        ("10 0\n20 -2\n", ":2: found the value '-2', expected a whole number"),
        ("10 0\n21 1\n", ":2: found vertex '21', expected a vertex's id"),
        ("10 0\n1\n", ":2: found 1 fields, expected 2, as in the first line"),
        ("0\n1\n2\n9\n9\n9\n", ":6: found one more value, expected 5, one a vertex"),
        ("", ": found values of 0 vertices, and none of vertex 10, "),
    ],
)
def test_files_without_an_answer(graph: Path, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "levels.txt"
    path.write_text(text)
    record = tmp_path / "record.json"
    done = verify(graph, path, "--record", record)
    assert done.returncode == 3
    assert f"levels.txt{message}" in done.stderr
    outcome = read_record(record)["outcome"]
    assert outcome["status"] == "failed" and outcome["exit_code"] == 3
    assert message in outcome["reason"]


def test_broken_binary_files(graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "levels.u32"
    path.write_bytes(bytes(18))
    assert "at offset 18: found the end of the file in a value" in verify(graph, path).stderr
    path = tmp_path / "levels.npy"
    path.write_bytes(b"no array at all")
    assert "expected the beginning of NumPy's format" in verify(graph, path).stderr
    numpy.save(path, numpy.zeros((5, 3)))
    assert "expected a row of numbers" in verify(graph, path).stderr
    numpy.save(path, numpy.array(LEVELS, ">i4"))
    assert "values of NumPy's type >i4" in verify(graph, path).stderr


def test_wrong_answer_leaves_a_record(graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "levels.txt"
    path.write_text("0\n1\n3\n-1\n-1\n")
    record = tmp_path / "record.json"
    done = verify(graph, path, "--record", record)
    assert done.returncode == 5
    assert "bfs gave a wrong answer" in done.stderr
    assert read_record(record)["answer"]["verified"]["passed"] is False


@pytest.fixture(scope="module")
def kron(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = tmp_path_factory.mktemp("kron") / "kron"
    outcore("generate", "kronecker", "--scale", 10, "--symmetric", graph)
    outcore("layout", graph, "--pack", "csr")
    return graph


def workloads() -> list[str]:
    """Return what the binary knows; nothing if it is not built."""
    if not BINARY.exists():
        return []
    told = json.loads(outcore("list", "workloads", "--json").stdout)
    return [entry["name"] for entry in told["workloads"]]


@pytest.mark.parametrize("workload", workloads())
def test_one_value_that_is_wrong_is_caught(kron: Path, tmp_path: Path, workload: str) -> None:
    path, asked = tmp_path / "theirs.npy", ["--workload", workload]
    asked += {"kcore": ["--set", "k=8"]}.get(workload, [])
    outcore("run", kron, "--engine", "in_memory", *asked, "--output", path)
    answer = numpy.load(path)
    assert outcore("verify", kron, *asked, "--values", path, check=False).returncode == 0
    answer["value"][len(answer) // 2] += 1
    numpy.save(path, answer)
    done = outcore("verify", kron, *asked, "--values", path, check=False)
    assert done.returncode == 5 and f"{workload} gave a wrong answer" in done.stderr


def test_record_names_the_program(graph: Path, tmp_path: Path) -> None:
    known = {"version": "9.1", "command": ["theirs", "-g", "x y"], "cores": 3}
    known |= {"memory_bytes": 1 << 20, "phases": {"run_s": 0.5}}
    (tmp_path / "known.json").write_text(json.dumps(known))
    record = tmp_path / "record.json"
    words = ("--engine", "theirs", "--external", tmp_path / "known.json", "--record", record)
    assert verify(graph, write_levels(tmp_path, "csv"), *words).returncode == 0
    found = read_record(record)
    assert found["external"] == known
    assert found["asked"]["engine"] == "theirs"
    assert found["asked"]["threads"] == 3 and found["asked"]["memory_bytes"] == 1 << 20
    assert found["answer"]["output"].endswith("levels.csv")
    assert found["graph"]["vertices"] == 5


def test_what_is_refused_leaves_no_record(graph: Path, tmp_path: Path) -> None:
    values = write_levels(tmp_path, "csv")
    record = tmp_path / "record.json"
    for words, message in (
        (["--engine", "in_memory"], "is an engine of outcore"),
        (["--engine", "../x"], "expected small letters and digits"),
        (["--format", "xml"], "unknown format of values 'xml'"),
        (["-r", "20,30"], "name one source"),
    ):
        done = verify(graph, values, *words, "--record", record)
        assert done.returncode == 2 and message in done.stderr
        assert not record.exists() or words[0] == "--format"
        record.unlink(missing_ok=True)
    (tmp_path / "known.json").write_text('{"edition": "9"}')
    done = verify(graph, values, "--external", tmp_path / "known.json")
    assert done.returncode == 3 and 'found "edition": "9"' in done.stderr


def test_big_answers_agree_with_a_search_by_hand(tmp_path: Path) -> None:
    graph = tmp_path / "kron"
    outcore("generate", "kronecker", "--scale", 9, "--symmetric", graph)
    outcore("export", graph, tmp_path / "graph.csr64")
    offsets = numpy.fromfile(tmp_path / "graph.csr64", "<u8", 513)
    targets = numpy.fromfile(tmp_path / "graph.csr64", "<u4", offset=8 * 513)
    levels = numpy.full(512, 2**32 - 1, "<u4")
    levels[3] = 0
    queue = deque([3])
    while queue:
        u = queue.popleft()
        for v in targets[offsets[u] : offsets[u + 1]]:
            if levels[v] == 2**32 - 1:
                levels[v] = levels[u] + 1
                queue.append(v)
    levels.tofile(tmp_path / "levels.u32")
    words = ("verify", graph, "--workload", "bfs", "--values", tmp_path / "levels.u32", "-r")
    assert outcore(*words, 3, check=False).returncode == 0
    assert outcore(*words, 4, check=False).returncode == 5
