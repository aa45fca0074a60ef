# SPDX-License-Identifier: Apache-2.0
"""Graphs, layouts and replays: the commands for the binary, and what happens if it refuses."""

import json
import stat
from pathlib import Path

import pytest

from outcore_analysis import prepare
from outcore_analysis.__main__ import main
from outcore_analysis.material import collect
from workbench import STUB, Workbench


def refusing(folder: Path) -> str:
    binary = folder / "binary"
    binary.write_text("#!/bin/sh\necho 'no room' >&2\nexit 4\n")
    binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
    return str(binary)


def test_options_are_written_as_on_the_command_line() -> None:
    asked = {"scale": 18, "symmetric": True, "weighted": False, "block_size": "4K"}
    assert prepare.options_of(asked) == ["--scale", "18", "--symmetric", "--block-size", "4K"]


def test_a_graph_leaves_the_stamps_of_graphs_whose_names_begin_alike(tmp_path: Path) -> None:
    stamps, recipe = tmp_path / ".recipes", {"generate": "kronecker", "options": {"scale": 3}}
    for name in ("kron-directed", "kron"):
        prepare.make_graph(
            str(STUB), recipe, str(tmp_path / name), stamps / f"{name}-0a1b2c3d.json"
        )
    assert (stamps / "kron-directed-0a1b2c3d.json").exists()


def test_another_recipe_replaces_the_container_and_its_stamp(tmp_path: Path) -> None:
    folder, stamps = str(tmp_path / "kron"), tmp_path / ".recipes"
    for scale, stamp in ((4, "kron-aaaa.json"), (5, "kron-bbbb.json")):
        recipe = {"generate": "kronecker", "options": {"scale": scale}}
        prepare.make_graph(str(STUB), recipe, folder, stamps / stamp)
        assert [path.name for path in stamps.iterdir()] == [stamp]
        assert json.loads((tmp_path / "kron/graph.json").read_text())["vertices"] == 2**scale


def test_layouts_facts_say_how_long_their_graph_took(tmp_path: Path) -> None:
    for name in ("kron", "kron-2"):
        stamp = tmp_path / f".recipes/{name}-0a1b.json"
        prepare.make_graph(str(STUB), {"generate": "kronecker"}, str(tmp_path / name), stamp)
        stamp.write_text(json.dumps({"seconds": len(name)}))
    facts = tmp_path / "facts.json"
    prepare.make_layout(str(STUB), str(tmp_path / "kron"), "csr", {"pack": "csr"}, facts)
    assert json.loads(facts.read_text())["graph_seconds"] == 4


def test_imported_graph_is_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = {"import": "edges.txt", "options": {"symmetric": True}}
    with pytest.raises(prepare.StepError):
        stamp = tmp_path / "stamp"
        prepare.make_graph(refusing(tmp_path), recipe, "graphs/mine", stamp, "edges.txt")
    assert "import edges.txt graphs/mine --symmetric" in capsys.readouterr().out
    assert not (tmp_path / "stamp").exists()


def test_refusal_is_told_in_the_binarys_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["graph", "--binary", refusing(tmp_path), "--recipe", '{"generate": "grid"}']
    words += ["--folder", str(tmp_path / "grid"), "--stamp", str(tmp_path / "stamp")]
    assert main(words) == 2
    assert capsys.readouterr().err == "no room\n"


def test_refused_replay_is_a_gap_with_its_reason(copied: Workbench, tmp_path: Path) -> None:
    plan = copied.plan()
    for path in map(Path, plan.replays()):
        record = path.with_name("trial-1.json")
        prepare.replay(refusing(tmp_path), record, ["opt"], ["1%"], path)
    gaps = collect(plan).gaps
    assert [gap.what for gap in gaps] == ["replay of kron, bfs", "replay of kron, wcc"]
    assert {gap.why for gap in gaps} == {"failed: no room"}
