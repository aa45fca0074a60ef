# SPDX-License-Identifier: Apache-2.0
"""What a sweep on Slurm decides and writes, without Slurm: `scontrol` is a script."""

import json
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from outcore_analysis.cluster import stage as staging
from outcore_analysis.cluster.job import hold_trial, kept_of, note_of, settle
from outcore_analysis.cluster.nodes import Cluster, processors, refuse_scattered
from outcore_analysis.cluster.slurm import check, fate, this_job
from outcore_analysis.cluster.stage import remove, remove_everywhere, staged
from outcore_analysis.material import collect
from outcore_analysis.plan import make_plan
from outcore_analysis.prepare import StepError
from outcore_analysis.records import read_record, runs_of
from outcore_analysis.yamllines import ConfigError, validator
from workbench import STUB, Workbench

PAIRS = [(f"g{number}", workload) for number in range(50) for workload in ("bfs", "wcc")]
NODES = ("n1", "n2", "n3")


def test_a_node_that_leaves_moves_its_own_pairs_alone() -> None:
    before = {pair: Cluster(NODES).node_of(*pair) for pair in PAIRS}
    after = {pair: Cluster(("n1", "n3")).node_of(*pair) for pair in PAIRS}
    moved = {pair for pair in PAIRS if before[pair] != after[pair]}
    assert moved == {pair for pair in PAIRS if before[pair] == "n2"}
    assert {list(before.values()).count(node) > 15 for node in NODES} == {True}


def ran(node: str | None, workload: str = "bfs", cpu: str = "A", status: str = "ok") -> Any:
    job = {"job": {"id": "1", "node": node, "staged_bytes": None}} if node else {}
    return job | {
        "outcome": {"status": status},
        "graph": {"name": "g"},
        "asked": {"workload": workload},
        "machine": {"cpu": cpu},
        "record": f"{node}.json",
    }


def test_what_would_be_compared_is_of_one_node_or_refused() -> None:
    refuse_scattered([ran("n1"), ran("n1"), ran("n2", "wcc"), ran("n2", status="failed")])
    with pytest.raises(ConfigError, match=r"bfs on g was timed on several.*n1 \(n1.json\), n2 \("):
        refuse_scattered([ran("n1"), ran("n2")])
    with pytest.raises(ConfigError, match="no node"):
        refuse_scattered([ran(None), ran("n2")])


def test_processors_are_told_with_their_nodes() -> None:
    runs = [ran("n2", cpu="B"), ran("n1"), ran("n3"), ran(None, cpu="C")]
    assert processors(runs) == {"A": ["n1", "n3"], "B": ["n2"]}


def test_page_refuses_runs_of_several_nodes_and_tells_of_processors(copied: Workbench) -> None:
    paths = [Path(path) for path in copied.plan().records()]
    for path in paths:
        document = json.loads(path.read_text())
        node = "n1" if document["asked"]["workload"] == "bfs" else "n2"
        document["job"] = {"id": "7", "node": node, "staged_bytes": 5}
        document["machine"]["cpu"] = f"cpu of {node}"
        assert validator("run").is_valid(document)
        path.write_text(json.dumps(document))
    found = collect(copied.plan())
    assert set(found.tables["runs"]["node"]) == {"n1", "n2"}
    assert set(found.tables["runs"]["staged_bytes"]) == {5}
    assert any("n1: cpu of n1; n2: cpu of n2" in gap.why for gap in found.gaps)
    document = json.loads(paths[0].read_text())
    document["job"]["node"] = "n3"
    paths[0].write_text(json.dumps(document))
    with pytest.raises(ConfigError, match="several nodes"):
        collect(copied.plan())


def test_cluster_names_the_folder_of_records(workbench: Workbench) -> None:
    config = workbench.config | {"cluster": {"nodes": ["n1"], "name": "ours"}}
    assert make_plan(config).records_folder.endswith("/trial-run/ours")
    with pytest.raises(ConfigError, match="cluster"):
        make_plan(workbench.config | {"cluster": {"nodes": []}})
    with pytest.raises(ConfigError, match="stage"):
        make_plan(workbench.config | {"cluster": {"nodes": ["n1"], "stage": "here"}})


def scontrol(folder: Path, monkeypatch: pytest.MonkeyPatch, **answers: str) -> None:
    """Put a scontrol on the path that answers `show WORD ...` by its word, and an sbatch."""
    home = folder / "bin"
    home.mkdir(exist_ok=True)
    for word, answer in answers.items():
        (home / word).write_text(answer)
    for name, line in {
        "scontrol": f"""[ "$1" != --oneliner ] || shift
            cat {home}/"$2" 2>/dev/null || {{ echo "Invalid $2" >&2; exit 1; }}""",
        "sbatch": f'echo "$@" >>{home}/asked; [ -e {home}/node ] || exit 1',
    }.items():
        script = home / name
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{home}:{os.environ['PATH']}")


JOB = {"id": "12", "node": "n1", "staged_bytes": None}


@pytest.mark.parametrize(
    ("told", "status", "reason", "code"),
    [
        ("JobState=CANCELLED Reason=None ExitCode=143:0", "killed", "CANCELLED", 143),
        ("JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15", "killed", "TIMEOUT, TimeLimit", -15),
        ("JobState=NODE_FAIL Reason=NodeDown ExitCode=0:9", "killed", "NODE_FAIL, NodeDown", -9),
        ("JobState=OUT_OF_MEMORY Reason=None ExitCode=0:125", "out_of_memory", "OUT_OF_MEM", -125),
    ],
)
def test_loss_of_a_job_is_an_outcome_with_slurms_reason(
    told: str, status: str, reason: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol(tmp_path, monkeypatch, job=told)
    outcome = fate(JOB)
    assert outcome is not None
    assert outcome["reason"].startswith(f"Slurm's job 12 on n1: {reason}")
    assert (outcome["status"], outcome["exit_code"]) == (status, code)


def test_job_that_failed_by_itself_is_not_lost_and_a_forgotten_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol(tmp_path, monkeypatch)
    outcome = fate(JOB)
    assert outcome is not None
    assert "does not know it any more: Invalid job" in outcome["reason"]
    scontrol(tmp_path, monkeypatch, job="JobState=FAILED Reason=NonZeroExitCode ExitCode=2:0")
    assert fate(JOB) is None


AGE = "MinJobAge               = 300 sec"
NODE = "NodeName=n1 State=IDLE Gres=disk:1"
PARTITIONS = """
PartitionName=short Default=YES MaxTime=01:00:00
PartitionName=long Default=NO MaxTime=1-00:30:00
PartitionName=any Default=NO MaxTime=UNLIMITED
"""


@pytest.mark.parametrize(
    ("config", "node", "stage", "tokens", "fault"),
    [
        (AGE, NODE, None, 1, None),
        (AGE, NODE, "/scratch", None, None),
        (AGE, NODE, None, None, "nothing keeps two runs from being timed on it at once"),
        (AGE, NODE, None, 2, "nothing keeps two runs"),
        (AGE, "State=DOWN* Gres=disk:1", None, 1, r"node n1 takes no jobs: it is DOWN\*"),
        (AGE, "State=IDLE+DRAIN Gres=disk:1", None, 1, r"it is IDLE\+DRAIN"),
        (AGE, "State=IDLE Gres=(null)", "/scratch", 1, "node n1 has no resource `disk`"),
        ("MinJobAge = 2 sec", NODE, None, 1, "Slurm forgets a job 2 s after its end"),
        (AGE, None, None, 1, "Invalid node"),
        (None, None, None, 1, "Invalid config"),
    ],
)
def test_sweep_that_slurm_could_not_run_is_refused_before_it_begins(
    config: str | None, node: str | None, stage: str | None, tokens: int | None,
    fault: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    answers = {"config": config, "node": node, "partition": PARTITIONS.strip()}
    scontrol(tmp_path, monkeypatch, **{word: text for word, text in answers.items() if text})
    cluster = Cluster(("n1",), stage=stage)
    if fault is None:
        trial = {"slurm_partition": "long", "slurm_account": "me", "runtime": 9, "mem_mb": 7}
        check(cluster, tokens, trial)
        asked = (tmp_path / "bin/asked").read_text().split()
        assert asked[:2] == ["--test-only", "--nodelist=n1"]
        assert asked[2:-1] == ["--partition=long", "--account=me", "--time=9"]
    else:
        with pytest.raises(ConfigError, match=fault):
            check(cluster, tokens, {})


@pytest.mark.parametrize(
    "fault",
    [
        "allocation failure: Invalid account or account/partition combination specified",
        "allocation failure: Invalid partition name specified",
    ],
)
def test_what_slurm_says_against_a_trial_is_passed_on(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol(tmp_path, monkeypatch, config=AGE, node=NODE, partition=PARTITIONS.strip())
    (tmp_path / "bin/sbatch").write_text(f"#!/bin/sh\necho '{fault}' >&2\nexit 1\n")
    with pytest.raises(ConfigError, match=fault):
        check(Cluster(("n1",)), 1, {"slurm_account": "unknown-account"})


@pytest.mark.parametrize(
    ("partition", "minutes", "most"),
    [
        (None, 60, None),
        (None, 61, "01:00:00"),
        ("long", 1470, None),
        ("long", 1471, "1-00:30:00"),
        ("any", 99999, None),
    ],
)
def test_trial_that_is_longer_than_its_partition_allows_is_refused(
    partition: str | None, minutes: int, most: str | None, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    scontrol(tmp_path, monkeypatch, config=AGE, node=NODE, partition=PARTITIONS.strip())
    trial = {"runtime": minutes} | ({"slurm_partition": partition} if partition else {})
    if most is None:
        check(Cluster(("n1",)), 1, trial)
    else:
        with pytest.raises(ConfigError, match=f"asks for {minutes} minutes.* gives {most} at most"):
            check(Cluster(("n1",)), 1, trial)


def test_trials_that_share_a_job_take_as_often_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol(tmp_path, monkeypatch, config=AGE, node=NODE, partition=PARTITIONS.strip())
    check(Cluster(("n1",), batch=3), 1, {"runtime": 20})
    with pytest.raises(ConfigError, match="a job of 3 trials asks for 63 minutes"):
        check(Cluster(("n1",), batch=3), 1, {"runtime": 21})


def test_without_slurm_the_sweep_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match="no scontrol here"):
        check(Cluster(("n1",)), 1, {})


class Trial:
    """A cell of a finished campaign, run as a job."""

    def __init__(self, finished: Workbench, folder: Path) -> None:
        plan = finished.plan()
        cells = [c for c in plan.cells.values() if c.workload == "bfs" and c.graph == "kron"]
        self.cell, self.layout = cells[0], Path(plan.layout_file(cells[0].key))
        self.graph = Path(json.loads(self.layout.read_text())["container"])
        self.results, self.stage = folder / "results/here", folder / "disk/stage"

    def record(self, number: int) -> Path:
        return self.results / self.cell.key / f"trial-{number}.json"

    def hold(self, number: int = 1, attempt: int = 1, stage: bool = False, node: str = "n1") -> Any:
        record, folder = self.record(number), self.stage if stage else None
        return hold_trial(self.cell, str(STUB), self.layout, record, None, folder, attempt, node)


@pytest.fixture
def trial(finished: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trial:
    monkeypatch.setenv("SLURM_JOB_ID", "12")
    monkeypatch.setenv("SLURMD_NODENAME", "n1")
    return Trial(finished, tmp_path)


def test_record_of_a_job_says_its_node_and_the_note_is_gone(trial: Trial) -> None:
    document = trial.hold()
    assert document["job"] == JOB == this_job()
    assert validator("run").is_valid(document)
    assert runs_of([read_record(trial.record(1))])["node"].tolist() == ["n1"]
    assert not note_of(trial.record(1)).exists()


def test_job_that_was_lost_is_a_record_and_is_not_run_again(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol(tmp_path, monkeypatch, job="JobState=TIMEOUT Reason=TimeLimit ExitCode=0:15")
    trial.record(1).parent.mkdir(parents=True)
    note_of(trial.record(1)).write_text(json.dumps(JOB | {"id": "11", "node": "n2"}))
    document = trial.hold(attempt=2)
    assert document["outcome"]["reason"] == "Slurm's job 11 on n2: TIMEOUT, TimeLimit"
    assert document["job"]["node"] == "n2"
    assert validator("run").is_valid(document)
    assert not note_of(trial.record(1)).exists()
    # What the lost job may still write does not replace it.
    assert trial.hold() == document


def test_run_that_slurm_ended_before_its_job_is_lost_too(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_FAIL", "kill:bfs")
    assert trial.hold()["outcome"]["status"] == "killed"
    trial.record(1).unlink()  # as Snakemake does when the job has failed
    scontrol(tmp_path, monkeypatch, job="JobState=CANCELLED Reason=None ExitCode=1:0")
    assert trial.hold(attempt=2)["outcome"]["reason"] == "Slurm's job 12 on n1: CANCELLED"


def test_run_that_its_own_limit_ended_is_no_loss(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_HANGS", "bfs")
    trial.cell = replace(trial.cell, seconds=1)
    assert trial.hold()["outcome"]["reason"] == "no answer after 1 s"
    assert not note_of(trial.record(1)).exists()


def test_records_outlast_the_loss_of_a_job_that_they_share(trial: Trial) -> None:
    first, second = trial.hold(1), trial.hold(2)
    trial.record(1).unlink()  # as Snakemake does when a later trial of the job was lost
    trial.record(2).unlink()
    assert trial.hold(1, attempt=2) == first, "it is not run again"
    settle(trial.results)
    assert json.loads(trial.record(2).read_text()) == second
    assert not any(kept_of(trial.record(number)).exists() for number in (1, 2))


def test_what_a_node_times_is_not_run_on_another_one(trial: Trial) -> None:
    with pytest.raises(StepError, match=r"n2 takes no jobs, and what it times is not run on n1"):
        trial.hold(attempt=2, node="n2")
    assert not trial.record(1).exists()


def test_note_of_an_earlier_sweep_that_was_interrupted_is_no_loss(trial: Trial) -> None:
    trial.record(1).parent.mkdir(parents=True)
    note_of(trial.record(1)).write_text(json.dumps(JOB))
    assert trial.hold(attempt=1)["outcome"]["status"] == "ok"


def test_job_that_was_cancelled_before_it_began_is_run(trial: Trial) -> None:
    assert trial.hold(attempt=2)["outcome"]["status"] == "ok"


def test_data_are_staged_once_and_again_when_they_change(trial: Trial) -> None:
    first, second = trial.hold(1, stage=True), trial.hold(2, stage=True)
    used = [trial.graph / "graph.json"]
    used += (trial.graph / "layouts" / trial.cell.layout).iterdir()
    assert first["job"]["staged_bytes"] == sum(path.stat().st_size for path in used)
    assert second["job"]["staged_bytes"] == 0
    assert Path(first["asked"]["graph"]).is_relative_to(trial.stage)
    assert first["graph"]["name"] == "kron"
    assert trial.hold(3)["job"]["staged_bytes"] is None
    os.utime(used[1])
    third = trial.hold(4, stage=True)
    assert 0 < third["job"]["staged_bytes"] < first["job"]["staged_bytes"], "the graph is there"


def test_staged_data_are_removed_by_their_sweep_alone(trial: Trial, tmp_path: Path) -> None:
    trial.hold(stage=True)
    assert not remove(trial.stage, tmp_path / "other")
    assert remove(trial.stage, trial.results)
    assert not trial.stage.exists()
    assert not remove(trial.stage, trial.results)


def test_two_sweeps_on_one_stage_folder_are_refused(trial: Trial, tmp_path: Path) -> None:
    trial.hold(stage=True)
    trial.results = tmp_path / "results/another"
    with pytest.raises(StepError, match=r"n1: .*stage is the stage folder of another sweep, whose"):
        trial.hold(stage=True)


def test_what_cannot_be_staged_names_node_and_bytes(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    with pytest.raises(StepError, match=r"^n1: \S+stage: \d+ bytes of kron could .* 10 are free$"):
        trial.hold(stage=True)
    monkeypatch.undo()
    assert not trial.record(1).exists()


def test_copy_that_is_damaged_is_refused_and_removed(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoil(path: Path) -> None:
        if path.name == "out.blocks":
            path.write_bytes(b"x" * path.stat().st_size)

    monkeypatch.setattr(staging, "_drop", spoil)
    where, words = trial.graph, (trial.cell.layout, trial.stage, trial.results, "n1", str(STUB))
    with pytest.raises(StepError, match=r"n1: what was staged is damaged: .*its hash is wrong"):
        staged(where, *words)
    monkeypatch.undo()
    assert staged(where, *words)[1] > 0, "nothing of it is taken for whole"


def test_stage_folder_that_cannot_be_made_is_said(trial: Trial, tmp_path: Path) -> None:
    (tmp_path / "disk").write_text("a file")
    with pytest.raises(StepError, match=r"n1: .*nothing can be staged: Not a directory"):
        trial.hold(stage=True)


def test_every_node_removes_its_stage_folder() -> None:
    asked: list[list[str]] = []

    def run(words: list[str], **_: Any) -> Any:
        asked.append(words)
        return SimpleNamespace(returncode=int("--nodelist=n2" in words))

    failed = remove_everywhere("/scratch/x", "results/here", ("n1", "n2"), run)
    assert [words[1] for words in asked] == ["--nodelist=n1", "--nodelist=n2"]
    assert failed == ["n2: /scratch/x is still there: srun ended with 1"]
