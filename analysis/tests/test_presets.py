# SPDX-License-Identifier: Apache-2.0
"""Presets of the viewer: what is refused, what is run, how a claim is judged, the pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.__main__ import main
from outcore_analysis.viewer.presets import (
    layout_name,
    read_preset,
    read_presets,
    run_words,
    verdict_of,
)
from outcore_analysis.yamllines import ConfigError, load_yaml
from recorded import BINARY, make_grid, needs_binary
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
    return read_preset(str(file), {"grid16": {}})


def test_those_that_are_shipped_can_be_read() -> None:
    config = load_yaml(ROOT / "configs/config.yaml").value
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "configs/viewer").glob("*"))
    assert sorted(config["viewer"]) == files
    graphs = load_yaml(ROOT / "configs/graphs/generated.yaml").value
    in_root = {"viewer": [str(ROOT / file) for file in files]}
    assert len(read_presets(in_root, graphs)) == len(files) > 8


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("grid16", "grid17", r"preset.yaml:3: no graph is called 'grid17'"),
        ("run: 2", "run: 3", r"preset.yaml:15: there is no run 3: 2 are given"),
        ("what: bytes", "what: pages", r"preset.yaml:14: .*pages"),
        ("  at_least: 2\n", "", r"preset.yaml:12"),
    ],
)
def test_impossible_ones_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        preset_of(PRESET.replace(old, new, 1), tmp_path)


def test_a_run_is_asked_as_the_preset_says(tmp_path: Path) -> None:
    preset = preset_of(PRESET, tmp_path)
    words = " ".join(run_words(preset, preset["runs"][0]))
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
