# SPDX-License-Identifier: Apache-2.0
"""graph.json and layout.json without some key: every reader says which file, and which key."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Runs, outcore

LAYOUT = "layouts/firstfit/layout.json"


@pytest.fixture
def own(directed: Path, tmp_path: Path) -> Runs:
    """Runs of a graph that belongs to the test, with a second layout in chunks."""
    shutil.copytree(directed, tmp_path / "graph")
    outcore("layout", tmp_path / "graph", "--preset", "chunkgraph", "--name", "chunks")
    return Runs(tmp_path / "graph", tmp_path)


def without_each_key(manifest: Any, within: str = "") -> Iterator[tuple[str, Any]]:
    """The manifest without one key, for each key at any depth; its name is written a/b/c."""
    parts = list(manifest.items()) if isinstance(manifest, dict) else []
    for key, value in parts:
        yield within + key, {k: v for k, v in manifest.items() if k != key}
        for name, less in without_each_key(value, f"{within}{key}/"):
            yield name, manifest | {key: less}


def keys_missed(runs: Runs, manifest: Path, verb: list[str]) -> set[str]:
    """Return the keys without which `verb` is refused; the message must name the file."""
    whole = manifest.read_text()
    missed = set()
    for name, less in without_each_key(json.loads(whole)):
        manifest.write_text(json.dumps(less))
        done = outcore(*verb, check=False)
        assert done.returncode in (0, 3), f"without {name}: {done.stderr}"
        if done.returncode == 3:
            named = str(manifest) in done.stderr or "a layout of another graph" in done.stderr
            assert named, f"without {name}: {done.stderr}"
            missed.add(name)
    manifest.write_text(whole)
    return missed


@pytest.mark.parametrize("layout", ["firstfit", "chunks"])
def test_a_layout_file_that_lacks_a_key_is_named(own: Runs, layout: str) -> None:
    manifest = own.graph / "layouts" / layout / "layout.json"
    needed = {"graph", "graph/files", "files", "files/out.blocks/hash", "files/in.sums/bytes"}
    assert needed < keys_missed(own, manifest, own.words(layout=layout))
    assert needed | {"seconds"} < keys_missed(own, manifest, ["inspect", str(own.graph)])


@pytest.mark.parametrize("pack", ["grid:p=2", "psw:p=2"])
def test_a_file_of_edges_that_lacks_a_key_is_named(own: Runs, pack: str) -> None:
    outcore("layout", own.graph, "--pack", pack, "--name", "edges")
    manifest = own.graph / "layouts" / "edges" / "layout.json"
    needed = {"graph", "graph/files", "files", "files/cells/hash", "seconds"}
    assert needed < keys_missed(own, manifest, ["inspect", str(own.graph)])


def test_a_graph_file_that_lacks_a_key_is_named(own: Runs) -> None:
    manifest = own.graph / "graph.json"
    needed = {"files", "files/out.targets", "files/out.targets/hash", "provenance", "edges"}
    assert needed < keys_missed(own, manifest, own.words(verify=True))
    assert needed < keys_missed(own, manifest, ["inspect", str(own.graph)])


def test_the_field_that_is_missing_is_named_in_full(own: Runs) -> None:
    for file, name in [("graph.json", "files/out.targets/hash"), (LAYOUT, "graph/files")]:
        manifest = own.graph / file
        whole = manifest.read_text()
        manifest.write_text(json.dumps(dict(without_each_key(json.loads(whole)))[name]))
        done = outcore(*own.words(), check=False)
        assert f"{file}: found field '{name}'" in done.stderr
        manifest.write_text(whole)
