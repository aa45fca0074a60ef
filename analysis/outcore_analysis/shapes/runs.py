# SPDX-License-Identifier: Apache-2.0
"""All runs on one graph of a suite: the graph is made, everything runs on it, and it is removed.

A run that the binary refuses is left out, with the binary's own reason. A run that takes 20 times
the time of the best one so far is ended: what is above 10 is red already.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from outcore_analysis.locks import held
from outcore_analysis.prepare import options_of, run_binary
from outcore_analysis.shapes.suite import Stage

Json = dict[str, Any]
REFUSED = 2  # the binary's exit code for what it cannot do
TOO_LATE = 20
FIELDS = {
    "edges": ("work", "edges_processed"),
    "vertices": ("work", "vertices_processed"),
    "activations": ("work", "activations"),
    "rounds": ("work", "rounds"),
    "requested_bytes": ("io", "requested_bytes"),
    "open_s": ("phases", "open_s"),
    "prepare_s": ("phases", "prepare_s"),
    "run_s": ("phases", "run_s"),
    "collect_s": ("phases", "collect_s"),
    "verified": ("answer", "verified", "passed"),
    "pool_bytes": ("asked", "frames_bytes"),
}
PHASES = ("open_s", "prepare_s", "run_s", "collect_s")


def hold_stage(stage: Stage, binary: str, folder: Path, out: Path, lock: Path | None) -> None:
    """Make the graph in `folder`, run everything on it, write the rows to `out`, remove it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with held(lock):
            graph = _make_graph(stage, binary, folder)
            inputs = {name: _make(binary, folder, name, how) for name, how in stage.engines.items()}
            rows = [
                row
                for workload, parameters in stage.workloads.items()
                for row in _race(stage, binary, folder, inputs, workload, parameters)
            ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    told = {"shape": stage.shape, "title": stage.title, "ids": stage.ids, "size": stage.size}
    document = told | {"label": stage.label, "graph": graph, "runs": rows}
    beside = out.with_suffix(".tmp")
    beside.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    beside.replace(out)


def _make_graph(stage: Stage, binary: str, folder: Path) -> Json:
    recipe = stage.recipe
    words = [binary, "generate", recipe["generate"], *options_of(recipe["options"])]
    run_binary([*words, str(folder / "graph")])
    told = json.loads((folder / "graph/graph.json").read_text(encoding="utf-8"))
    return {key: told[key] for key in ("vertices", "edges", "provenance")}


def _make(binary: str, folder: Path, engine: str, how: Json) -> list[str]:
    """Make what an engine reads; return the words that name it and the engine to `outcore run`."""
    settings = ",".join(f"{key}={value}" for key, value in how.get("settings", {}).items())
    named = ["--engine", ":".join([engine] + [settings] * bool(settings))]
    graph = str(folder / "graph")
    if "layout" in how:
        words = [binary, "layout", graph, *options_of(how["layout"]), "--name", engine]
        run_binary(words)
        return [graph, "--layout", engine, *named]
    stream, store = str(folder / f"{engine}.ocs"), str(folder / f"{engine}.store")
    options = {key: value for key, value in how["stream"].items() if key != "kind"}
    run_binary([binary, "stream", how["stream"]["kind"], graph, stream, *options_of(options)])
    run_binary([binary, "ingest", stream, "--store", store, "--engine", f"{engine}:medium=ssd"])
    return [store, *named]


def _race(
    stage: Stage,
    binary: str,
    folder: Path,
    inputs: dict[str, list[str]],
    workload: str,
    asked: Json,
) -> list[Json]:
    rows: list[Json] = []
    limits, best = stage.limits, float("inf")
    trials = limits.get("trials", 1)
    for engine, named in inputs.items():
        limit = trials * min(limits["seconds"], max(limits["least_seconds"], TOO_LATE * best))
        words = [binary, "run", *named, "--workload", workload, "--verify"]
        words += ["--trials", str(trials)]
        for name, value in asked.items():
            words += ["--set", f"{name}={value}"]
        frames = ["--frames", limits["frames"]] if "frames" in limits else []
        row = run_within([*words, *frames], folder / "record.json", limit)
        if frames and row["status"] == "refused":
            row = run_within(words, folder / "record.json", limit)
        rows.append({"engine": engine, "workload": workload, "limit_s": limit} | row)
        if row["status"] == "ok":
            best = min(best, row["process_s"] / trials)
    spent, late = sum(row["process_s"] for row in rows), [r for r in rows if r["status"] == "late"]
    print(f"{workload}: {len(rows)} runs in {spent:.1f} s, {len(late)} were ended", flush=True)
    return rows


def run_within(words: list[str], record: Path, limit: float) -> Json:
    """Return what one run left behind: its status, why, and what it did."""
    record.unlink(missing_ok=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OUTCORE_")}
    started = time.monotonic()
    try:
        done = subprocess.run(
            [*words, "--record", str(record), "--quiet"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=limit,
            text=True,
            check=False,
        )
        code, said = done.returncode, done.stderr.strip()
    except subprocess.TimeoutExpired:
        code, said = None, f"not done after {limit:.3g} s"
    spent = time.monotonic() - started
    status = {0: "ok", REFUSED: "refused", None: "late"}.get(code, "failed")
    reason = said.splitlines()[-1] if said else ""
    if status == "failed":
        print(" ".join(words), f"exit code {code}: {reason}", file=sys.stderr, flush=True)
    told = _told(record)
    # It had its answer, and was only still writing down its rounds.
    status = "ok" if status == "late" and told.get("verified") else status
    row = {"status": status, "reason": "" if status == "ok" else reason}
    return row | {"process_s": round(spent, 4)} | told


def _told(record: Path) -> Json:
    """Return what the record says of the run; what it does not say is left out."""
    try:
        document = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    found: Json = {}
    for name, path in FIELDS.items():
        value: Any = document
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            found[name] = value
    if all(phase in found for phase in PHASES):
        found["seconds"] = sum(found[phase] for phase in PHASES)
    elif document.get("timeline"):  # of a run that was ended, what it had done by then
        found["read_bytes"] = document["timeline"][-1]["kernel_bytes"]
    return found
