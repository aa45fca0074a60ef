# SPDX-License-Identifier: Apache-2.0
"""What the contestant GraphX does without Spark: its event log, its settings, what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.contest.contestant import Contestant
from outcore_analysis.contest.faults import RaceError

FOLDER = Path(__file__).parents[2] / "contestants" / "graphx"
WORDS = ["where=local", "executors=2", "cores=1", "executor_memory=1g", "memory_gb=4", "port=0"]


def events() -> Any:
    sys.path.insert(0, str(FOLDER))
    try:
        import events as module  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(FOLDER))
    return module


def job(number: int, phase: str, begin: int, end: int) -> list[dict[str, Any]]:
    properties = {"spark.jobGroup.id": phase}
    return [
        {"Event": "SparkListenerJobStart", "Job ID": number, "Submission Time": begin,
         "Properties": properties},
        {"Event": "SparkListenerJobEnd", "Job ID": number, "Completion Time": end},
    ]  # fmt: skip


def task(executor: str, resident: int, written: int, fetched: int, spilled: int) -> dict[str, Any]:
    return {
        "Event": "SparkListenerTaskEnd",
        "Task Info": {"Executor ID": executor},
        "Task Executor Metrics": {"ProcessTreeJVMRSSMemory": resident},
        "Task Metrics": {
            "Disk Bytes Spilled": spilled,
            "Shuffle Write Metrics": {"Shuffle Bytes Written": written},
            "Shuffle Read Metrics": {"Remote Bytes Read": fetched, "Local Bytes Read": 77},
        },
    }


def block(name: str, on_disk: int) -> dict[str, Any]:
    info = {"Block Manager ID": {"Executor ID": "0"}, "Block ID": name, "Disk Size": on_disk}
    return {"Event": "SparkListenerBlockUpdated", "Block Updated Info": info}


def test_the_event_log_is_summed(tmp_path: Path) -> None:
    rows = [
        {"Event": "SparkListenerLogStart"},
        *job(0, "load", 1000, 3000),
        *job(1, "load", 3500, 4000),
        *job(2, "run", 5000, 9000),
        task("0", 300, 10, 1, 4),
        task("0", 200, 20, 2, 0),
        task("1", 150, 30, 3, 0),
        task("driver", 999, 0, 0, 0),
        {"Event": "SparkListenerTaskEnd", "Task Info": {"Executor ID": "1"}},
        block("rdd_1_0", 50),
        block("rdd_1_0", 40),
        block("rdd_1_1", 0),
        block("broadcast_1", 60),
    ]
    log = tmp_path / "app"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    phases, numbers = events().counted(log)
    assert phases == {"load": 3.0, "run": 4.0}
    assert numbers == {
        "shuffle_bytes": 60,
        "fetched_bytes": 6,
        "spilled_bytes": 54,
        "resident_bytes": 450,
    }


def started(*words: str, **environment: str) -> str:
    """Return the last word of race.py, which ends with a fault."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / "race.py"), "/nowhere", *WORDS, *words],
        env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def fake_java(tmp_path: Path, version: str) -> str:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return str(tmp_path)


def test_no_java_is_said(tmp_path: Path) -> None:
    said = started(JAVA_HOME=str(tmp_path))
    assert said == "there is no java: apt-get install default-jre-headless, or set JAVA_HOME"


@pytest.mark.parametrize(("version", "found"), [("1.8.0_402", "8"), ("11.0.2", "11")])
def test_java_that_is_too_old_is_said(tmp_path: Path, version: str, found: str) -> None:
    home = fake_java(tmp_path, version)
    assert started(JAVA_HOME=home) == (
        f"{home}/bin/java is Java {found}, and Spark 4 needs 17 or newer"
    )


def test_where_spark_is_not_is_said(tmp_path: Path) -> None:
    said = started(JAVA_HOME=fake_java(tmp_path, "17.0.1"))
    assert said == "/nowhere has no Spark: make contestants WITH=graphx"


def test_options_have_defaults_and_are_checked() -> None:
    found = Contestant.read("graphx:executors=1,strategy=1d")
    assert found.options["executors"] == "1" and found.options["strategy"] == "1d"
    assert found.options["where"] == "standalone"
    assert found.name == "graphx" and found.title == "GraphX, executors=1, strategy=1d"
    for asked, why in (
        ("graphx:executor=1", "'executor=1' is no option of it; there are: where=standalone"),
        ("graphx:executors", "'executors' is no option of it"),
        ("graphx:strategy=3d", "strategy is '3d', expected 1d, 2d, random"),
        ("scipy:a=1", "'a=1' is no option of it; there are: none"),
    ):
        with pytest.raises(RaceError, match=why):
            Contestant.read(asked)
