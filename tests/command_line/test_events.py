# SPDX-License-Identifier: Apache-2.0
"""Events of runs that went well, that failed, that were killed; what trace makes of them."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, Runs, outcore


def shown(events: Path) -> Any:
    """Return what trace says of events."""
    return json.loads(outcore("trace", events, "--json").stdout)


def has_asked(events: Path) -> bool:
    """Do events that are being written tell of a request yet?"""
    told = outcore("trace", events, "--json", check=False).stdout
    return bool(told) and "asked" in json.loads(told)["totals"]


def test_events_are_those_of_the_record(runs: Runs) -> None:
    events = runs.folder / "run.events"
    record = runs.run(events=events, workload="wcc")
    told = shown(events)
    assert told["totals"]["asked"]["events"] == record["io"]["requests"]
    assert told["totals"]["asked"]["count"] * 4096 == record["io"]["requested_bytes"]
    assert told["totals"]["processed"]["value"] == record["work"]["edges_processed"]
    assert told["totals"]["round_began"]["events"] == record["work"]["rounds"]
    assert told["header"]["asked"]["engine"] == "concurrent"
    assert told["header"]["graph"] == record["graph"]
    assert told["header"]["drawn"] is None, "4096 vertices are too many to be drawn"
    assert told["end"]["digest"] == record["answer"]["digest"]
    assert told["sampled"] == 1
    text = outcore("trace", events).stdout
    assert f"held      {told['held']}\n" in text
    assert "run       ok" in text


def test_a_small_graph_is_told_whole(directed: Path, tmp_path: Path) -> None:
    events = tmp_path / "run.events"
    Runs(directed, tmp_path).run(events=events)
    drawn = shown(events)["header"]["drawn"]
    edges = outcore("export", directed, "-", "--format", "el").stdout.split()
    assert drawn["edges"] == [int(end) for end in edges]


def test_a_failed_run_says_why_behind_its_events(runs: Runs) -> None:
    events = runs.folder / "run.events"
    _, message = runs.fail(4, events=events, backend="fault", fault="eio@3", threads=1)
    told = shown(events)
    assert told["end"]["status"] == "failed"
    assert told["end"]["reason"] in message
    assert told["totals"]["asked"]["events"] >= 4
    assert told["totals"]["arrived"]["events"] < told["totals"]["asked"]["events"]


def test_events_of_a_killed_run_are_read_up_to_there(runs: Runs) -> None:
    events = runs.folder / "run.events"
    words = runs.words(events=events, backend="fault", fault="delay:60000", record=None)
    with subprocess.Popen([str(BINARY), *words], stderr=subprocess.DEVNULL) as process:
        while not has_asked(events):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
    told = shown(events)
    assert told["end"] is None
    assert told["totals"]["asked"]["events"] > 0
    assert "the run was killed: its events end at byte" in outcore("trace", events).stdout
    converted = runs.folder / "run.json"
    done = outcore("trace", events, "--to", "perfetto", converted)
    assert "the run was killed; written up to where its events end" in done.stderr
    assert json.loads(converted.read_text())["traceEvents"]


@pytest.mark.parametrize("form", ["csv", "oracle"])
def test_events_are_no_access_trace(runs: Runs, form: str) -> None:
    events = runs.folder / "run.events"
    runs.run(events=events)
    done = outcore("trace", events, "--to", form, runs.folder / "x", check=False)
    assert done.returncode == 2
    assert "holds the events of a run, not an access trace; give --to perfetto" in done.stderr


@pytest.mark.parametrize("form", ["perfetto", "speedscope"])
def test_an_access_trace_has_no_events(runs: Runs, form: str) -> None:
    trace = runs.folder / "run.oct"
    runs.run(trace=trace)
    done = outcore("trace", trace, "--to", form, runs.folder / "x", check=False)
    assert done.returncode == 3
    assert f'{trace} at offset 0: found a line without "outcore_events"' in done.stderr
    assert not (runs.folder / "x").exists()
