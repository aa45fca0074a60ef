# SPDX-License-Identifier: Apache-2.0
"""The pipeline as a user runs it, with the stub as its binary."""

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from workbench import ROOT, TRACED, Workbench


def snakemake(
    bench: Workbench, *words: str, fail: str = "", expect: int = 0
) -> subprocess.CompletedProcess[str]:
    config = bench.write("config.yaml", bench.config)
    # A working folder of its own, so that no lock is shared with a run of the user's.
    work = bench.folder / "work"
    for name in ("Snakefile", "analysis", "profiles", "configs"):
        if not (work / name).exists():
            work.mkdir(exist_ok=True)
            (work / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "snakemake", "--configfile", str(config), *words]
    done = subprocess.run(
        command, cwd=work, text=True, capture_output=True, env=os.environ | {"STUB_FAIL": fail},
        check=False,
    )  # fmt: skip
    assert done.returncode == expect, done.stderr
    return done


def small(bench: Workbench) -> Workbench:
    """One traced experiment on one graph: every rule, few jobs."""
    bench.config |= {"experiments": [str(bench.write("traced.yaml", TRACED))], "profile": "smoke"}
    return bench


def test_a_whole_run_then_a_failed_one_then_a_resumed_one(workbench: Workbench) -> None:
    bench = small(workbench)
    report = bench.folder / "results/smoke/report"

    done = snakemake(bench, "--dry-run")
    assert not report.exists()

    done = snakemake(bench, fail="kill:wcc")
    assert f"The page is {report}/index.html" in done.stdout + done.stderr
    page = (report / "index.html").read_text()
    assert "kron, concurrent, wcc" in page
    assert "killed: ended by SIGKILL" in page
    verdicts = {v["id"]: v for v in json.loads((report / "verdicts.json").read_text())}
    assert verdicts["acgraph-fig2-opt-bfs"]["verdict"] == "reproduced"
    assert verdicts["acgraph-fig2-policies-wcc"]["verdict"] == "not run"

    records = {Path(path): Path(path).stat().st_mtime_ns for path in bench.plan().records()}
    assert "Nothing to be done" in snakemake(bench).stderr

    # Someone takes the failure away to try again: that run alone is repeated.
    failed = next(p for p in records if json.loads(p.read_text())["outcome"]["status"] != "ok")
    failed.unlink()
    snakemake(bench)
    verdicts = {v["id"]: v for v in json.loads((report / "verdicts.json").read_text())}
    assert verdicts["acgraph-fig2-policies-wcc"]["verdict"] == "reproduced"
    kept = [path for path in records if path != failed]
    assert all(path.stat().st_mtime_ns == records[path] for path in kept)


def test_wrong_configuration_stops_before_anything_runs(workbench: Workbench) -> None:
    bench = small(workbench)
    text = yaml.safe_dump(TRACED | {"colour": "red"}, sort_keys=False)
    file = bench.write("traced.yaml", text)
    line = text.splitlines().index("colour: red") + 1
    done = snakemake(bench, expect=1)
    assert f"{file}:{line}: unknown key 'colour'" in done.stderr
    assert not (bench.folder / "graphs").exists()


def test_timed_runs_never_share_the_device() -> None:
    profile = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
    assert profile["resources"] == ["device=1"]
    measure = (ROOT / "analysis/rules/measure.smk").read_text()
    trial = measure[measure.index("rule trial:") : measure.index("rule replay:")]
    assert "device=1" in trial
    assert "threads: workflow.cores" in trial
