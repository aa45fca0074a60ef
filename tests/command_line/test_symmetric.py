# SPDX-License-Identifier: Apache-2.0
"""Undirected graphs from directed edges with loops and repeats, counted in plain Python."""

import json
import random
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest

from .conftest import Runs, outcore, sealed

Edge = tuple[int, int]


def random_edges(seed: int) -> list[Edge]:
    """Edges among so few vertices that many are loops, repeats or reversed."""
    source = random.Random(seed)
    return [(source.randrange(60), source.randrange(60)) for _ in range(900)]


@pytest.fixture(params=[1, 2])
def edges(request: pytest.FixtureRequest) -> list[Edge]:
    return random_edges(request.param)


@pytest.fixture
def file(edges: list[Edge], tmp_path: Path) -> Path:
    path = tmp_path / "edges.el"
    path.write_text("".join(f"{u} {v}\n" for u, v in edges))
    return path


def stored(graph: Path) -> Counter[Edge]:
    """Return how often each edge is in the graph's lists."""
    outcore("check", graph)
    lines = outcore("export", graph, "-", "--format", "el").stdout.splitlines()
    return Counter((int(u), int(v)) for u, v in (line.split() for line in lines))


def built(*words: object) -> dict[str, object]:
    """Return the JSON output of a verb that makes a graph, without the time."""
    said: dict[str, object] = json.loads(outcore(*words, "--json").stdout)
    assert isinstance(said.pop("seconds"), float)
    return said


def both_ways(edges: list[Edge]) -> Counter[Edge]:
    """Each edge in both directions, a loop once."""
    return Counter(edges) + Counter((v, u) for u, v in edges if u != v)


def repeats(lists: Counter[Edge]) -> tuple[int, int]:
    """Count loops, and repeats of other edges."""
    loops = sum(count for (u, v), count in lists.items() if u == v)
    return loops, sum(count - 1 for (u, v), count in lists.items() if u != v)


def test_symmetric_means_each_edge_once_and_no_loops(
    edges: list[Edge], file: Path, tmp_path: Path
) -> None:
    graph = tmp_path / "graph"
    said = built("import", file, graph, "--symmetric")
    pairs = {frozenset(edge) for edge in edges if len(set(edge)) == 2}
    loops = sum(u == v for u, v in edges)
    assert stored(graph) == Counter({(u, v): 1 for p in pairs for u, v in [(*p,), (*p,)[::-1]]})
    assert said == {
        "graph": str(graph),
        "edges_read": len(edges),
        "loops_read": loops,
        "met_again": len(edges) - loops - len(pairs),
        "vertices": 60,
        "edges": 2 * len(pairs),
        "symmetric": True,
        "loops": 0,
        "parallel": 0,
    }


@pytest.mark.parametrize("keep", [[], ["loops"], ["parallel"], ["loops", "parallel"]])
def test_loops_and_parallel_edges_are_kept_when_asked_for(
    edges: list[Edge], file: Path, tmp_path: Path, keep: list[str]
) -> None:
    graph = tmp_path / "graph"
    said = built("import", file, graph, "--symmetric", *[f"--keep-{what}" for what in keep])
    lists = both_ways(edges)
    if "loops" not in keep:
        lists = Counter({(u, v): count for (u, v), count in lists.items() if u != v})
    if "parallel" not in keep:
        lists = Counter(dict.fromkeys(lists, 1))
    assert stored(graph) == lists
    assert (said["loops"], said["parallel"]) == repeats(lists)
    shown = json.loads(outcore("inspect", graph, "--json").stdout)
    assert (shown["loops"], shown["parallel"]) == repeats(lists)


@pytest.mark.parametrize("drop", [[], ["loops"], ["duplicates"], ["loops", "duplicates"]])
def test_a_directed_graph_keeps_all_unless_told_otherwise(
    edges: list[Edge], file: Path, tmp_path: Path, drop: list[str]
) -> None:
    graph = tmp_path / "graph"
    said = built("import", file, graph, *[f"--drop-{what}" for what in drop])
    kept = [edge for edge in edges if "loops" not in drop or edge[0] != edge[1]]
    lists = Counter(set(kept)) if "duplicates" in drop else Counter(kept)
    assert stored(graph) == lists
    assert (said["loops"], said["parallel"]) == repeats(lists)
    apart = [edge for edge in edges if edge[0] != edge[1]]
    assert said["met_again"] == len(apart) - len(set(apart))


def test_import_and_inspect_say_it_in_words(tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n1 0\n0 1\n2 2\n2 1\n")
    said = outcore("import", tmp_path / "a.el", tmp_path / "plain", "--symmetric").stdout
    assert "plain: 5 edges read, 1 loop, 2 met again; stored as 3 vertices and 4 edges, " in said
    assert "symmetric; " in said and said.endswith(" s\n")
    keep = ("--symmetric", "--keep-loops", "--keep-parallel")
    said = outcore("import", tmp_path / "a.el", tmp_path / "kept", *keep).stdout
    assert "and 9 edges, symmetric with 1 loop and 4 parallel edges; " in said
    shown = outcore("inspect", tmp_path / "kept").stdout
    assert "9 edges with 1 loop and 4 parallel edges, symmetric\n" in shown
    assert "4 edges, symmetric\n" in outcore("inspect", tmp_path / "plain").stdout


def test_contradictions_are_refused(file: Path, tmp_path: Path) -> None:
    for drop, keep in [("--drop-loops", "--keep-loops"), ("--drop-duplicates", "--keep-parallel")]:
        done = outcore("import", file, tmp_path / "graph", drop, keep, check=False)
        assert done.returncode == 2
        assert f"{drop} and {keep} contradict each other: give one" in done.stderr


def test_the_core_is_that_of_the_simple_graph(
    edges: list[Edge], file: Path, tmp_path: Path
) -> None:
    """With parallel edges the core is larger, and the run explains why."""
    k = 17
    simple = nx.Graph(edge for edge in edges if edge[0] != edge[1])
    expected = len(nx.k_core(simple, k))
    sizes = {}
    for name, keep in [("simple", []), ("multi", ["--keep-parallel", "--keep-loops"])]:
        runs = Runs(tmp_path / name, tmp_path)
        outcore("import", file, runs.graph, "--symmetric", *keep)
        outcore("layout", runs.graph)
        asked = {"workload": "kcore", "set": f"k={k}", "verify": True}
        said = outcore(*runs.words(**asked)).stdout
        record = runs.record()
        sizes[name] = record["answer"]["summary"]["in_core"]
        notes = record["answer"]["notes"]
        if name == "simple":
            assert notes == [] and "each counts as a neighbour" not in said
        else:
            loops, parallel = repeats(both_ways(edges))
            assert (record["graph"]["loops"], record["graph"]["parallel"]) == (loops, parallel)
            counted = f"{loops} loops and {parallel:,} parallel edges"
            assert notes == [f"the graph has {counted}: each counts as a neighbour"]
            assert f"note     {notes[0]}\n" in said
    assert 0 < sizes["simple"] == expected < sizes["multi"]


@pytest.mark.parametrize("workload", ["bfs", "wcc"])
def test_workloads_that_take_no_notice_say_nothing(
    file: Path, tmp_path: Path, workload: str
) -> None:
    runs = Runs(tmp_path / "graph", tmp_path)
    outcore("import", file, runs.graph, "--symmetric", "--keep-parallel")
    outcore("layout", runs.graph)
    assert runs.run(workload=workload)["answer"]["notes"] == []


def test_a_count_that_is_not_true_is_found(file: Path, tmp_path: Path) -> None:
    outcore("import", file, tmp_path / "graph", "--symmetric", "--keep-loops")
    manifest = tmp_path / "graph" / "graph.json"
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**told, "loops": told["loops"] + 1}))
    done = outcore("check", tmp_path / "graph", check=False)
    assert done.returncode == 3
    found = f"graph.json: found loops {told['loops'] + 1}, parallel 0, expected loops"
    assert found in done.stderr


def test_a_graph_of_before_they_were_counted_is_read(file: Path, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "graph", tmp_path)
    outcore("import", file, runs.graph, "--symmetric", "--keep-parallel")
    manifest = runs.graph / "graph.json"
    told = json.loads(manifest.read_text())
    del told["loops"], told["parallel"]
    manifest.write_text(json.dumps(sealed(told)))
    outcore("layout", runs.graph)
    record = runs.run(workload="kcore", set="k=3")
    assert record["graph"]["loops"] is None and record["answer"]["notes"] == []
    assert json.loads(outcore("inspect", runs.graph, "--json").stdout)["parallel"] > 0


@pytest.mark.parametrize("flags", [[], ["--keep-loops"], ["--keep-parallel"]])
def test_symmetrise_gives_what_a_symmetric_import_gives(
    file: Path, tmp_path: Path, flags: list[str]
) -> None:
    outcore("import", file, tmp_path / "directed")
    said = built("symmetrise", tmp_path / "directed", tmp_path / "both", *flags)
    expected = built("import", file, tmp_path / "again", "--symmetric", *flags)
    assert {**said, "graph": ""} == {**expected, "graph": ""}
    outcore("check", tmp_path / "both")
    for name in ("out.offsets", "out.targets"):
        both, again = (tmp_path / graph / name for graph in ("both", "again"))
        assert both.read_bytes() == again.read_bytes()


def test_weak_components_of_a_directed_graph(tmp_path: Path) -> None:
    """Compared with NetworkX, with ids far apart and several pieces."""
    source = random.Random(3)
    ids = [7 + 1000003 * i for i in range(400)]
    edges = [(source.choice(ids), source.choice(ids)) for _ in range(260)]
    (tmp_path / "edges.txt").write_text("".join(f"{u}\t{v}\n" for u, v in edges))
    outcore("import", tmp_path / "edges.txt", tmp_path / "directed")
    outcore("symmetrise", tmp_path / "directed", tmp_path / "both")
    outcore("layout", tmp_path / "both")
    runs = Runs(tmp_path / "both", tmp_path)
    output = tmp_path / "labels.txt"
    runs.run(workload="wcc", verify=True, output=output)
    expected = {
        vertex: min(component)
        for component in nx.weakly_connected_components(nx.DiGraph(edges))
        for vertex in component
    }
    lines = (line.split() for line in output.read_text().splitlines())
    assert {int(vertex): int(label) for vertex, label in lines} == expected


def test_symmetrise_keeps_the_least_weight_of_both_directions(tmp_path: Path) -> None:
    (tmp_path / "a.wel").write_text("100 7 2.5\n7 100 0.5\n7 9000000000 4\n")
    outcore("import", tmp_path / "a.wel", tmp_path / "directed")
    outcore("symmetrise", tmp_path / "directed", tmp_path / "both")
    exported = outcore("export", tmp_path / "both", "-", "--format", "wel").stdout
    assert sorted(exported.splitlines()) == [
        *("100 7 0.5", "7 100 0.5", "7 9000000000 4", "9000000000 7 4"),
    ]


def test_what_cannot_be_symmetrised(file: Path, tmp_path: Path) -> None:
    outcore("import", file, tmp_path / "directed")
    outcore("import", file, tmp_path / "both", "--symmetric")
    for words, message in [
        ((tmp_path / "both", tmp_path / "x"), "both is symmetric already"),
        ((tmp_path / "directed", tmp_path / "both"), "both exists; give --force"),
        (
            (tmp_path / "directed", tmp_path / "directed", "--force"),
            "the new graph cannot replace the one that it is made from",
        ),
    ]:
        done = outcore("symmetrise", *words, check=False)
        assert done.returncode == 2 and message in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["both", "directed", "edges.el"]


def test_a_broken_graph_is_not_symmetrised(tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n1 2\n")
    outcore("import", tmp_path / "a.el", tmp_path / "directed")
    (tmp_path / "directed" / "out.targets").write_bytes(bytes([1, 0, 0, 0, 9, 0, 0, 0]))
    done = outcore("symmetrise", tmp_path / "directed", tmp_path / "both", check=False)
    assert done.returncode == 3
    assert "out.targets: found vertex 9, expected 0 to 2" in done.stderr
    assert not (tmp_path / "both").exists()
