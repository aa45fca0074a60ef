# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a cluster with Slurm that the test brings up: see small_slurm.py and sweep.py."""

import itertools
import json
import re
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from outcore_analysis.cluster.job import note_of
from outcore_analysis.cluster.nodes import Cluster
from small_slurm import NODES, Slurm, free_ports
from sweep import WORKLOADS, Sweep

pytest.importorskip(
    "snakemake_executor_plugin_slurm", reason="its plugin is not installed: make test-extra"
)


def overlaps(times: list[tuple[datetime, datetime]]) -> int:
    return sum(later[0] < earlier[1] for earlier, later in itertools.pairwise(times))


def test_nodes_with_disks_of_their_own_time_a_run_each_and_the_tables_are_a_local_runs(
    slurm: Slurm, tmp_path: Path
) -> None:
    cluster = {"nodes": list(NODES), "stage": str(slurm.disk / "outcore")}
    engines = ["in_memory", "concurrent"]
    meets = tmp_path / "meets"
    meets.mkdir()
    sweep = Sweep(tmp_path / "slurm", slurm, cluster, engines, WORKLOADS, STUB_MEETS=meets)
    sweep.done_on_slurm()

    records = list(sweep.records().values())
    wanted = {w: Cluster(NODES).node_of("kron", w) for w in WORKLOADS}
    assert set(wanted.values()) == set(NODES)
    assert [r["job"]["node"] for r in records] == [wanted[r["asked"]["workload"]] for r in records]
    assert overlaps(sweep.times()) >= 1
    for node in NODES:
        mine = sorted(
            (r for r in records if r["job"]["node"] == node), key=lambda r: str(r["started_at"])
        )
        assert [r["job"]["staged_bytes"] > 0 for r in mine] == [True, False]
        assert not (slurm.disk_of(node) / "outcore").exists(), "it is removed at the end"

    local = Sweep(tmp_path / "local", slurm, None, engines, WORKLOADS, STUB_SECONDS=0)
    tables = local.tables()
    assert {"runs.csv", "comparisons.csv", "layouts.csv"} < tables.keys()
    for name, table in sweep.tables().items():
        pd.testing.assert_frame_equal(table, tables[name])


def test_on_a_shared_file_system_one_run_is_timed_at_a_time(slurm: Slurm, tmp_path: Path) -> None:
    cluster = {"nodes": list(NODES)}
    sweep = Sweep(tmp_path, slurm, cluster, ["in_memory"], WORKLOADS, STUB_SECONDS=8)
    sweep.done_on_slurm()
    jobs = [record["job"] for record in sweep.records().values()]
    assert {job["node"] for job in jobs} == set(NODES)
    assert {job["staged_bytes"] for job in jobs} == {None}
    assert overlaps(sweep.times()) == 0


def test_trials_share_a_job_and_the_loss_of_one_is_that_of_no_other(
    slurm: Slurm, tmp_path: Path
) -> None:
    workloads = WORKLOADS | {"wcc": None, "pagerank": {"iterations": 10}}
    cluster = {"nodes": ["n1"], "batch": 4}
    sweep = Sweep(tmp_path, slurm, cluster, ["in_memory"], workloads, STUB_HANGS="kcore")
    process = sweep.on_slurm("--set-resources", "trial:runtime=5")
    lost = note_of(sweep.record_of("kcore"))
    slurm.wait(lambda: lost.is_file() and lost.read_text(), "kcore at work")
    job = json.loads(lost.read_text())["id"]
    slurm.ask("scancel", job)
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0, out
    records = {r["asked"]["workload"]: r for r in sweep.records().values()}
    outcome = records.pop("kcore")["outcome"]
    assert (outcome["status"], outcome["reason"].rpartition(": ")[2]) == ("killed", "CANCELLED")
    assert {record["outcome"]["status"] for record in records.values()} == {"ok"}
    assert len({job} | {record["job"]["id"] for record in records.values()}) <= 2
    assert not list(tmp_path.rglob("*.kept.json")) and not list(tmp_path.rglob("*.job.json"))


def test_sweep_that_asks_for_what_is_not_there_ends_and_says_so(
    slurm: Slurm, tmp_path: Path
) -> None:
    sweep = Sweep(tmp_path, slurm, {"nodes": ["n1"]}, ["in_memory"], {"bfs": WORKLOADS["bfs"]})
    for words, why in (
        ("trial:slurm_partition=gpu", "invalid partition specified: gpu|Invalid partition name"),
        ("trial:runtime=90", "partition all gives 01:00:00 at most"),
    ):
        assert re.search(why, sweep.done_on_slurm("--set-resources", words, expect=1))
    sweep.bench.config["cluster"] = {"nodes": ["n1", "n7"]}
    assert "Node n7 not found" in sweep.done_on_slurm(expect=1)
    without = slurm.home / "no-controller.conf"
    without.write_text(
        re.sub("SlurmctldPort=.*", f"SlurmctldPort={free_ports(1)[0]}", slurm.conf.read_text())
    )
    sweep.environment["SLURM_CONF"] = str(without)
    assert "Unable to contact slurm controller" in sweep.done_on_slurm(expect=1)


def test_lost_jobs_are_records_with_slurms_reason_and_the_sweep_goes_on(
    slurm: Slurm, tmp_path: Path
) -> None:
    workloads = WORKLOADS | {"wcc": None, "pagerank": {"iterations": 10}}
    cluster = {"nodes": list(NODES), "stage": str(slurm.disk / "lossy")}
    hangs = "bfs,kcore,wcc"
    sweep = Sweep(tmp_path, slurm, cluster, ["in_memory"], workloads, STUB_HANGS=hangs)
    process = sweep.on_slurm()

    def running(workload: str) -> str:
        note = note_of(sweep.record_of(workload))
        job = json.loads(note.read_text())["id"] if note.is_file() else ""
        at_work = job and slurm.ask("squeue", "-h", "-j", job, "-o", "%T").strip() == "RUNNING"
        return job if at_work else ""

    assert Cluster(NODES).node_of("kron", "kcore") == "n2"
    slurm.wait(lambda: running("kcore"), "kcore at work")
    slurm.end_node("n2")
    slurm.wait(lambda: not running("kcore"), "end of a job without its node")
    slurm.start_node("n2")
    # Which of the two comes first is Slurm's to say.
    orders = {"bfs": "scancel {}", "wcc": "scontrol update JobId={} TimeLimit=1"}

    def ordered() -> bool:
        for workload in list(orders):
            if job := running(workload):
                slurm.ask(*orders.pop(workload).format(job).split())
        return not orders

    slurm.wait(ordered, "bfs and wcc at work")
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0, out

    records = {r["asked"]["workload"]: r for r in sweep.records().values()}
    assert records["pagerank"]["outcome"]["status"] == "ok"
    for workload, node, why in (
        ("kcore", "n2", "NODE_FAIL, NodeDown"),
        ("bfs", "n1", "CANCELLED"),
        ("wcc", "n1", "TIMEOUT, TimeLimit"),
    ):
        job, outcome = records[workload]["job"], records[workload]["outcome"]
        assert outcome["status"] == "killed"
        assert outcome["reason"] == f"Slurm's job {job['id']} on {node}: {why}"
    # It goes on where its user wants: a record that is removed is what is still to be done.
    sweep.record_of("bfs").unlink()
    said = sweep.here("--until", "trial", "--dry-run")
    assert re.search(r"^trial +1$", said, re.MULTILINE), said
