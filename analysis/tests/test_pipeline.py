# SPDX-License-Identifier: Apache-2.0
"""The pipeline as a user runs it, with the stub as its binary."""

import hashlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
import yaml
from snakemake.cli import get_argument_parser

from outcore_analysis.locks import held
from workbench import ROOT, STUB, TRACED, Workbench, make_workbench


def prepared(bench: Workbench, *words: str) -> tuple[list[str], Path]:
    """Return snakemake's command line, and a working folder, so that no lock is shared."""
    config = bench.write("config.yaml", bench.config)
    work = bench.folder / "work"
    work.mkdir(exist_ok=True)
    for name in ("Snakefile", "analysis", "profiles", "configs"):
        if not (work / name).exists():
            (work / name).symlink_to(ROOT / name)
    return [sys.executable, "-m", "snakemake", *words, "--configfile", str(config)], work


def snakemake(
    bench: Workbench, *words: str, expect: int = 0, **environment: str
) -> subprocess.CompletedProcess[str]:
    command, work = prepared(bench, *words)
    done = subprocess.run(
        command, cwd=work, text=True, capture_output=True, env=os.environ | environment,
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
    report = bench.folder / "results/trial-run/smoke/report"

    done = snakemake(bench, "--dry-run")
    assert not report.exists()

    # A run that should have finished did not: the target fails, after the page is written.
    done = snakemake(bench, STUB_FAIL="kill:wcc", expect=1)
    assert f"The newest page is {report}/index.html" in done.stdout + done.stderr
    log = (report / "logs/complete.log").read_text()
    assert "1 of 4 runs and replays did not finish:" in log
    assert "kron, concurrent, wcc, trial 1: killed: ended by SIGKILL" in log
    assert not (report / "complete.txt").exists()
    page = (report / "index.html").read_text()
    assert "kron, concurrent, wcc" in page
    assert "killed: ended by SIGKILL" in page
    verdicts = {v["id"]: v for v in json.loads((report / "verdicts.json").read_text())}
    assert verdicts["acgraph-fig2-opt-bfs"]["verdict"] == "reproduced"
    assert verdicts["acgraph-fig2-policies-wcc"]["verdict"] == "not run"

    records = {Path(path): Path(path).stat().st_mtime_ns for path in bench.plan().records()}
    done = snakemake(bench, expect=1)  # until it is run again
    assert "1 of 4 runs and replays did not finish" in done.stdout + done.stderr

    # Someone removes the failed record to try again: only that run is repeated.
    failed = next(p for p in records if json.loads(p.read_text())["outcome"]["status"] != "ok")
    failed.unlink()
    snakemake(bench)
    verdicts = {v["id"]: v for v in json.loads((report / "verdicts.json").read_text())}
    assert verdicts["acgraph-fig2-policies-wcc"]["verdict"] == "reproduced"
    kept = [path for path in records if path != failed]
    assert all(path.stat().st_mtime_ns == records[path] for path in kept)
    assert "Nothing to be done" in snakemake(bench).stderr


def test_wrong_configuration_stops_before_anything_runs(workbench: Workbench) -> None:
    bench = small(workbench)
    text = yaml.safe_dump(TRACED | {"colour": "red"}, sort_keys=False)
    file = bench.write("traced.yaml", text)
    line = text.splitlines().index("colour: red") + 1
    done = snakemake(bench, expect=1)
    assert f"{file}:{line}: unknown key 'colour'" in done.stderr
    assert not (bench.folder / "graphs").exists()


def test_timed_runs_never_share_the_device(workbench: Workbench) -> None:
    bench = small(workbench)
    experiment = TRACED | {"profiles": {"smoke": {"graphs": ["kron"], "trials": 3}}}
    bench.write("traced.yaml", experiment)
    # Threads of one core each: only the resource keeps eight of them from starting at once.
    words = ["--cores", "8", "--set-threads", "trial=1", "--until", "trial"]
    snakemake(bench, *words, STUB_SECONDS="0.2")
    records = [json.loads(Path(path).read_text()) for path in bench.plan().records()]
    times = sorted(
        (datetime.fromisoformat(record["started_at"]), record["phases"]["total_s"])
        for record in records
    )
    assert len(times) == 6
    for (start, seconds), (following, _) in itertools.pairwise(times):
        assert following >= start + timedelta(seconds=seconds)


def test_second_pipeline_in_a_folder_is_refused(workbench: Workbench) -> None:
    bench = small(workbench)
    with held(bench.folder / "work/.snakemake/outcore.lock"):
        assert "another snakemake is at work" in snakemake(bench, expect=1).stderr


def processes_of(folder: Path) -> dict[str, int]:
    """Return the processes whose command line names this folder: snakemake, and the stub's runs."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except (OSError, ValueError):
            continue
        if str(folder) not in " ".join(words):
            continue
        if "snakemake" in words:
            found["snakemake"] = int(entry.name)
        elif str(STUB) in words[:2] and "run" in words[:3]:
            found["run"] = int(entry.name)
    return found


def tables_of(bench: Workbench) -> dict[str, pd.DataFrame]:
    """Return all tables, without the names of folders and without times."""
    folder = bench.folder / "results/trial-run/smoke/report/tables"
    tables = {path.name: pd.read_csv(path) for path in sorted(folder.glob("*.csv"))}
    return {
        name: table.drop(columns=["record", "graph_seconds", "started_at"], errors="ignore")
        for name, table in tables.items()
    }


def records_of(bench: Workbench) -> dict[Path, int]:
    """Return finished records, and when they were written."""
    paths = map(Path, bench.plan().records())
    return {path: path.stat().st_mtime_ns for path in paths if path.is_file()}


def kill_after(bench: Workbench, records: int, seconds: float, target: str) -> dict[Path, int]:
    """Start the pipeline; after some more records, kill it and a run."""
    before = len(records_of(bench))
    command, work = prepared(bench)
    started = subprocess.Popen(
        command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"STUB_SECONDS": "0.3"},
    )  # fmt: skip
    while started.poll() is None and len(records_of(bench)) < before + records:
        time.sleep(0.02)
    time.sleep(seconds)
    with suppress(KeyError, ProcessLookupError):
        os.kill(processes_of(bench.folder)[target], signal.SIGKILL)
    kept = records_of(bench)
    started.kill()
    started.wait()
    return kept


def test_killed_anywhere_and_resumed_the_tables_are_the_same(
    workbench: Workbench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    experiment = TRACED | {"profiles": {"smoke": {"graphs": ["kron"], "trials": 3}}}
    quiet, killed = small(make_workbench(tmp_path_factory.mktemp("quiet"))), small(workbench)
    for bench in (quiet, killed):
        bench.write("traced.yaml", experiment)
    snakemake(quiet, "--until", "tables")

    chance = random.Random(7)
    kept: dict[Path, int] = {}
    for records, target in ((0, "snakemake"), (2, "run"), (1, "snakemake")):
        seen = kill_after(killed, records, chance.uniform(0, 3), target)
        # Of the existing records, at most the one that was just being made is made again.
        assert sum(seen.get(path) != at for path, at in kept.items()) <= 1
        kept = seen
    assert len(kept) >= 2
    snakemake(killed, "--until", "tables")
    last = records_of(killed)
    assert sum(last[path] != at for path, at in kept.items()) <= 1
    assert tables_of(killed).keys() == tables_of(quiet).keys()
    for name, table in tables_of(quiet).items():
        pd.testing.assert_frame_equal(tables_of(killed)[name], table)


@pytest.mark.parametrize("name", ["default", "smoke", "slurm"])
def test_profiles_hold_options_of_snakemake(name: str) -> None:
    profile = yaml.safe_load((ROOT / f"profiles/{name}/config.yaml").read_text())
    known = {action.dest.replace("_", "-") for action in get_argument_parser()._actions}
    # The plugin for Slurm, which has options of its own, is no part of the set-up.
    assert {key for key in profile if not key.startswith("slurm-")} <= known | {"quiet"}
    if name != "smoke":
        assert profile["resources"] == ["device=1"]
        assert profile["nolock"] is True


def test_target_of_a_figure_runs_it_alone(workbench: Workbench) -> None:
    bench = workbench
    bench.config |= {"profile": "smoke"}
    snakemake(bench, "traced", "--until", "tables")
    tables = bench.folder / "results/trial-run/smoke/traced/report/tables"
    assert set(pd.read_csv(tables / "runs.csv")["engine"]) == {"concurrent"}
    # The profile's page uses these runs and makes the others.
    records = {p: p.stat().st_mtime_ns for p in bench.folder.glob("results/*/*/*/trial-1.json")}
    assert len(records) == 2
    snakemake(bench, "smoke", "--until", "tables")
    assert all(path.stat().st_mtime_ns == at for path, at in records.items())
    assert len(list(bench.folder.glob("results/*/*/*/trial-1.json"))) == 6


def test_fetched_graph_comes_from_the_users_folder(workbench: Workbench) -> None:
    bench = small(workbench)
    data = bench.folder / "data"
    data.mkdir()
    (data / "edges.txt").write_text("0 1\n")
    sha = hashlib.sha256(b"0 1\n").hexdigest()
    entry = {"title": "fetched", "options": {"symmetric": True}}
    entry |= {"fetch": [{"url": "http://localhost:1/edges.txt", "sha256": sha}]}
    bench.write("graphs.yaml", {"kron": entry})
    snakemake(bench, "--until", "graph", OUTCORE_DATA=str(data))
    assert (bench.folder / "graphs/.fetched/edges.txt").read_text() == "0 1\n"

    entry["fetch"][0]["sha256"] = "0" * 64
    bench.write("graphs.yaml", {"kron": entry})
    snakemake(bench, "--until", "graph", expect=1, OUTCORE_DATA=str(data))
    assert f"its SHA-256 is {sha}" in (bench.folder / "graphs/.fetched/edges.txt.log").read_text()
    assert not (bench.folder / "graphs/.fetched/edges.txt").exists()


def test_experiment_of_ones_own_as_the_readme_says(workbench: Workbench) -> None:
    text = (ROOT / "configs/experiments/runtime.yaml").read_text()
    head, _, _ = text.partition("profiles:")
    profiles = "profiles:\n  quick: {graphs: [kron16], trials: 1}\n"
    mine = str(workbench.write("mine-experiment.yaml", head + profiles))
    workbench.config = {
        "campaign": "mine",
        "experiments": [mine],
        "binary": str(STUB),
        "graphs_folder": str(workbench.folder / "graphs"),
        "results_folder": str(workbench.folder / "results"),
    }
    snakemake(workbench, "--until", "trial")
    records = list(workbench.folder.glob("results/mine/*/*/trial-1.json"))
    assert len(records) == 3 * 5  # engines, workloads


def test_own_experiments_have_a_page_of_their_own_and_judge_no_claims_unless_asked(
    workbench: Workbench,
) -> None:
    """It must not replace the existing page, nor judge papers by a few runs."""
    bench = small(workbench)
    first = bench.folder / "results/smoke/report/index.html"
    first.parent.mkdir(parents=True)
    first.write_text("the page that was there")
    asked = bench.config.pop("claims")
    snakemake(bench)
    assert first.read_text() == "the page that was there"
    page = bench.folder / "results/trial-run/smoke/report"
    assert json.loads((page / "verdicts.json").read_text()) == []
    text = (page / "index.html").read_text()
    assert "statements judged" not in text
    assert "OPT saves: paper 25% to 29%; here 25.4%" in text, "its figures show the paper's number"
    bench.config["claims"] = asked
    snakemake(bench)
    assert len(json.loads((page / "verdicts.json").read_text())) == 3
    assert "2 of 3 statements judged" in (page / "index.html").read_text()


def test_with_another_folder_of_results_the_viewers_pages_are_made_in_the_first_call(
    workbench: Workbench,
) -> None:
    bench = small(workbench)
    run = {"engine": "concurrent", "layout": {"preset": "csr"}}
    count = {"run": 1, "what": "bytes"}
    claim = {"says": "s", "of": count, "over": count, "at_least": 1}
    preset = {"title": "t", "question": "q", "graph": "kron", "workload": "bfs", "runs": [run]}
    bench.config["viewer"] = [str(bench.write("one.yaml", preset | {"claim": claim}))]
    snakemake(bench, "viewer", "--until", "graph")
    bench.config["results_folder"] = str(bench.folder / "elsewhere")
    planned = snakemake(bench, "viewer", "--dry-run").stdout
    jobs = {words[0] for line in planned.splitlines() if len(words := line.split()) == 2}
    assert {"preset", "viewer"} <= jobs
    assert "graph" not in jobs, "it is there, and the same"
