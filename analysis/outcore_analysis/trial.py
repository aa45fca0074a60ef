# SPDX-License-Identifier: Apache-2.0
"""One run of one cell, and its record, whatever happens.

`outcore run` writes its own record, also when it fails. If it could not, because it was killed or
crashed before, a record that says so is written here, so every run leaves one. Only a user's
interruption leaves none: that run is still to be done.

A run that something outside ended by SIGKILL is run once more, and the first record is kept in a
file of another name. If the second run is ended as well, that is the result: the kernel kills a
process in this way when memory runs out.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from outcore_analysis.faults import ToldError
from outcore_analysis.ingestion import BY_INGEST, INGEST, RECOVER, read_graph, run_record
from outcore_analysis.locks import held
from outcore_analysis.plan import Cell, nothing_beside, store_beside
from outcore_analysis.possible import kind_of
from outcore_analysis.yamllines import validator

Json = dict[str, Any]
LATE = "no answer after"


class InterruptedTrialError(ToldError):
    """The user stopped the run; no record is kept."""

    code = 130
    before = "not done: "


def run_trial(
    cell: Cell,
    binary: str,
    layout: Path,
    record: Path,
    lock: Path | None = None,
    job: Json | None = None,
    container: str | None = None,
) -> Json:
    """Run the cell once and return the record, which is then at `record`.

    Args:
        cell: what is run.
        binary: outcore.
        layout: the facts of the cell's layout, stream or store, which say where that is.
        record: where the record goes.
        lock: the device's lock; nobody else holds it while the run is timed.
        job: the job of a cluster in which this is; part of the record.
        container: a copy to be read instead of what the facts name.
    """
    container = container or _container(layout)
    record.parent.mkdir(parents=True, exist_ok=True)
    with held(lock) as inherited:
        # If a pipeline was killed, its wrapper may have finished while this one waited for the
        # lock.
        done = _read(record)
        if done is not None:
            print("the record is there already:", record)
            return done
        document = _run(cell, binary, container, record, inherited)
        if _killed_from_outside(cell, document):
            print("ended by SIGKILL from outside; running it once more", flush=True)
            _write(record.with_suffix(".killed.json"), document)
            document = _run(cell, binary, container, record, inherited)
        # A job whose node was lost may still be at work: what was said of it in the meantime stays.
        return _kept(record, document, job)


def lost_trial(
    cell: Cell, binary: str, layout: Path, record: Path, outcome: Json, job: Json
) -> Json:
    """Write the record of a run whose job did not return; `outcome` is what its cluster says."""
    container = _container(layout)
    command = cell.command(binary, container, str(record), str(record.with_suffix(".oct")))
    told = (outcome["exit_code"], outcome["reason"])
    document = _own_record(cell, container, command, *told) | {"outcome": outcome}
    return _kept(record, document, job)


def _container(layout: Path) -> str:
    return str(json.loads(layout.read_text(encoding="utf-8"))["container"])


def _kept(record: Path, document: Json, job: Json | None) -> Json:
    """Write a record, unless there is one, and return the one that is there."""
    there = _read(record)
    if there is not None:
        return there
    if job is not None:
        document["job"] = job
    _write(record, document)
    return document


def _run(cell: Cell, binary: str, container: str, record: Path, inherited: tuple[int, ...]) -> Json:
    draft = record.with_suffix(".draft.json")
    draft.unlink(missing_ok=True)
    command = cell.command(binary, container, str(draft), str(record.with_suffix(".oct")))
    own_store, nothing = Path(store_beside(str(draft))), Path(nothing_beside(str(draft)))
    if cell.workload == RECOVER and kind_of(cell.choices) == "stores":
        _copy_store(Path(container), own_store)
        nothing.write_bytes(b"")
    print("running:", " ".join(command), flush=True)
    exit_code, trouble = _execute(command, cell.seconds, inherited)
    shutil.rmtree(own_store, ignore_errors=True)
    nothing.unlink(missing_ok=True)
    by_ingest = cell.workload in BY_INGEST
    document = _ingested(cell, container, command, draft) if by_ingest else _read(draft)
    if document is None or not _ended(document, trouble):
        document = _own_record(cell, container, command, exit_code, trouble)
    if document["outcome"]["status"] == "interrupted":
        raise InterruptedTrialError(document["outcome"]["reason"])
    document = _checked(cell, container, command, document, record)
    if kind_of(cell.choices) == "stores":
        _name_graph_of_store(document, Path(container), cell.layout)
    draft.unlink(missing_ok=True)
    return document


def _name_graph_of_store(document: Json, store: Path, name: str) -> None:
    """Say of which graph the store holds a stream; the run itself knows the store alone."""
    document["asked"]["layout"] = name
    if "graph" in document:
        graph, made = read_graph(store)
        provenance = document["graph"]["provenance"] | made["provenance"]
        document["graph"] |= {"name": graph, "provenance": provenance}


def _copy_store(store: Path, copy: Path) -> None:
    """Copy a store, which opening it to write changes; nothing of the copy stays in memory."""
    shutil.copytree(store, copy)
    for path in copy.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _ingested(cell: Cell, container: str, command: list[str], draft: Path) -> Json | None:
    """Return the run record of an ingestion; None if it left no record that is right."""
    try:
        record = json.loads(draft.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not validator(INGEST).is_valid(record):
        return None
    name, graph = read_graph(Path(container))
    return run_record(record, _asked(cell, container, command), graph, name)


def ended_by_its_limit(cell: Cell, document: Json) -> bool:
    """Tell whether the run's own limit of time ended it, or may be one of memory."""
    return cell.memory is not None or str(document["outcome"]["reason"]).startswith(LATE)


def _killed_from_outside(cell: Cell, document: Json) -> bool:
    """Tell whether neither the limit of time nor one of memory killed the run."""
    outcome = document["outcome"]
    by_kill = outcome["exit_code"] in (-signal.SIGKILL, 128 + signal.SIGKILL)
    return outcome["status"] == "killed" and by_kill and not ended_by_its_limit(cell, document)


def _execute(command: list[str], seconds: int, inherited: tuple[int, ...]) -> tuple[int, str]:
    """Return the exit code (minus the signal's number), and what is known about the failure."""
    try:
        process = subprocess.Popen(
            command,
            env=_environment(),
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            pass_fds=inherited,
        )
    except OSError as error:
        return 127, f"{command[0]}: {error.strerror}"
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return -signal.SIGKILL, f"{LATE} {seconds} s"
    except KeyboardInterrupt as error:
        process.wait()
        raise InterruptedTrialError("interrupted") from error
    sys.stderr.write(errors)
    if process.returncode < 0:
        return process.returncode, f"ended by {signal.Signals(-process.returncode).name}"
    lines = [line for line in errors.splitlines() if line.strip()]
    last = lines[-1] if lines else f"exit code {process.returncode} without a message"
    return process.returncode, last if process.returncode else ""


def _environment() -> dict[str, str]:
    """Without what stands for options there: a cell says all that a run is asked for."""
    rest = {name: value for name, value in os.environ.items() if not name.startswith("OUTCORE_")}
    return rest | {"OUTCORE_QUIET": "1"}


def _read(path: Path) -> Json | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) and "outcome" in document else None


def _ended(document: Json, trouble: str) -> bool:
    """Tell whether the record can be right: a run that failed cannot be `ok` or `unfinished`."""
    status = document["outcome"].get("status")
    return not trouble or status not in ("ok", "unfinished")


def _own_record(cell: Cell, container: str, command: list[str], code: int, trouble: str) -> Json:
    status = "killed" if code < 0 else "failed"
    if code in (-signal.SIGINT, 128 + signal.SIGINT):
        status = "interrupted"
    if not trouble:
        trouble = "the run ended well but left no record"
    return {
        "record_version": 1,
        "outcome": {"status": status, "reason": trouble, "exit_code": code},
        "asked": _asked(cell, container, command),
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _asked(cell: Cell, container: str, command: list[str]) -> Json:
    return {
        "graph": container,
        "layout": cell.layout,
        "engine": cell.engine,
        "settings": {name: str(value) for name, value in cell.settings.items()},
        "workload": cell.workload,
        "parameters": cell.parameters,
        "threads": cell.threads,
        "verify": cell.verify,
        "command": command,
    }


def _checked(cell: Cell, container: str, command: list[str], document: Json, record: Path) -> Json:
    """Return the record, or a failure that says why it cannot be used; a bad one is kept beside."""
    fault = next(iter(validator("run").iter_errors(document)), None)
    if fault is None:
        return document
    _write(record.with_suffix(".invalid.json"), document)
    where = ".".join(str(key) for key in fault.absolute_path) or "the record"
    return _own_record(
        cell, container, command, 0, f"not a run record: {where}: {fault.message[:200]}"
    )


def _write(path: Path, document: Json) -> None:
    """Write the file completely or not at all."""
    beside = path.with_suffix(path.suffix + ".tmp")
    beside.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
