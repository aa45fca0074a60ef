# SPDX-License-Identifier: Apache-2.0
"""The catalogue: where files come from, what is checked, how large graphs will be."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from outcore_analysis import graphs
from outcore_analysis.yamllines import ConfigError, load_yaml
from workbench import ROOT, Workbench

FETCHED = {
    "title": "a small world",
    "fetch": [{"url": "http://localhost:1/edges.txt.gz"}],
    "local": {"file": "small.el32", "sha256": "0" * 64, "options": {"symmetric": True}},
    "options": {"format": "snap"},
    "vertices": 5,
    "edges": 4,
}


def test_generated_graphs_tell_their_size_beforehand() -> None:
    kron = {"generate": "kronecker", "options": {"scale": 10, "symmetric": True}}
    assert (graphs.vertices_of(kron), graphs.edges_of(kron)) == (1024, 1024 * 32)
    grid = {"generate": "grid", "options": {"rows": 4, "columns": 8}}
    assert (graphs.vertices_of(grid), graphs.edges_of(grid)) == (32, 128)
    comb = {"generate": "comb", "options": {"spine": 4, "tooth": 2}}
    assert (graphs.vertices_of(comb), graphs.edges_of(comb)) == (12, 24)
    web = {"generate": "hostweb", "options": {"vertices": 100}}
    assert (graphs.vertices_of(web), graphs.edges_of(web)) == (100, 1400)
    assert graphs.vertices_of({"import": "mine.txt"}) is None
    assert graphs.is_symmetric(kron) and graphs.is_symmetric(grid)
    assert graphs.is_symmetric(comb)
    assert not graphs.is_symmetric(web)


@pytest.mark.parametrize(
    ("kind", "options", "vertices", "most_edges"),
    [
        ("band", {"vertices": 50, "width": 3}, 50, 300),
        ("tree", {"vertices": 50, "children": 49}, 50, 100),
        ("cliques", {"cliques": 7, "size": 5, "chain": True}, 35, 210),
        ("cliques", {}, 65536, 65536 * 17),
        ("geometric", {"vertices": 50}, 50, 1600),
        ("bipartite", {"left": 20, "right": 5, "degree": 3, "symmetric": True}, 25, 120),
        ("islands", {"vertices": 50, "degree": 2, "islands": 10}, 70, 280),
    ],
)
def test_every_kind_tells_its_size_beforehand(
    kind: str, options: dict[str, object], vertices: int, most_edges: int
) -> None:
    entry = {"generate": kind, "options": options}
    assert (graphs.vertices_of(entry), graphs.edges_of(entry)) == (vertices, most_edges)
    assert graphs.is_symmetric(entry)


def test_file_of_the_users_goes_before_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUTCORE_DATA", raising=False)
    assert [f.name for f in graphs.sources(FETCHED)] == ["edges.txt.gz"]
    far = graphs.recipe_of(FETCHED)
    (tmp_path / "small.el32").write_bytes(b"edges")
    monkeypatch.setenv("OUTCORE_DATA", str(tmp_path))
    assert [f.name for f in graphs.sources(FETCHED)] == ["small.el32"]
    near = graphs.recipe_of(FETCHED)
    assert near["options"] == {"symmetric": True}
    assert near != far  # the other form may have other ids: its runs are other cells
    assert "url" not in json.dumps(far)


@pytest.mark.parametrize("how", ["import", "local"])
def test_an_edited_edge_list_is_another_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    file = tmp_path / "small.el32"
    file.write_bytes(b"0 1")
    monkeypatch.setenv("OUTCORE_DATA", str(tmp_path))
    entry = {"import": file.name} if how == "import" else {"local": {"file": file.name}}
    first = graphs.recipe_of(entry)
    assert hashlib.sha256(b"0 1").hexdigest() in json.dumps(first)
    assert graphs.recipe_of(entry) == first
    file.write_bytes(b"0 2")
    os.utime(file, ns=(1, 1))
    assert graphs.recipe_of(entry) != first
    file.unlink()
    assert "0 1" not in json.dumps(graphs.recipe_of({"import": file.name})), "the import will say"


def test_fetched_file_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "edges.txt").write_bytes(b"0 1")
    monkeypatch.setenv("OUTCORE_DATA", str(data))
    right, out = hashlib.sha256(b"0 1").hexdigest(), tmp_path / "fetched/edges.txt"
    assert graphs.fetch("edges.txt", "", right, out) == right
    assert out.read_bytes() == b"0 1"
    graphs.fetch("edges.txt", "", None, out)
    assert f"sha256: {right}" in capsys.readouterr().out
    with pytest.raises(graphs.FetchError, match="was expected"):
        graphs.fetch("edges.txt", "", "0" * 64, out)
    assert not out.exists()


def test_address_that_does_not_answer_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUTCORE_DATA", raising=False)
    out = tmp_path / "edges.txt.gz"
    with pytest.raises(graphs.FetchError, match="name that folder in OUTCORE_DATA"):
        graphs.fetch("edges.txt.gz", (tmp_path / "nowhere").as_uri(), None, out)
    assert list(tmp_path.iterdir()) == []
    source = tmp_path / "source"
    source.write_text("0 1")
    assert len(graphs.fetch("edges.txt.gz", source.as_uri(), None, out)) == 64


def test_graph_of_two_files_is_refused(workbench: Workbench) -> None:
    again = workbench.write("again.yaml", {"kron": FETCHED})
    workbench.config["graphs"].append(str(again))
    with pytest.raises(ConfigError, match=r"again\.yaml:1: graph 'kron' is in two files"):
        workbench.plan()


def test_catalogue_has_addresses_of_three_collections_and_no_file_twice() -> None:
    catalogue = load_yaml(ROOT / "configs/graphs/catalogue.yaml").value
    urls = [file["url"] for entry in catalogue.values() for file in entry["fetch"]]
    for host in ("snap.stanford.edu", "law.di.unimi.it", "diag.uniroma1.it"):
        assert any(host in url for url in urls)
    names = [url.rsplit("/", 1)[1] for url in urls]
    assert len(names) == len(set(names))
    for entry in catalogue.values():
        assert entry["vertices"] and entry["edges"] and entry["citation"]
