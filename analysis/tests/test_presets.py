# SPDX-License-Identifier: Apache-2.0
"""Presets of the viewer: what is refused, what is run, how a claim is judged, the pages."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis.__main__ import main
from outcore_analysis.claims import read_claims
from outcore_analysis.events import read_events
from outcore_analysis.graphs import own_graph
from outcore_analysis.viewer import accounts_of, shown_of
from outcore_analysis.viewer.perfect import perfect_run
from outcore_analysis.viewer.presets import (
    OWN_PRESET,
    frames_words,
    judged_of,
    layout_name,
    preset_files,
    read_preset,
    read_presets,
    run_words,
    verdict_of,
)
from outcore_analysis.yamllines import ConfigError, load_yaml
from recorded import BINARY, Run, make_grid, needs_binary
from workbench import ROOT

PRESET = """\
title: t
question: q
graph: grid16
workload: bfs
parameters: {source: 3}
frames: 8K
device: hdd
dilation: 2
runs:
  - {engine: async_block, options: {mode: sync, keep: "off"}, layout: {preset: acgraph}, depth: 2}
  - {name: quick, engine: async_block, layout: {preset: acgraph}}
claim:
  says: The first reads more.
  of: {run: 1, what: bytes}
  over: {run: 2, what: bytes}
  at_least: 2
"""


def preset_of(text: str, folder: Path) -> dict[str, Any]:
    file = folder / "preset.yaml"
    file.write_text(text)
    claims = {claim.id: claim for claim in read_claims([str(ROOT / "configs/claims/cave.yaml")])}
    return read_preset(str(file), {"grid16": {}}, claims)


def test_those_that_are_shipped_can_be_read() -> None:
    config = load_yaml(ROOT / "configs/config.yaml").value
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "configs/viewer").glob("*.yaml"))
    assert sorted(config["viewer"]) == files
    graphs = load_yaml(ROOT / "configs/graphs/generated.yaml").value
    claims = {"claims": [str(ROOT / file) for file in config["claims"]]}
    in_root = claims | {"viewer": [str(ROOT / file) for file in [*files, OWN_PRESET]]}
    presets = read_presets(in_root, graphs | {"yours": {}})
    assert len(presets) == len(files) + 1 > 8
    assert all("paper" in preset for preset in presets.values())
    assert sum(preset.get("play", False) for preset in presets.values()) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("grid16", "grid17", r"preset.yaml:3: no graph is called 'grid17'"),
        ("run: 2", "run: 3", r"preset.yaml:15: there is no run 3: 2 are given"),
        ("what: bytes", "what: pages", r"preset.yaml:14: .*pages"),
        ("  at_least: 2\n", "", r"preset.yaml:12"),
        ("dilation: 2\n", "paper: cave-fig99\n", r"preset.yaml:8: no claim is called 'cave-fig99'"),
        ("depth: 2}\n", "depth: 2}\n  - {perfect_cache_of: 2}\n", r"preset.yaml:11: run 2 is none"),
        (
            "depth: 2}\n",
            "depth: 2}\n  - {perfect_cache_of: 1, layout: {a: 1}}\n  - {depth: 3}\n",
            r"preset.yaml:12",
        ),
    ],
)
def test_impossible_ones_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        preset_of(PRESET.replace(old, new, 1), tmp_path)


def test_a_run_is_asked_as_the_preset_says(tmp_path: Path) -> None:
    preset = preset_of(PRESET, tmp_path)
    words = " ".join(run_words(preset, preset["runs"][0], 4000))
    name = layout_name({"preset": "acgraph"})
    assert words == (
        f"--engine async_block:mode=sync,keep=off --workload bfs --layout {name} --source 3 "
        "--frames 8K --threads 2 --device hdd --dilation 2 --depth 2"
    )
    assert layout_name({"preset": "cave"}) != name


def told(count: int, optimum: int | None = None) -> dict[str, Any]:
    """Return a run of the page that read so much."""
    run = {"name": "r", "status": "ok", "processed_edges": 1, "end_us": 1000}
    return run | {"asked_bytes": count, "optimum_bytes": optimum}


def test_a_claim_is_judged_by_what_the_runs_did(tmp_path: Path) -> None:
    claim = preset_of(PRESET, tmp_path)["claim"]
    assert verdict_of(claim, [told(50), told(20)]) == {
        "says": "The first reads more.",
        "verdict": "holds here",
        "measured": "bytes of run 1 over bytes of run 2: 2.5 times, expected at least 2",
    }
    assert verdict_of(claim, [told(30), told(20)])["verdict"] == "does not hold here"
    both = claim | {"at_most": 3}
    assert verdict_of(both, [told(90), told(20)])["verdict"] == "does not hold here"
    optimum = claim | {"of": {"run": 1, "what": "optimum"}, "over": {"run": 1, "what": "bytes"}}
    assert verdict_of(optimum, [told(50, 45)])["measured"].startswith("optimum of run 1")
    assert verdict_of(optimum, [told(50)])["verdict"] == "cannot be judged"
    killed = told(50) | {"status": "killed"}
    seconds = claim | {"of": {"run": 1, "what": "edges"}}
    assert verdict_of(seconds, [killed, told(20)])["verdict"] == "cannot be judged"


def test_frames_of_a_small_graph_are_as_many_as_the_preset_says(tmp_path: Path) -> None:
    preset = preset_of(PRESET.replace("frames: 8K", "least_frames: 32768"), tmp_path)
    assert frames_words(preset, 1_000_000) == "6%"
    assert frames_words(preset, 500_000) == "32768"
    assert frames_words(preset | {"frames": "64K"}, 100) == "64K"


def test_a_paper_is_quoted_with_the_verdict_of_the_newest_records(tmp_path: Path) -> None:
    text = PRESET.replace("dilation: 2\n", "paper: cave-fig7a-small-cache\n")
    quote = preset_of(text, tmp_path)["paper"]
    assert quote["of"].startswith("CAVE, Fig. 7")
    assert "over three times as fast" in quote["says"]
    assert judged_of(quote, [])["verdict"] == "not judged in this folder"

    def verdicts(name: str, found: str, value: float | None, age: int) -> Path:
        one = {"id": quote["id"], "verdict": found, "value": value and {"median": value}}
        path = tmp_path / name
        path.write_text(json.dumps([{"id": "other", "value": None}, one]))
        os.utime(path, (1e9 - age, 1e9 - age))
        return path

    older = verdicts("older.json", "not reproduced", 0.5, 9)
    newer = verdicts("newer.json", "reproduced", 3.25, 5)
    without = verdicts("without.json", "not run", None, 1)
    judged = judged_of(quote, [newer, without, older])
    assert judged["verdict"] == "reproduced"
    assert judged["measured"] == "3.25 times in the records here"


def test_the_readers_own_graph_is_named_in_a_call() -> None:
    assert preset_files({"viewer": ["a.yaml"]}) == ["a.yaml"]
    assert preset_files({"viewer": ["a.yaml"], "own_graph": "x.txt"}) == [OWN_PRESET, "a.yaml"]
    entry = own_graph({"own_graph": "folder/x.txt"})["yours"]
    assert entry == {"title": "x.txt", "import": "folder/x.txt", "options": {"symmetric": True}}
    assert own_graph({}) == {}


@needs_binary
def test_a_perfect_cache_stands_beside_the_run(runs: dict[str, Run]) -> None:
    measured = read_events(runs["sync"][0])
    perfect = perfect_run(measured)
    assert perfect is not None
    first, second = shown_of([measured, perfect])["runs"]
    assert second["asked_bytes"] == first["optimum_bytes"] == second["optimum_bytes"]
    assert second["asked_bytes"] < first["asked_bytes"]
    for same in ("processed_edges", "rounds", "blocks", "least_bytes", "end_us"):
        assert second[same] == first[same], same
    assert second["warnings"][0].startswith("Not measured: what a cache that knows the future")
    # Never more in memory than there are frames.
    (lane,) = perfect.lanes
    held = np.cumsum(
        (lane.kind == perfect.kind("arrived")).astype(int)
        - (lane.kind == perfect.kind("dropped")).astype(int)
    )
    assert held[-1] == 4, "16 KB"
    account, other = accounts_of([first, second])
    assert other.bytes / other.seconds == pytest.approx(account.bytes / account.seconds)


@needs_binary
def test_a_preset_may_be_played_with_and_have_a_perfect_cache(tmp_path: Path) -> None:
    graph = make_grid(tmp_path, 48)
    text = PRESET.replace("device: hdd\ndilation: 2\n", "threads: 1\nplay: true\n")
    old = text[text.index("runs:") : text.index("claim:")]
    lru = (
        "runs:\n  - {engine: concurrent, options: {cache: lru}, layout: {preset: csr}, depth: 2}\n"
    )
    preset = preset_of(text.replace(old, lru + "  - {perfect_cache_of: 1}\n"), tmp_path)
    page = tmp_path / "pages" / "one.html"
    words = ["--binary", str(BINARY), "--folder", str(graph), "--preset", json.dumps(preset)]
    assert main(["preset", *words, "--out", str(page)]) == 0
    assert "Which block would you drop?" in page.read_text()
    told = json.loads(page.with_suffix(".json").read_text())
    assert told["claim"]["measured"].startswith("bytes of run 1 over bytes of run 2: 1.")


@needs_binary
def test_a_preset_becomes_a_page_and_a_line_of_the_index(tmp_path: Path) -> None:
    preset = preset_of(PRESET.replace("device: hdd\ndilation: 2\n", ""), tmp_path)
    graph = make_grid(tmp_path, 16)
    page = tmp_path / "pages" / "one.html"
    words = ["--binary", str(BINARY), "--folder", str(graph), "--preset", json.dumps(preset)]
    assert main(["preset", *words, "--out", str(page)]) == 0
    text = page.read_text()
    assert "The first reads more." in text
    assert '"name": "quick"' in text
    layout = graph / "layouts" / layout_name({"preset": "acgraph"})
    made = layout.stat().st_mtime_ns
    index = tmp_path / "pages" / "index.html"
    assert main(["presets", str(page), "--out", str(index)]) == 0
    assert 'href="one.html"' in index.read_text()
    assert (
        json.loads(page.with_suffix(".json").read_text())["claim"]["verdict"] in index.read_text()
    )
    assert main(["preset", *words, "--out", str(page)]) == 0
    assert layout.stat().st_mtime_ns == made, "a layout that is there is not made again"
