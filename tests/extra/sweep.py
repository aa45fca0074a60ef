# SPDX-License-Identifier: Apache-2.0
"""A campaign of the stub's runs on one graph, whose trials a cluster runs.

Graphs and layouts are made here first, and the tables last: what Slurm is for is the trials.
"""

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from small_slurm import Slurm
from workbench import ROOT, RUNTIME, Workbench, make_workbench, prepare_plan

WORKLOADS = {"bfs": {"source": "max-degree"}, "kcore": {"k": 8}}


class Sweep:
    """A campaign of the stub's runs on one graph."""

    def __init__(
        self,
        folder: Path,
        slurm: Slurm,
        cluster: Any,
        engines: list[str],
        workloads: Any,
        **environment: object,
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
        asked = {name: str(value) for name, value in environment.items()}
        self.environment = slurm.environment | asked
        self.plan = self.bench.plan()
        prepare_plan(self.plan)

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
        paths = [Path(path) for path in self.plan.records()]
        return {path: json.loads(path.read_text()) for path in paths if path.is_file()}

    def record_of(self, workload: str) -> Path:
        cells = self.plan.cells
        return next(
            Path(p) for p in self.plan.records() if cells[Path(p).parent.name].workload == workload
        )

    def times(self) -> list[tuple[datetime, datetime]]:
        """Return when each run began and ended, in their order."""
        found = []
        for record in self.records().values():
            begun = datetime.fromisoformat(record["started_at"])
            found.append((begun, begun + timedelta(seconds=record["phases"]["total_s"])))
        return sorted(found)

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
