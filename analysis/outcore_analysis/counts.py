# SPDX-License-Identifier: Apache-2.0
"""What a processor did in a run, counted by callgrind and not by the engine.

A virtual machine rarely allows access to a processor's counters. Valgrind executes the program
itself and counts instructions, reads and writes, and those that miss the caches that it simulates.
These caches are the same on every machine (CACHES), so counts can be compared. The program marks
where its run begins and ends (cli/run_trial.cc), so neither opening nor verifying counts; all
threads count. A column with such a count names the event in configs/columns.yaml. To count only a
part of the run, it names the function that it is `within`; then nothing outside is counted, which
takes a separate run.

The counted run is not the timed one: valgrind takes 50 times as long, runs one thread at a time,
and does not support io_uring.

Lines of the workload's program are counted beside that.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from outcore_analysis.inventory import Inventory, inventory
from outcore_analysis.plan import USUAL, Cell
from outcore_analysis.prepare import StepError
from outcore_analysis.records import counted_columns

Json = dict[str, Any]
# 32 KB for instructions and for data, and a last cache of 8 MB, as the papers' desktops have.
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]


def count(cell: Cell, binary: str, layout: Path, out: Path) -> None:
    """Count the cell's columns; a column that could not be counted gets a reason."""
    container = json.loads(layout.read_text(encoding="utf-8"))["container"]
    alone = _alone(cell, inventory(binary))
    document: Json = {"status": "ok", "reason": "", "counts": {}}
    passes: dict[str | None, list[tuple[str, str]]] = {}
    for name, entry in counted_columns(cell.engine).items():
        within = entry.get("within", {}).get(cell.engine)
        passes.setdefault(within, []).append((name, entry["event"]))
    try:
        for within, columns in passes.items():
            events = _callgrind(alone, binary, container, within)
            document["counts"] |= {name: events[event] for name, event in columns}
    except StepError as error:
        document |= {"status": "failed", "reason": str(error)}
    document["counts"]["program_lines"] = program_lines(cell.workload)
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _alone(cell: Cell, build: Inventory | None) -> Cell:
    """Return the cell as valgrind can run it: without a memory limit and without io_uring."""
    engine = build.engines.get(cell.engine) if build else None
    backend = cell.backend or (engine.backend if engine else USUAL["backend"])
    if backend.startswith("uring"):
        backend = "threads"
    return replace(cell, memory=None, backend=backend, verify=False, trace=False)


def _callgrind(cell: Cell, binary: str, container: str, within: str | None) -> dict[str, int]:
    """Return the events of one run."""
    if shutil.which("valgrind") is None:
        raise StepError("valgrind is not installed: apt-get install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        # `outcore run` starts a process for the run, and one for OpenMP; each leaves a file.
        words = ["valgrind", "--tool=callgrind", "--cache-sim=yes", *CACHES, "--instr-atstart=no"]
        words += ["--trace-children=yes", f"--callgrind-out-file={folder}/callgrind.%p"]
        words += [f"--toggle-collect={within}"] if within else []
        command = [*words, *cell.command(binary, container, f"{folder}/record.json", "")]
        print("running:", " ".join(command), flush=True)
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            # Among what valgrind says of itself; its lines begin with its process.
            said = [line for line in done.stderr.splitlines() if line.startswith("outcore: ")]
            raise StepError(f"under callgrind: {(said or [f'exit code {done.returncode}'])[-1]}")
        found = [totals(path.read_text(encoding="utf-8")) for path in Path(folder).glob("call*")]
        return max(found, key=lambda events: events["Ir"])


def program_lines(workload: str, folder: Path = Path("workloads")) -> int:
    """Lines of a workload's program without blank ones and comments, as papers count them."""
    name = workload.replace("-", "_")
    files = [folder / f"{name}.cc", folder / f"{name}_program.h"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files if path.exists())
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    return sum(1 for line in code.splitlines() if line.strip())


def totals(text: str) -> dict[str, int]:
    """Return the sums in a callgrind file, by event."""
    lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    if "events" not in lines or "totals" not in lines:
        raise StepError("callgrind left no totals")
    sums = [int(value) for value in lines["totals"].split()]
    events = lines["events"].split()
    return dict(zip(events, sums + [0] * (len(events) - len(sums)), strict=True))
