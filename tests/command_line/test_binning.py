# SPDX-License-Identifier: Apache-2.0
"""Bins at the command line: what is refused, what makes no difference, and how a run is ended."""

import json
import signal
from pathlib import Path

import pytest

from .conftest import Runs
from .test_run_failures import endless_run, wait_for


def asked(settings: str = "", **more: object) -> dict[str, object]:
    """Options of a run with these settings of the engine."""
    engine = f"binning:{settings}" if settings else "binning"
    return {"engine": engine, "workload": "pagerank", **more}


@pytest.mark.parametrize(
    ("settings", "more", "message"),
    [
        ("bins=0", {}, "bins=0: expected auto, or a whole number from 1"),
        ("bins=3", {}, "a power of two, such as 4"),
        ("bins=1048576", {}, "or fewer, or auto"),
        ("bins=64,bin-space=1K", {}, "give bin-space="),
        ("roles=fixed", {"threads": 1}, "give --threads 2 (and --depth 2) or more, or roles=any"),
        ("", {"frames": "4K"}, "2 threads need a block of 4.0 KiB each"),
        ("", {"workload": "dfs"}, "binning cannot run dfs"),
        ("spill=/nowhere/at/all", {}, "spill=/nowhere/at/all: that is not a folder"),
        ("spill=/", {"backend": "null"}, "which keeps nothing"),
        ("bins=4,bin-space=30K,spill=/", {}, "whole pages that spill writes; give bin-space="),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(
    runs: Runs, settings: str, more: dict[str, object], message: str
) -> None:
    _, said = runs.fail(2, **asked(settings, **more))
    assert message in said


@pytest.mark.parametrize(
    ("settings", "note"),
    [
        ("ratio=0.5", "ratio=0.5 makes no difference with roles=any"),
        ("ids-space=1M", "ids-space=1M makes no difference with ids=written"),
        ("bins=4,apply=atomic", "bins=4 makes no difference with apply=atomic"),
        ("spill=/,apply=atomic", "spill=/ makes no difference with apply=atomic"),
    ],
)
def test_a_knob_that_makes_no_difference_is_told(runs: Runs, settings: str, note: str) -> None:
    notes = " ".join(runs.run(**asked(settings))["io"]["notes"])
    assert note in notes
    assert "no difference" not in " ".join(runs.run(**asked())["io"]["notes"])


@pytest.mark.parametrize("settings", ["", "roles=fixed", "roles=fixed,apply=atomic"])
def test_an_interrupted_round_ends_while_others_sleep(runs: Runs, settings: str) -> None:
    slow = asked(settings, backend="fault", fault="delay:100", max_request="4K", depth=2)
    path = runs.folder / "record.json"
    with endless_run(runs, set="iterations=10000", **slow) as (process, _):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
    outcome = runs.record()["outcome"]
    assert outcome["status"] == "interrupted"
    assert outcome["exit_code"] == -signal.SIGINT


def test_what_is_spilled_is_counted_and_gone_after_a_kill(runs: Runs, tmp_path: Path) -> None:
    folder = tmp_path / "spilled"
    folder.mkdir()
    small = f"bins=4,staging=16,bin-space=40K,spill={folder}"
    record = runs.run(**asked(small))
    assert record["io"]["written_bytes"] > 0
    assert record["counts"]["records_spilled"] > 0
    slow = asked(small, backend="fault", fault="delay:100", depth=2)
    path = runs.folder / "record.json"
    with endless_run(runs, set="iterations=10000", **slow) as (process, _):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        process.kill()
        process.communicate(timeout=60)
    assert list(folder.iterdir()) == []
