# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a cluster with Slurm that the test brings up: see small_slurm.py.

Graphs and layouts are made here first, and the tables last: what Slurm is for is the trials.
"""

import itertools
import json
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from outcore_analysis.cluster.job import note_of
from outcore_analysis.cluster.nodes import Cluster
from small_slurm import NODES, Slurm
from workbench import ROOT, RUNTIME, Workbench, make_workbench

pytest.importorskip(
    "snakemake_executor_plugin_slurm", reason="its plugin is not installed: make test-extra"
)
WORKLOADS = {"bfs": {"source": "max-degree"}, "kcore": {"k": 8}}
SECONDS = 8.0


class Sweep:
    """A campaign of the stub's runs on one graph, each of some seconds."""

    def __init__(
        self, folder: Path, slurm: Slurm, cluster: Any, engines: list[str], workloads: Any
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.bench: Workbench = make_workbench(folder, "smoke")
        experiment = {key: value for key, value in RUNTIME.items() if key != "figures"}
        experiment |= {"workloads": workloads}
        experiment["engines"] = {name: RUNTIME["engines"][name] for name in engines}  # type: ignore[index]
        self.bench.config |= {"claims": [], "cluster": cluster}
        self.bench.config["experiments"] = [str(self.bench.write("runtime.yaml", experiment))]
        self.work = folder / "work"
        self.work.mkdir()
        for name in ("Snakefile", "analysis", "profiles", "configs"):
            (self.work / name).symlink_to(ROOT / name)
        self.environment = slurm.environment | {"STUB_SECONDS": str(SECONDS)}
        self.here("--until", "layout")

    def here(self, *words: str, expect: int = 0) -> str:
        """Let this machine do something for the sweep."""
        return self._ended(self.start("--workflow-profile", "profiles/default", *words), expect)

    def on_slurm(self, *words: str) -> subprocess.Popen[str]:
        """Start the trials on the cluster."""
        profile = ["--workflow-profile", "profiles/slurm", "--cores", "2", "--until", "trial"]
        profile += ["--default-resources", "mem_mb=500", "--set-resources", "trial:runtime=30"]
        return self.start(*profile, "--slurm-init-seconds-before-status-checks", "3", *words)

    def done_on_slurm(self, *words: str, expect: int = 0) -> str:
        """Run the trials on the cluster."""
        return self._ended(self.on_slurm(*words), expect)

    def start(self, *words: str) -> subprocess.Popen[str]:
        config = self.bench.write("config.yaml", self.bench.config)
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", *words, "--configfile", str(config)],
            cwd=self.work, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def records(self) -> dict[Path, Any]:
        paths = [Path(path) for path in self.bench.plan().records()]
        return {path: json.loads(path.read_text()) for path in paths if path.is_file()}

    def record_of(self, workload: str) -> Path:
        plan = self.bench.plan()
        return next(
            Path(p) for p in plan.records() if plan.cells[Path(p).parent.name].workload == workload
        )

    def times(self) -> list[tuple[datetime, datetime]]:
        """Return when each run began and ended, in their order."""
        begun = [datetime.fromisoformat(r["started_at"]) for r in self.records().values()]
        return [(start, start + timedelta(seconds=SECONDS)) for start in sorted(begun)]

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return all tables, without names of folders and nodes, and without times."""
        self.here("--until", "tables")
        folder = self.bench.folder / "results/trial-run/smoke/report/tables"
        left_out = ["record", "graph_seconds", "started_at", "host", "node", "staged_bytes"]
        return {
            path.name: pd.read_csv(path).drop(columns=left_out, errors="ignore")
            for path in sorted(folder.glob("*.csv"))
        }

    def _ended(self, process: subprocess.Popen[str], expect: int) -> str:
        out, _ = process.communicate(timeout=600)
        logs = "".join(path.read_text() for path in self.work.rglob("slurm_logs/**/*.log"))
        assert process.returncode == expect, out + logs
        return out


def overlaps(times: list[tuple[datetime, datetime]]) -> int:
    return sum(later[0] < earlier[1] for earlier, later in itertools.pairwise(times))


def test_nodes_with_disks_of_their_own_time_a_run_each_and_the_tables_are_a_local_runs(
    slurm: Slurm, tmp_path: Path
) -> None:
    cluster = {"nodes": list(NODES), "stage": str(slurm.disk / "outcore")}
    engines = ["in_memory", "concurrent"]
    sweep = Sweep(tmp_path / "slurm", slurm, cluster, engines, WORKLOADS)
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

    local = Sweep(tmp_path / "local", slurm, None, engines, WORKLOADS)
    local.environment["STUB_SECONDS"] = "0"
    tables = local.tables()
    assert {"runs.csv", "comparisons.csv", "layouts.csv"} < tables.keys()
    for name, table in sweep.tables().items():
        pd.testing.assert_frame_equal(table, tables[name])


def test_on_a_shared_file_system_one_run_is_timed_at_a_time(slurm: Slurm, tmp_path: Path) -> None:
    sweep = Sweep(tmp_path, slurm, {"nodes": list(NODES)}, ["in_memory"], WORKLOADS)
    sweep.done_on_slurm()
    jobs = [record["job"] for record in sweep.records().values()]
    assert {job["node"] for job in jobs} == set(NODES)
    assert {job["staged_bytes"] for job in jobs} == {None}
    assert overlaps(sweep.times()) == 0


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


def test_lost_jobs_are_records_with_slurms_reason_and_the_sweep_goes_on(
    slurm: Slurm, tmp_path: Path
) -> None:
    workloads = WORKLOADS | {"wcc": None, "pagerank": {"iterations": 10}}
    cluster = {"nodes": list(NODES), "stage": str(slurm.disk / "lossy")}
    sweep = Sweep(tmp_path, slurm, cluster, ["in_memory"], workloads)
    sweep.environment["STUB_HANGS"] = "bfs,kcore,wcc"
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
    assert "trial         1" in sweep.here("--until", "trial", "--dry-run")
