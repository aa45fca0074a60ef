# SPDX-License-Identifier: Apache-2.0
"""A trial as a job of Slurm, which may not return.

A job leaves a note beside its record, `trial-1.job.json`, before it runs. A job that is cancelled,
runs out of time or memory, or loses its node writes no record. Snakemake then starts a second one
(`retries` of profiles/slurm). It finds the note, asks Slurm what became of the first job, and
writes that as the record. A job that failed by itself, or that was cancelled before it began, is
run.

Slurm ends a run before the process that waits for it, which may still write a record. Snakemake
removes that record, as the job failed. So the note of a run that was ended stays.

Several trials may share a job. If one of them is lost, Snakemake removes the records of all, so
there is a copy of each, `trial-1.kept.json`, until the sweep ends.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from outcore_analysis.cluster.slurm import LOST, fate, this_job
from outcore_analysis.cluster.stage import disk_lock, staged
from outcore_analysis.plan import Cell
from outcore_analysis.prepare import StepError
from outcore_analysis.trial import ended_by_its_limit, lost_trial, run_trial

Json = dict[str, Any]


def note_of(record: Path) -> Path:
    """Return the note of the job that is to make a record."""
    return record.with_suffix(".job.json")


def kept_of(record: Path) -> Path:
    """Return the copy of a record that outlasts the loss of its job."""
    return record.with_suffix(".kept.json")


def settle(results: Path) -> None:
    """Put back the records that went with a lost job; remove the other copies."""
    for kept in results.glob("*/trial-*.kept.json"):
        record = kept.with_name(kept.name.replace(".kept", ""))
        if record.exists():
            kept.unlink()
        else:
            kept.rename(record)


def hold_trial(
    cell: Cell,
    binary: str,
    layout: Path,
    record: Path,
    lock: Path | None = None,
    stage: Path | None = None,
    attempt: int = 1,
    node: str = "",
) -> Json:
    """Run a trial, inside a job of Slurm or outside, and return its record.

    Args:
        cell: what is run.
        binary: outcore.
        layout: the facts of the layout, the stream or the store.
        record: where the record goes.
        lock: of the device; that of the stage folder takes its place.
        stage: a folder on this node's own disk, to which the graph is copied first.
        attempt: how often Snakemake has tried, this time counted.
        node: which times it; another one can only say what became of a lost job.
    """
    job = this_job()
    if job is None:
        return run_trial(cell, binary, layout, record, lock)
    record.parent.mkdir(parents=True, exist_ok=True)
    kept, note = kept_of(record), note_of(record)
    if kept.is_file():
        shutil.copyfile(kept, record)
        return _read(record)
    document = None
    if attempt > 1 and note.is_file() and not record.is_file():
        document = _lost(cell, binary, layout, record)
    if document is None:
        if node not in ("", job["node"]):
            raise StepError(
                f"{record}: {node} takes no jobs, and what it times is not run on {job['node']}: "
                "bring it back, or leave it out of `nodes`, and call the same command again"
            )
        document = _run(cell, binary, layout, record, lock, stage, job)
    if not note.exists():
        shutil.copyfile(record, kept)
    return document


def _lost(cell: Cell, binary: str, layout: Path, record: Path) -> Json | None:
    """Write the record of a job that was lost; None if the job has said what was wrong."""
    note = note_of(record)
    lost = _read(note)
    outcome = fate(lost)
    if outcome is None:
        return None
    document = lost_trial(cell, binary, layout, record, outcome, lost)
    note.unlink()
    return document


def _run(
    cell: Cell,
    binary: str,
    layout: Path,
    record: Path,
    lock: Path | None,
    stage: Path | None,
    job: Json,
) -> Json:
    note = note_of(record)
    note.write_text(json.dumps(job) + "\n", encoding="utf-8")
    container = Path(_read(layout)["container"])
    if stage is not None:
        results = record.parent.parent
        container, job["staged_bytes"] = staged(
            container, cell.layout, stage, results, job["node"], binary
        )
        lock = disk_lock(stage)
    document = run_trial(cell, binary, layout, record, lock, job, str(container))
    by_itself = document["outcome"]["status"] not in LOST.values()
    if by_itself or ended_by_its_limit(cell, document):
        note.unlink(missing_ok=True)
    return document


def _read(path: Path) -> Json:
    document: Json = json.loads(path.read_text(encoding="utf-8"))
    return document
