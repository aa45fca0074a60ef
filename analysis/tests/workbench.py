# SPDX-License-Identifier: Apache-2.0
"""A small campaign made by the stub binary, and a configuration to change."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from outcore_analysis import heat, prepare
from outcore_analysis.plan import Plan, make_plan
from outcore_analysis.trial import run_trial
from outcore_analysis.yamllines import load_yaml

ROOT = Path(__file__).resolve().parents[2]
STUB = Path(__file__).with_name("stub_outcore.py")

GRAPHS = {
    "kron": {
        "title": "Kronecker 10",
        "generate": "kronecker",
        "options": {"scale": 10, "degree": 16, "symmetric": True},
    },
    "square": {"title": "a square", "generate": "grid", "options": {"rows": 32, "columns": 32}},
}
RUNTIME = {
    "title": "Runtime",
    "answers": "How long?",
    "layouts": {"firstfit": {"pack": "firstfit"}, "csr": {"pack": "csr"}},
    "engines": {
        "in_memory": {"layouts": ["firstfit"]},
        "concurrent": {"layouts": ["firstfit"], "frames": ["6%"]},
    },
    "workloads": {"bfs": {"source": "max-degree"}, "pagerank": {"iterations": 10}},
    "profiles": {
        "smoke": {"graphs": ["kron"], "trials": 1},
        "quick": {"graphs": ["kron", "square"], "trials": 3},
        "full": {"graphs": ["kron"], "trials": 3},
    },
    "figures": [
        {
            "kind": "bars",
            "panels": ["graph"],
            "x": "workload",
            "value": "seconds",
            "points": "run_s",
            "unit": "s",
            "log": True,
        },
        {
            "kind": "stacks",
            "name": "layout-bytes",
            "table": "layouts",
            "parts": [
                {"value": "block_bytes_per_edge", "label": "blocks"},
                {"value": "index_bytes_per_edge", "label": "index"},
            ],
        },
        {"kind": "timeline", "name": "timeline", "where": {"engine": "concurrent"}},
        {"kind": "rounds", "name": "rounds", "where": {"engine": "concurrent"}},
        {"kind": "frontier", "name": "frontier", "unit": "s", "log": True},
        {
            "kind": "table",
            "name": "sizes",
            "table": "layouts",
            "rows": ["graph", "layout"],
            "columns": [
                {"title": "size", "value": "total_bytes", "unit": "bytes"},
                {
                    "title": "over CSR's",
                    "value": "total_bytes",
                    "ratio_to": {"layout": "csr"},
                    "unit": "x",
                },
            ],
            "paper_rows": [["Twitter", "theirs", "12 GB", "1.1x"]],
        },
    ],
}
TRACED = {
    "title": "Reads against pool size",
    "answers": "What could a pool save?",
    "layouts": {"firstfit": {"pack": "firstfit"}},
    "engines": {"concurrent": {"layouts": ["firstfit"], "threads": [1], "frames": ["6%"]}},
    "workloads": {"bfs": {"source": "max-degree"}, "wcc": None},
    "replay": {"policies": ["opt", "sub", "lru"], "sizes": ["0.1%", "10%", "20%"]},
    "profiles": {name: {"graphs": ["kron"]} for name in ("smoke", "quick", "full")},
    "figures": [
        {
            "kind": "lines",
            "name": "acgraph-fig2",
            "table": "replays",
            "x": "pool",
            "series": ["policy"],
            "value": "read_bytes",
            "over": "raw_bytes",
            "unit": "%",
            "reference": {"value": "distinct_bytes", "over": "raw_bytes", "label": "once"},
            "paper": [
                {"claim": "acgraph-fig2-opt-bfs", "says": "OPT saves"},
                {"value": [150, 160], "says": "LRU", "at": {"policy": "lru", "pool": "10%"}},
            ],
        },
        {"kind": "heat", "name": "accesses"},
    ],
}


ANSWERED = ("acgraph-fig2-opt-bfs", "acgraph-fig2-policies-wcc", "acgraph-fig10-bfs-bytes")


@dataclass
class Workbench:
    """A folder with a configuration whose files tests may change."""

    folder: Path
    config: dict[str, Any]

    def write(self, name: str, value: Any) -> Path:
        path = self.folder / name
        text = value if isinstance(value, str) else yaml.safe_dump(value, sort_keys=False)
        path.write_text(text, encoding="utf-8")
        return path

    def plan(self) -> Plan:
        return make_plan(self.config)


def make_workbench(folder: Path, profile: str = "quick") -> Workbench:
    bench = Workbench(folder, {})
    bench.config = {
        "profile": profile,
        "campaign": "trial-run",
        "binary": str(STUB),
        "graphs_folder": str(folder / "graphs"),
        "results_folder": str(folder / "results"),
        "graphs": [str(bench.write("graphs.yaml", GRAPHS))],
        "experiments": [
            str(bench.write("runtime.yaml", RUNTIME)),
            str(bench.write("traced.yaml", TRACED)),
        ],
        "device": str(folder / "local.toml"),
        "claims": [str(bench.write("claims.yaml", some_claims()))],
    }
    return bench


def some_claims() -> dict[str, Any]:
    """Return the claims that the stub's campaign answers."""
    document: dict[str, Any] = load_yaml(str(ROOT / "configs/claims/acgraph.yaml")).value
    kept = [claim for claim in document["claims"] if claim["id"] in ANSWERED]
    return document | {"claims": kept}


def prepare_plan(plan: Plan) -> None:
    """Make a plan's graphs and layouts as the pipeline does, in this process."""
    for graph in dict.fromkeys(graph for graph, _ in plan.layouts()):
        folder = f"{plan.graphs_folder}/{graph}"
        prepare.make_graph(plan.binary, plan.recipe(graph), folder, Path(plan.stamp(graph)))
    for (graph, layout), facts in zip(plan.layouts(), plan.layout_facts(), strict=True):
        folder = f"{plan.graphs_folder}/{graph}"
        choices = plan.layout_choices(layout)
        prepare.make_layout(plan.binary, folder, layout, choices, Path(facts))


def run_plan(plan: Plan) -> None:
    """Do what the pipeline does up to the records and replays, in this process."""
    prepare_plan(plan)
    for path in plan.records():
        key = Path(path).parent.name
        run_trial(plan.cells[key], plan.binary, Path(plan.layout_file(key)), Path(path))
    for path in plan.replays():
        asked = plan.replay_of(Path(path).parent.name)
        record = Path(path.replace(".replay.json", ".json"))
        prepare.replay(plan.binary, record, asked["policies"], asked["sizes"], Path(path))
    for path in map(Path, plan.heats()):
        heat.bin_trace(plan.binary, path.with_name(path.name.replace(".heat.json", ".json")), path)
