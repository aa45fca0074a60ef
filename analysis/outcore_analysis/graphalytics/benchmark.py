# SPDX-License-Identifier: Apache-2.0
"""Run the kernels that a graph of Graphalytics asks for, and validate them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcore_analysis.graphalytics.faults import GraphalyticsError
from outcore_analysis.graphalytics.matching import difference
from outcore_analysis.graphalytics.properties import KERNELS, Properties, kernels_of
from outcore_analysis.graphalytics.runs import Runs

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """What a user asks for."""

    properties: Path
    graphs: Path
    out: Path
    binary: str
    engine: str
    memory: str = ""
    threads: int = 0
    algorithms: str = ""


def hold_benchmark(asked: Asked) -> bool:
    """Run and validate all kernels; return whether none failed."""
    properties = Properties.read(asked.properties)
    kernels = kernels_of(asked.algorithms) if asked.algorithms else properties.kernels()
    for kernel in kernels:  # what is missing is told before anything is run
        properties.parameters(kernel), properties.source(kernel)
    if asked.out.resolve() == asked.properties.parent.resolve():
        raise GraphalyticsError(f"--out {asked.out}: found the references, expected another folder")
    asked.out.mkdir(parents=True, exist_ok=True)
    runs = Runs(asked.binary, properties, asked.graphs, asked.engine, asked.memory, asked.threads)
    results: dict[str, Any] = {}
    for kernel in kernels:
        results[kernel] = _result(runs, kernel, asked.out)
        _write_results(asked, properties, results)
        _print_result(kernel, results[kernel])
    return all(result["validated"] != "failed" for result in results.values())


def _result(runs: Runs, kernel: str, out: Path) -> dict[str, Any]:
    """Run and validate one kernel. What cannot be loaded ends all; what cannot be run fails."""
    name = f"{runs.properties.name}-{kernel.upper()}"
    loaded = runs.loaded(kernel)
    result: dict[str, Any] = {"workload": KERNELS[kernel].workload, "load_s": loaded.seconds}
    reference = runs.properties.file.with_name(name)
    try:
        values, record = runs.run(kernel, out / name)
        result["parameters"] = record["asked"]["parameters"]
        result["run_s"] = record["phases"]["run_s"]
        result["answer"] = name
        if not reference.is_file():
            return result | {"validated": "no reference"}
        differs = difference(kernel, values, reference)
    except GraphalyticsError as error:
        differs = str(error)
    if differs:
        return result | {"validated": "failed", "why": differs}
    return result | {"validated": "passed"}


def _write_results(asked: Asked, properties: Properties, results: dict[str, Any]) -> None:
    document = {
        "graph": properties.name,
        "directed": properties.directed,
        "engine": asked.engine,
        "algorithms": results,
    }
    text = json.dumps(document, indent=1) + "\n"
    (asked.out / "results.json").write_text(text, encoding="utf-8")


def _print_result(kernel: str, result: dict[str, Any]) -> None:
    seconds = f"{result['run_s']:.3f} s" if "run_s" in result else "not run"
    why = f": {result['why']}" if "why" in result else ""
    print(f"{kernel:4}  {seconds:>10}  {result['validated']}{why}", flush=True)
