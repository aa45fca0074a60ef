# SPDX-License-Identifier: Apache-2.0
"""A trial as a job of Slurm, which may not return.

A job leaves a note beside its record, `trial-1.job.json`, before it runs. A job that is cancelled,
runs out of time or memory, or loses its node writes no record. Snakemake then starts a second one
(`retries` of profiles/slurm). It finds the note, asks Slurm what became of the first job, and
writes that as the record. A job that failed by itself, or that was cancelled before it began, is
run.

Slurm ends a run before the process that waits for it, which may still write a record. Snakemake
removes that record, as the job failed. So the note of a run that was ended stays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from outcore_analysis.cluster.slurm import LOST, fate, this_job
from outcore_analysis.cluster.stage import disk_lock, staged
from outcore_analysis.plan import Cell
from outcore_analysis.trial import lost_trial, run_trial

Json = dict[str, Any]


def note_of(record: Path) -> Path:
    """Return the note of the job that is to make a record."""
    return record.with_suffix(".job.json")


def hold_trial(
    cell: Cell,
    binary: str,
    layout: Path,
    record: Path,
    lock: Path | None = None,
    stage: Path | None = None,
    attempt: int = 1,
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
    """
    job = this_job()
    if job is None:
        return run_trial(cell, binary, layout, record, lock)
    note = note_of(record)
    if attempt > 1 and note.is_file() and not record.is_file():
        lost = json.loads(note.read_text(encoding="utf-8"))
        outcome = fate(lost)
        if outcome is not None:
            note.unlink()
            return lost_trial(cell, binary, layout, record, outcome, lost)
    record.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps(job) + "\n", encoding="utf-8")
    container = Path(json.loads(layout.read_text(encoding="utf-8"))["container"])
    if stage is not None:
        results = record.parent.parent
        container, job["staged_bytes"] = staged(
            container, cell.layout, stage, results, job["node"], binary
        )
        lock = disk_lock(stage)
    document = run_trial(cell, binary, layout, record, lock, job, str(container))
    if document["outcome"]["status"] not in LOST.values():
        note.unlink(missing_ok=True)
    return document
