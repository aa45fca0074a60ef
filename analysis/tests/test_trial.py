# SPDX-License-Identifier: Apache-2.0
"""Every run leaves a record, whatever happens to it, and only a finished file counts."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from outcore_analysis.plan import Cell
from outcore_analysis.records import is_record
from outcore_analysis.trial import InterruptedTrialError, run_trial
from outcore_analysis.yamllines import validator
from workbench import STUB, Workbench


class Bench:
    def __init__(self, finished: Workbench, folder: Path) -> None:
        self.plan = finished.plan()
        self.cell: Cell = next(c for c in self.plan.cells.values() if c.workload == "bfs")
        self.layout = Path(self.plan.layout_file(self.cell.key))
        self.folder = folder
        self.record = folder / "cell" / "trial-1.json"

    def run(self, binary: str | None = None) -> Any:
        return run_trial(self.cell, binary or self.plan.binary, self.layout, self.record)

    def script(self, body: str) -> str:
        """Return a binary that does only this; $record is where the record must go."""
        path = self.folder / "binary"
        path.write_text(f'#!/bin/bash\nrecord="${{@: -1}}"\n{body}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)


@pytest.fixture
def bench(finished: Workbench, tmp_path: Path) -> Bench:
    return Bench(finished, tmp_path)


def test_good_run_leaves_its_own_record_and_nothing_else(bench: Bench) -> None:
    assert bench.run()["outcome"]["status"] == "ok"
    assert [path.name for path in bench.record.parent.iterdir()] == ["trial-1.json"]


def test_failure_with_a_record_keeps_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUB_FAIL", "bfs")
    bench.run()
    outcome = json.loads(bench.record.read_text())["outcome"]
    assert outcome == {"status": "failed", "reason": "the stub was told to", "exit_code": 4}


@pytest.mark.parametrize(
    ("body", "status", "reason", "code"),
    [
        ("kill -KILL $$", "killed", "ended by SIGKILL", -9),
        ("echo 'graph.json: gone' >&2; exit 3", "failed", "graph.json: gone", 3),
        ("exit 7", "failed", "exit code 7 without a message", 7),
        ("exit 0", "failed", "the run ended well but left no record", 0),
        ("echo '{' > $record; exit 5", "failed", "exit code 5 without a message", 5),
    ],
)
def test_end_without_a_record_is_recorded(
    bench: Bench, body: str, status: str, reason: str, code: int
) -> None:
    document = bench.run(bench.script(body))
    assert document["outcome"] == {"status": status, "reason": reason, "exit_code": code}
    assert validator("run").is_valid(document)
    assert json.loads(bench.record.read_text()) == document


def test_binary_that_cannot_start_is_recorded(bench: Bench) -> None:
    assert "No such file" in bench.run("/nowhere/outcore")["outcome"]["reason"]


def test_record_that_says_unfinished_of_a_killed_run_is_corrected(bench: Bench) -> None:
    bench.run()
    document = json.loads(bench.record.read_text())
    document["outcome"]["status"] = "unfinished"
    bench.record.unlink()
    (bench.folder / "draft").write_text(json.dumps(document))
    killed = bench.run(bench.script(f"cp {bench.folder}/draft $record; kill -SEGV $$"))
    assert killed["outcome"]["status"] == "killed"
    assert killed["outcome"]["reason"] == "ended by SIGSEGV"


def test_run_beyond_its_time_is_ended(bench: Bench) -> None:
    bench.cell = Cell(**(json.loads(bench.cell.json()) | {"seconds": 1}))
    outcome = bench.run(bench.script("exec sleep 600"))["outcome"]
    assert outcome == {"status": "killed", "reason": "no answer after 1 s", "exit_code": -9}


def test_interrupted_run_is_not_done(bench: Bench) -> None:
    with pytest.raises(InterruptedTrialError):
        bench.run(bench.script("kill -INT $$"))
    assert not bench.record.exists()


def test_record_that_breaks_the_schema_becomes_a_failure_that_says_so(bench: Bench) -> None:
    bench.run()
    document = json.loads(bench.record.read_text())
    document["io"]["requests"] = "many"
    bench.record.unlink()
    (bench.folder / "draft").write_text(json.dumps(document))
    refused = bench.run(bench.script(f"cp {bench.folder}/draft $record"))
    assert refused["outcome"]["status"] == "failed"
    assert "not a run record: io.requests" in refused["outcome"]["reason"]
    assert bench.record.with_suffix(".invalid.json").exists()


def test_run_killed_from_outside_is_run_again_and_both_are_kept(bench: Bench) -> None:
    once = bench.script(
        f'if [ -e {bench.folder}/killed ]; then exec {STUB} "$@"; fi; touch {bench.folder}/killed; '
        "kill -KILL $$"
    )
    assert bench.run(once)["outcome"]["status"] == "ok"
    killed = json.loads(bench.record.with_suffix(".killed.json").read_text())
    assert killed["outcome"]["reason"] == "ended by SIGKILL"
    assert not is_record(bench.record.with_suffix(".killed.json"))


def test_record_that_is_there_is_kept(bench: Bench) -> None:
    first = bench.run()
    assert bench.run(bench.script("exit 1")) == first
