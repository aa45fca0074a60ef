#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the outcore binary: the same commands and files, with invented numbers.

Numbers depend only on what is asked for, so records are the same in every run. No two counters of a
record are equal, so none can be mistaken for another unnoticed. The environment variable STUB_FAIL
names a workload that must fail: with an error and a record, or, as `kill:<workload>`, by a signal
and without a record. With STUB_SECONDS a run takes that long, and its record says when it was.
With STUB_MEETS, a folder, a run takes until another one has begun with it. STUB_HANGS names
workloads whose runs never end; STUB_LACKS engines that this build does not have.
"""

import argparse
import json
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SECONDS = {"bfs": 0.2, "wcc": 0.5, "pagerank": 1.1, "kcore": 0.8, "sssp": 0.9}
# The share of reads saved, divided by the pool's share: for BFS, OPT saves more than LRU does; for
# WCC, all policies save the same.
POOL_GAIN = {
    "bfs": {"opt": 1.3, "sub": 0.9, "lru": 0.4},
    "wcc": {"opt": 0.5, "sub": 0.5, "lru": 0.5},
}
# The engines of this build, and in what they differ from the usual traits.
USUAL_TRAITS: dict[str, Any] = {
    "reads": "lists",
    "pack": None,
    "heads": "layout",
    "keeps_graph_in_memory": False,
    "traces": True,
    "reverse": True,
    "messages_on_edges": False,
}
ENGINES: dict[str, dict[str, Any]] = {
    "in_memory": {"heads": "any", "keeps_graph_in_memory": True},
    "concurrent": {},
    "async_block": {},
    "psw": {"reads": "edges", "pack": "psw", "reverse": False, "messages_on_edges": True},
    "evolving": {"reads": "store", "heads": "none", "traces": False},
}


def generate(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind")
    for option in ("--scale", "--degree", "--seed", "--rows", "--columns"):
        parser.add_argument(option, type=int, default=1)
    parser.add_argument("--symmetric", action="store_true")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args(words)
    if asked.folder.exists() and not asked.force:
        sys.exit(f"{asked.folder} exists")
    vertices = 2**asked.scale if asked.kind == "kronecker" else asked.rows * asked.columns
    edges = vertices * (2 * asked.degree if asked.kind == "kronecker" else 4)
    asked.folder.mkdir(parents=True, exist_ok=True)
    graph = {
        "vertices": vertices,
        "edges": edges,
        "symmetric": True,
        "provenance": {"generator": asked.kind},
        "seal": "xxh3:0011223344556677",
    }
    (asked.folder / "graph.json").write_text(json.dumps(graph))


def import_(words: list[str]) -> None:
    """What the file holds does not matter here."""
    folder = next(Path(word) for word in words[1:] if not word.startswith("-"))
    generate(["kronecker", "--scale", "6", "--degree", "4", "--force", str(folder)])


def layout(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    for option in ("--pack", "--inline", "--name"):
        parser.add_argument(option)
    parser.add_argument("--force", action="store_true")
    asked = parser.parse_args(words)
    graph = json.loads((asked.folder / "graph.json").read_text())
    home = asked.folder / "layouts" / asked.name
    home.mkdir(parents=True, exist_ok=True)
    slack = 1.02 if asked.pack == "firstfit" else 1
    blocks = int(graph["edges"] * 4 * slack) // 4096 + 1
    (home / "out.blocks").write_bytes(bytes(4096 * blocks))
    (home / "out.index").write_bytes(bytes(8 * graph["vertices"]))
    choices = {"number": "original", "place": "id", "pack": asked.pack, "codec": "raw"}
    facts = {"vertices": graph["vertices"], "edges": graph["edges"], "blocks": blocks}
    document = {"choices": choices | {"block_bytes": 4096}, "facts": facts}
    (home / "layout.json").write_text(json.dumps(document))


def check(words: list[str]) -> None:
    """A layout is damaged if its blocks do not begin with zero."""
    for blocks in Path(words[0]).rglob("out.blocks"):
        if blocks.read_bytes()[:1] != b"\0":
            sys.exit(f"{blocks}: its hash is wrong")


def run(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    for option in ("--engine", "--workload", "--layout", "--frames", "--source", "--trace"):
        parser.add_argument(option)
    for option in ("--memory", "--device", "--dilation", "--depth", "--queue"):
        parser.add_argument(option)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--record", type=Path)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--swap", action="store_true")
    asked = parser.parse_args(words)
    fail = os.environ.get("STUB_FAIL", "")
    if fail == f"kill:{asked.workload}":
        os.kill(os.getpid(), signal.SIGKILL)
    if asked.workload in os.environ.get("STUB_HANGS", "").split(","):
        time.sleep(3600)
    record = run_record(asked, words)
    if {"STUB_SECONDS", "STUB_MEETS"} & os.environ.keys():
        begun = datetime.now(UTC)
        _last()
        record["started_at"] = begun.isoformat()
        record["phases"]["total_s"] = (datetime.now(UTC) - begun).total_seconds()  # type: ignore[index]
    if fail == asked.workload:
        kept = ("record_version", "outcome", "asked", "started_at")
        record = {key: record[key] for key in kept}
        record["outcome"] = {"status": "failed", "reason": "the stub was told to", "exit_code": 4}
    asked.record.write_text(json.dumps(record))
    if asked.trace:
        trace = {"workload": asked.workload, "raw_bytes": 4 * _edges(asked.folder)}
        Path(asked.trace).write_text(json.dumps(trace))
    sys.exit(record["outcome"]["exit_code"])


def _last() -> None:
    """Take the time that a run takes."""
    if "STUB_MEETS" in os.environ:
        here = Path(os.environ["STUB_MEETS"])
        (here / str(os.getpid())).touch()
        while len(list(here.iterdir())) < 2:
            time.sleep(0.1)
    time.sleep(float(os.environ.get("STUB_SECONDS", "0")))


def _edges(folder: Path) -> int:
    return int(json.loads((folder / "graph.json").read_text())["edges"])


def run_record(asked: argparse.Namespace, words: list[str]) -> dict[str, object]:
    graph = json.loads((asked.folder / "graph.json").read_text())
    edges = graph["edges"]
    in_memory = bool(ENGINES[asked.engine].get("keeps_graph_in_memory"))
    trial = int(asked.record.name.split(".")[0].removeprefix("trial-"))
    seconds = SECONDS[asked.workload] * (0.3 if in_memory else 1) * (1 + 0.05 * trial)
    requested = 4 * edges if in_memory else int(8.6 * edges)
    frames = None if in_memory else int(0.06 * 4 * edges)
    document: dict[str, object] = {
        "record_version": 1,
        "outcome": {"status": "ok", "reason": "", "exit_code": 0},
        "asked": {
            "graph": str(asked.folder),
            "layout": asked.layout or "store",
            "engine": asked.engine,
            "workload": asked.workload,
            "parameters": {"source": asked.source} if asked.source else {},
            "threads": asked.threads,
            "frames_bytes": frames,
            "memory_bytes": None,
            "depth": 64,
            "backend": "uring",
            "direct": True,
            "verify": asked.verify,
            "command": ["outcore", "run", *words],
        },
        "graph": {"name": asked.folder.name, "checksum": graph.pop("seal")} | graph,
        "layout": {
            "name": asked.layout or "store",
            "choices": {
                "number": "original",
                "place": "id",
                "pack": "firstfit",
                "codec": "raw",
                "inline": 0,
                "heads": 0,
                "block_bytes": 4096,
            },
            "facts": {"edges": edges},
            "bytes": {"blocks": 4 * edges, "index": 8, "total": 4 * edges + 8},
            "checksum": "xxh3:8899aabbccddeeff",
        },
        "machine": {
            "host": "stub",
            "cpu": "No processor",
            "cores": 2,
            "memory_bytes": 2**34,
            "kernel": "6.1",
            "numa_nodes": 1,
        },
        "device": {"filesystem": "ext4", "source": "/dev/stub"},
        "build": {"version": "0", "git_commit": "0" * 12, "compiler": "none", "type": "Release"},
        "started_at": "2026-01-01T00:00:00Z",
        "start": {"residency": 0.0, "temperature": "cold"},
        "pool": {"frames_bytes": frames, "share_of_layout": 0.06, "in_memory": in_memory},
        "visibility": "round",
        "phases": {
            "open_s": seconds / 20,
            "prepare_s": seconds / 20,
            "run_s": seconds,
            "collect_s": seconds / 20,
            "verify_s": 0.1,
            "total_s": 1.2 * seconds,
        },
        "io": {
            "backend": "uring",
            "requests": requested // 4096,
            "requested_bytes": requested,
            "touched_bytes": 4 * edges,
            "kernel_bytes": requested + 3 * 4096,
            "kernel_available": True,
            "major_faults": 0,
            "minor_faults": 10,
            "requests_by_size": {"4096": requested // 4096},
            "notes": [],
        },
        "work": {
            "rounds": 2,
            "vertices_processed": graph["vertices"] - 1,
            "edges_processed": edges,
            "activations": edges + 11,
        },
        "rounds": [
            {
                "round": i,
                "frontier": frontier,
                "blocks": 2,
                "requests": 2,
                "requested_bytes": 8192,
                "edges": 512 * (i + 1),
                "seconds": seconds / 3,
            }
            for i, frontier in enumerate((1, 500, 40))
        ],
        "timeline": [
            {"t": seconds * i / 5, "kernel_bytes": 10**6 * i * i, "cpu_s": 0.8 * seconds * i / 5}
            for i in range(6)
        ],
        "memory": {
            "peak_rss_bytes": 2**26,
            "index_bytes": 8 * graph["vertices"],
            "frames_bytes": frames or 0,
        },
        "trace": None,
        "answer": {
            "exact": asked.workload != "pagerank",
            "digest": "xxh3:0123456789abcdef",
            "summary": {"reached": graph["vertices"]},
            "verified": {"how": "by the stub", "passed": True} if asked.verify else None,
            "output": None,
        },
    }
    if asked.trace:
        optimum = {"pool_units": 8, "distinct": 9, "bytes": 4096, "times_optimal": 1.25}
        document["trace"] = {
            "path": asked.trace,
            "accesses": 3 * edges // 1024,
            "optimum": optimum,
        }
    return document


def stream(words: list[str]) -> None:
    """Eight bytes an edge, in no order that matters here."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--force", action="store_true")
    asked = parser.parse_args(words)
    asked.out.write_bytes(bytes(8 * _edges(asked.folder)))


def ingest(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("stream", type=Path)
    for option in ("--engine", "--store", "--memory", "--query"):
        parser.add_argument(option)
    for number in ("--every", "--query-threads", "--rate"):
        parser.add_argument(number, type=int)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--record", type=Path)
    for flag in ("--verify", "--compact", "--quiet", "--newest"):
        parser.add_argument(flag, action="store_true")
    asked = parser.parse_args(words)
    if os.environ.get("STUB_FAIL", "") == "ingest":
        sys.exit("the stub was told to fail")
    if asked.store:
        Path(asked.store).mkdir(parents=True, exist_ok=True)
        (Path(asked.store) / "store.json").write_text("{}")
    if asked.record:
        asked.record.write_text(json.dumps(ingest_record(asked, words)))


def ingest_record(asked: argparse.Namespace, words: list[str]) -> dict[str, object]:
    updates = asked.stream.stat().st_size // 8
    options = dict(w.split("=") for w in asked.engine.partition(":")[2].split(",") if w)
    seconds = {"total": updates / 1e6, "store": updates / 2e6, "sharding": 0.1, "buffering": 0.2}
    seconds |= {"flushing": 0.05, "longest_snapshot": 0, "compaction": 0.01, "freezing": 0}
    per_edge = 60 if options.get("variant") == "graphone" else 20
    names = ["bus_read_bytes", "bus_written_bytes", "medium_read_bytes", "medium_written_bytes"]
    model = {name: (per_edge + i) * updates for i, name in enumerate(names)}
    work_names = (
        "log_edges buffering_phases greatest_phase flushes forced_flushes moves blocks full_blocks "
        "block_bytes block_writes copied_partitions compactions vertex_buffer_bytes pool_bytes "
        "chain_bytes"
    )
    work: dict[str, Any] = {name: 1000 + i for i, name in enumerate(work_names.split())}
    work["nodes"] = [{"entries": updates, "chain_bytes": 2000} for _ in range(2)]
    disk_names = (
        "opened_at replayed skipped acknowledged runs commits stalls flushes merges log_bytes "
        "run_bytes merge_bytes"
    )
    disk: dict[str, Any] = {name: 2000 + i for i, name in enumerate(disk_names.split())}
    disk |= dict.fromkeys(
        ("open_seconds", "stalled_seconds", "flush_seconds", "merge_seconds"), 0.5
    )
    disk |= {"folder": asked.store, "commit_latency": None, "write_amplification": 2.2}
    return {
        "record": "ingest",
        "version": 1,
        "time": "2026-01-01T00:00:00Z",
        "command": ["outcore", "ingest", *words],
        "build": {"version": "0", "git_commit": "0" * 12, "compiler": "none", "type": "Release"},
        "machine": {
            "host": "stub",
            "cpu": "No processor",
            "cores": 2,
            "memory_bytes": 2**34,
            "kernel": "6.1",
            "numa_nodes": 1,
        },
        "stream": str(asked.stream),
        "engine": {"name": "evolving", "options": options},
        "parameters": options,
        "threads": asked.threads,
        "rate": asked.rate or 0,
        "updates": updates,
        "removals": 0,
        "removals_missed": None if asked.store else 0,
        "vertices": 1024,
        "edges": None if asked.store else updates,
        "snapshots": 0,
        "verified": asked.verify,
        "seconds": seconds,
        "work": None if asked.store else work,
        "disk": disk if asked.store else None,
        "model": model if options.get("medium") == "model" else None,
        "file": None,
        "bound": {
            "device": None,
            "processors": {"share": 0.9, "seconds": 0.25},
            "neither_s": 0.75,
            "seconds": 1.0,
        },
        "queries": queries_of(asked, updates),
        "complete": True,
        "peak_rss_bytes": 2**25,
    }


def queries_of(asked: argparse.Namespace, updates: int) -> dict[str, Any] | None:
    """One answer a window, each as late as its updates take to come in."""
    if not asked.query:
        return None
    ends = [*range(asked.every, updates, asked.every), updates]
    answers = [
        {
            "prefix": end,
            "edges": end,
            "known_s": end / 1e6,
            "answered_s": (end + asked.every) / 1e6,
            "taken": min(end + asked.every, updates),
            "open_s": 0.01,
            "run_s": 0.02,
            "digest": f"xxh3:{end:016x}",
            "summary": {},
            "verified": asked.verify,
        }
        for end in ends
    ]
    return {
        "workload": asked.query.partition(":")[0],
        "parameters": {},
        "every": asked.every,
        "newest": asked.newest,
        "threads": asked.query_threads or asked.threads,
        "answered": len(ends),
        "passed_over": 0,
        "waits": 1,
        "waited_seconds": 0.5,
        "seconds": 0.03 * len(ends),
        "age": {"seconds": asked.every / 1e6, "updates": asked.every},
        "answers": answers,
    }


def tell(_words: list[str]) -> None:
    """`list --json`."""
    lacks = os.environ.get("STUB_LACKS", "").split()
    kinds = {"engines": ENGINES, "workloads": [*SECONDS, "dfs", "bc"], "backends": ["uring"]}
    named: dict[str, list[dict[str, Any]]] = {
        kind: [{"name": n} for n in names if n not in lacks] for kind, names in kinds.items()
    }
    for engine in named["engines"]:
        traits = USUAL_TRAITS | ENGINES[str(engine["name"])]
        engine |= {
            "depth": 64,
            "backend": "uring",
            "traits": traits,
            "parameters": [{"name": name} for name in ("mode", "medium", "variant", "lists")],
        }
    for workload in named["workloads"]:
        wide = workload["name"] == "bc"
        workload |= {"message_bytes": 8 if wide else 4, "needs_reverse": wide}
    packs = {"firstfit": "lists", "csr": "lists", "grid": "edges", "psw": "edges"}
    named["packs"] = [{"name": name, "holds": holds} for name, holds in packs.items()]
    print(json.dumps(named))


def cachesim(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trace", type=Path)
    parser.add_argument("--policy", type=lambda text: text.split(","))
    parser.add_argument("--sizes", type=lambda text: text.split(","))
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(words)
    header = json.loads(asked.trace.read_text())
    accesses = header["raw_bytes"] * 2 // 4096
    rows = []
    for policy in asked.policy:
        for size in asked.sizes:
            percent = float(size.rstrip("%"))
            misses = int(accesses * (1 - POOL_GAIN[header["workload"]][policy] * percent / 100))
            units = max(1, int(header["raw_bytes"] * percent / 100 / 4096))
            rows.append(
                {
                    "policy": policy,
                    "size_bytes": 4096 * units,
                    "size_percent": percent,
                    "units": units,
                    "misses": misses,
                    "miss_bytes": 4096 * misses,
                    "seconds": 0.0,
                }
            )
    document = {"header": header, "unit_bytes": 4096, "accesses": accesses, "rows": rows}
    print(json.dumps(document | {"distinct": accesses // 2, "rounds": 2}))


def trace(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trace", type=Path)
    parser.add_argument("output", type=Path, nargs="?")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--to")
    asked = parser.parse_intermixed_args(words)
    json.loads(asked.trace.read_text())
    # Two rounds: all of ten blocks in order, then the last of them twice.
    accesses = [(0, unit) for unit in range(10)] + [(1, 9), (1, 9)]
    if asked.to == "csv":
        lines = [f"{number},{unit},4096" for number, unit in accesses]
        asked.output.write_text("\n".join(["round,unit,bytes", *lines, ""]))
        return
    per_round = [{"round": 0, "accesses": 10}, {"round": 1, "accesses": 2}]
    header = {"file_units": [10]}
    summary = {"header": header, "unit_bytes": 4096, "accesses": 12, "distinct": 10}
    print(json.dumps(summary | {"per_round": per_round}))


if __name__ == "__main__":
    VERBS = {"generate": generate, "layout": layout, "run": run, "cachesim": cachesim}
    VERBS |= {"import": import_, "list": tell, "trace": trace, "stream": stream, "ingest": ingest}
    VERBS |= {"check": check}
    VERBS[sys.argv[1]](sys.argv[2:])
