# SPDX-License-Identifier: Apache-2.0
"""Records of races that were never held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
SECONDS = (1.0, 1.0, 1.0)


def race_record(
    ours: Sequence[float] = SECONDS,
    theirs: Sequence[float] = (2.0, 2.0, 2.0),
    verdict: str = "right",
    status: str | None = "ok",
    workload: str = "bfs",
    memory: int | None = None,
    graph: str = "kron",
) -> Json:
    """Return a record of a race of ours against `toy`, which had this verdict.

    Its turns have a status; None: it had none.
    """
    facts = {"name": graph, "vertices": 9, "edges": 24, "symmetric": True, "checksum": "c"}
    same = {"workload": workload, "parameters": {"source": "1"}, "threads": 2}
    records = [_turn("ours", number, s, "ok", same, facts) for number, s in enumerate(ours, 1)]
    if status is not None:
        records += [_turn("toy", n, s, status, same, facts) for n, s in enumerate(theirs, 1)]
    return {
        "record_version": 1,
        "asked": same
        | {
            "graph": f"/home/me/{graph}",
            "source": "1",
            "source_number": 1,
            "ours": {"engine": "grid", "layout": "csr", "frames": "1M"},
            "contestants": ["toy"],
            "turns": len(ours),
            "memory": memory,
            "seconds": 300,
            "cold": True,
        },
        "graph": facts,
        "machine": {"cpu": "a processor", "cores": 2, "host": "here"},
        "build": {"git_commit": "abc"},
        "started_at": "2026-11-27T12:00:00Z",
        "finished": True,
        "contestants": [
            _contestant("ours", "Outcore", None, "right", []),
            _contestant("toy", "Toy", "1.5", verdict, ["It is slow."]),
        ],
        "records": records,
    }


def _contestant(
    name: str, title: str, version: str | None, verdict: str, limits: list[str]
) -> Json:
    return {
        "name": name,
        "title": title,
        "version": version,
        "licence": "MIT",
        "reference": "a paper",
        "limits": limits,
        "verdict": verdict,
        "reason": "" if verdict == "right" else "no luck",
        "conversion": None,
    }


def _turn(name: str, number: int, seconds: float, status: str, same: Json, facts: Json) -> Json:
    engine = "grid" if name == "ours" else name
    asked = {"engine": engine, "layout": "csr", "settings": {}, "memory_bytes": None}
    record: Json = {
        "record_version": 1,
        "outcome": {
            "status": status,
            "reason": "" if status == "ok" else f"it was {status}",
            "exit_code": 0 if status == "ok" else 6,
        },
        "asked": same | asked | {"command": [f"/opt/{name}", "--graph", "/home/me/kron", "-q"]},
        "graph": facts,
        "machine": {"cpu": "a processor", "cores": 2},
        "build": {"git_commit": "abc"},
        "started_at": "2026-11-27T12:00:00Z",
        "answer": {"verified": {"passed": True}},
        "raced": {
            "contestant": name,
            "turn": number,
            "place": 1,
            "temperature": "cold",
            "own_s": seconds / 2,
            "compared": "values",
            "wall_s": seconds,
            "user_s": 2.0,
            "system_s": 1.0,
            "read_bytes": 10**9,
            "written_bytes": 0,
            "memory": {
                "peak_bytes": 3 << 20,
                "anonymous_bytes": 2 << 20,
                "page_cache_bytes": 1 << 20,
                "process_bytes": 2 << 20,
            },
            "printed_bytes": 0,
            "left_behind": 0,
        },
    }
    if name == "ours":
        record |= {
            "phases": {"total_s": seconds, "run_s": seconds / 2},
            "stages": {"gather_s": 0.5},
            "bound": {
                "seconds": 4.0,
                "device": {"seconds": 1.0},
                "processors": {"seconds": 2.0},
                "neither_s": 1.0,
            },
        }
    return record
