# SPDX-License-Identifier: Apache-2.0
"""Tables made from records.

A table is a DataFrame whose columns are declared here. Each declaration says what the column means
and where in a record it comes from; the documentation of the CSV files is generated from it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from outcore_analysis.contest.turn import LATE
from outcore_analysis.plan import COUNTED
from outcore_analysis.yamllines import CONFIGS, check, load_yaml

Json = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: its name, what it means, and how to take it from a source document."""

    name: str
    doc: str
    take: Callable[[Json], Any]
    engines: tuple[str, ...] = ()  # only runs of these have it; empty: all runs


def at(*keys: str) -> Callable[[Json], Any]:
    """Return a function that takes the value at a path of keys; None if one is missing or null."""

    def take(document: Json) -> Any:
        value: Any = document
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    return take


def _graph_name(run: Json) -> Any:
    return at("graph", "name")(run) or Path(run["asked"]["graph"]).name


def _parameters(run: Json) -> str:
    parameters = run["asked"]["parameters"] or {}
    return " ".join(f"{name}={value}" for name, value in sorted(parameters.items()))


def _seconds(run: Json) -> float | None:
    phases = [at("phases", phase)(run) for phase in ("open_s", "prepare_s", "run_s", "collect_s")]
    return None if None in phases else sum(phases)


# Options of a command line that other columns show, or that change nothing that is measured.
_TOLD = {
    *("--engine", "--workload", "--layout", "--threads", "--frames", "--memory", "--backend"),
    *("--depth", "--set", "--source", "--trace", "--record", "--output", "--trials"),
    *("--device", "--dilation", "--verify", "--json", "--quiet", "--store", "-n", "-q", "-r", "-v"),
}


def _command_options(run: Json) -> list[tuple[str, str]]:
    """Return the options of the command line after the graph; a flag has no value."""
    words = run["asked"].get("command") or []
    options: list[tuple[str, str]] = []
    for word in words[3:]:
        name, _, value = word.partition("=")
        if word.startswith("-"):
            options.append((name, value))
        elif options:
            options[-1] = (options[-1][0], word)
    return options


def _options(run: Json) -> str:
    """Return everything that was asked of the engine and that has no column of its own."""
    settings = (run["asked"].get("settings") or {}).items()
    # `outcore ingest` has an option for each of them.
    parameters = {f"--{name.replace('_', '-')}" for name in run["asked"]["parameters"] or {}}
    told = _TOLD | (parameters if run.get("ingest") else set())
    others = [(name, value) for name, value in _command_options(run) if name not in told]
    words = [name.lstrip("-") + (f"={value}" if value else "") for name, value in others]
    return " ".join(sorted([*words, *(f"{name}={value}" for name, value in settings)]))


def _depth_asked(run: Json) -> bool:
    return "--depth" in dict(_command_options(run))


def _backend(run: Json) -> str | None:
    """Return the backend as asked for, with its parameters; if another was used, its name."""
    asked, used = at("asked", "backend")(run), at("io", "backend")(run)
    shown: str | None = used
    if used is None or (asked or "").split(":")[0] == used:
        shown = asked
    return shown


def _backend_asked(run: Json) -> bool:
    return "--backend" in dict(_command_options(run))


def _pool_asked(run: Json) -> str | None:
    return dict(_command_options(run)).get("--frames")


def _ratio(above: Callable[[Json], Any], below: Callable[[Json], Any]) -> Callable[[Json], Any]:
    def take(run: Json) -> float | None:
        a, b = above(run), below(run)
        return a / b if a is not None and b else None

    return take


def _by_round(run: Json, key: str) -> list[float]:
    return [row[key] for row in run.get("rounds") or []]


def _first_rounds_share(run: Json) -> float | None:
    requested = _by_round(run, "requested_bytes")
    return sum(requested[:3]) / sum(requested) if any(requested) else None


def _sparse_rounds_share(run: Json) -> float | None:
    frontiers = _by_round(run, "frontier")
    return sum(size < 1000 for size in frontiers) / len(frontiers) if frontiers else None


def _needed_blocks(run: Json) -> float | None:
    blocks = _by_round(run, "blocks")
    return sum(blocks) if blocks else None


# With fewer rates than this, one per 50 ms, the largest one can be below the mean.
LEAST_RATES = 3
# The column of turns of races that is a lower bound.
LEAST_SECONDS = "least_s"


def _peak_read_rate(run: Json) -> float | None:
    """Return the largest rate between two samples of the timeline; None if there are too few."""
    samples = [s for s in run.get("timeline") or [] if s["kernel_bytes"] is not None]
    pairs = [(a, b) for a, b in itertools.pairwise(samples) if b["t"] > a["t"]]
    rates = [float((b["kernel_bytes"] - a["kernel_bytes"]) / (b["t"] - a["t"])) for a, b in pairs]
    return max(rates) if len(rates) >= LEAST_RATES else None


def _cpu_share(run: Json) -> float | None:
    """Return the processor time from the first to the last sample, as a share of all cores'."""
    samples, cores = run.get("timeline") or [], at("machine", "cores")(run)
    if len(samples) < 2 or not cores or samples[-1]["t"] <= samples[0]["t"]:
        return None
    busy: float = samples[-1]["cpu_s"] - samples[0]["cpu_s"]
    return float(busy / (samples[-1]["t"] - samples[0]["t"]) / cores)


def _bound_by(run: Json) -> str | None:
    seconds = bound_seconds(run)
    return max(seconds, key=lambda name: seconds[name]) if seconds else None


def bound_seconds(run: Json) -> dict[str, float]:
    """Return how long the device, the processors or neither was at its limit; empty if unknown."""
    bound = run.get("bound")
    if not bound:
        return {}
    device = {"device": bound["device"]["seconds"]} if bound["device"] else {}
    return device | {"processors": bound["processors"]["seconds"], "neither": bound["neither_s"]}


def _first(*ways: Callable[[Json], Any]) -> Callable[[Json], Any]:
    """Return a function that takes the first value that is there."""
    return lambda run: next((value for way in ways if (value := way(run)) is not None), None)


def _free_share(layout: Json) -> float | None:
    facts, choices = layout["layout"]["facts"], layout["layout"]["choices"]
    if choices.get("codec") != "raw" or "inline_edges" not in facts or not layout["block_bytes"]:
        return None
    listed = facts["edges"] * (1 if facts["symmetric"] else 2) - facts["inline_edges"]
    return float(1 - 4 * listed / layout["block_bytes"])


COLUMNS_FILE = CONFIGS / "columns.yaml"
# The parts of a record whose keys are chosen by engines, and what is appended to each name.
NAMED = {"stages": "_s", "counts": ""}


def _named() -> list[Column]:
    """Return a column for every stage and count that configs/columns.yaml explains."""
    document = load_yaml(COLUMNS_FILE)
    check(document, "columns")
    return [
        Column(name + suffix, entry["doc"], at(part, name + suffix), tuple(entry["from"]))
        for part, suffix in NAMED.items()
        for name, entry in document.value[part].items()
    ]


def counted_columns(engine: str) -> dict[str, Json]:
    """Return the entries of configs/columns.yaml that callgrind counts for that engine."""
    counts: dict[str, Json] = load_yaml(COLUMNS_FILE).value["counts"]
    return {
        name: entry
        for name, entry in counts.items()
        if engine in entry["from"] and "event" in entry
    }


RUNS = [
    Column("campaign", "Set of measurements that the run belongs to.", at("campaign")),
    Column("host", "Machine; runs of different machines are never put together.", at("host")),
    Column("node", "Node of a cluster; none: no cluster.", at("job", "node")),
    Column("processor", "Model of the processor.", at("machine", "cpu")),
    Column("config", "Hash of everything that was asked.", at("config")),
    Column("trial", "Number of the repetition, from 1.", at("trial")),
    Column("record", "File of the record.", at("record")),
    Column("status", "How the run ended; ok or why not.", at("outcome", "status")),
    Column("reason", "Why it did not end well.", at("outcome", "reason")),
    Column("graph", "Name of the graph.", _graph_name),
    Column("family", "Its generator, if it was generated.", at("graph", "provenance", "generator")),
    Column("vertices", "Vertices of the graph.", at("graph", "vertices")),
    Column("edges", "Directed edges of the graph as stored.", at("graph", "edges")),
    Column("raw_bytes", "4 bytes for every edge.", at("layout", "facts", "raw_bytes")),
    Column(
        "layout",
        "Name of the layout; of the stream that was taken in, or of the store.",
        at("asked", "layout"),
    ),
    Column("engine", "Name of the engine.", at("asked", "engine")),
    Column("workload", "Name of the workload.", at("asked", "workload")),
    Column("parameters", "Parameters of the workload.", _parameters),
    Column("threads", "Worker threads.", at("asked", "threads")),
    Column("pool", "Block pool as asked: a share of the raw bytes, or bytes.", _pool_asked),
    Column("modelled", "Device that was modelled; none: the real one.", at("modelled", "device")),
    Column("dilation", "By how much the model's times were drawn out.", at("modelled", "dilation")),
    Column("memory_limit", "Who enforced a limit of memory.", at("memory_limit", "kind")),
    Column("frames_bytes", "Size of the block pool.", at("pool", "frames_bytes")),
    Column("pool_share", "Pool over the raw bytes of the graph.", at("pool", "share_of_layout")),
    Column("in_memory_pool", "Pool of 25% or more: no I/O claim.", at("pool", "in_memory")),
    Column(
        "pool_waited_s",
        "Seconds that workers waited for the lock of a shared cache, all together.",
        at("cache", "lock_waited_s"),
    ),
    Column("memory_limit_bytes", "Limit of the whole process.", at("asked", "memory_bytes")),
    Column(
        "backend",
        "I/O backend that was used: `threads` where `uring` was asked for and refused.",
        _backend,
    ),
    Column("backend_asked", "Whether --backend was given; else the engine chose.", _backend_asked),
    Column("depth", "Reads in flight over all workers at most (k_r).", at("asked", "depth")),
    Column("depth_asked", "Whether --depth was given; else the engine chose.", _depth_asked),
    Column(
        "options",
        "Parameters of the engine and all other options, sorted: `early_stop=4 max-request=4K`.",
        _options,
    ),
    Column("pack", "How lists fall into blocks.", at("layout", "choices", "pack")),
    Column("codec", "How lists are encoded.", at("layout", "choices", "codec")),
    Column("number", "Which id a vertex has in the layout.", at("layout", "choices", "number")),
    Column("inline", "Edges up to which a list is inline.", at("layout", "choices", "inline")),
    Column("block_size", "Bytes of a block.", at("layout", "choices", "block_bytes")),
    Column("traced", "Whether a trace was written; its time does not count.", at("traced")),
    Column("temperature", "Page cache before the start: cold or warm.", at("start", "temperature")),
    Column("visibility", "When a program sees writes.", at("visibility")),
    Column(
        "staged_bytes",
        "Bytes that were copied to the node's own disk before this run; none: nothing is staged.",
        at("job", "staged_bytes"),
    ),
    Column("open_s", "Seconds to open the layout.", at("phases", "open_s")),
    Column("prepare_s", "Seconds to build the engine.", at("phases", "prepare_s")),
    Column("run_s", "Seconds of the algorithm alone.", at("phases", "run_s")),
    Column("collect_s", "Seconds to collect the answer.", at("phases", "collect_s")),
    Column(
        "seconds", "Seconds end to end: open, prepare, run, collect; not verification.", _seconds
    ),
    Column("requests", "Reads asked of the device.", at("io", "requests")),
    Column("requested_bytes", "Bytes asked of the device.", at("io", "requested_bytes")),
    Column("touched_bytes", "Bytes of lists that were used.", at("io", "touched_bytes")),
    Column("kernel_bytes", "Bytes that the kernel says were read.", at("io", "kernel_bytes")),
    Column("hole_bytes", "Requested bytes that were not needed.", at("io", "hole_bytes")),
    Column("major_faults", "Major page faults.", at("io", "major_faults")),
    Column("minor_faults", "Minor page faults.", at("io", "minor_faults")),
    Column("latency_us", "Median latency of a read.", at("io", "latency", "p50_us")),
    Column(
        "read_rate",
        "Bytes a second that the kernel read, over the algorithm's seconds.",
        _ratio(at("io", "kernel_bytes"), at("phases", "run_s")),
    ),
    Column(
        "peak_read_rate",
        "Greatest bytes a second that the kernel read between two samples; none for a run that "
        "was too short for four.",
        _peak_read_rate,
    ),
    Column("cpu_share", "Processor time used, over that of all cores of the machine.", _cpu_share),
    Column(
        "device_share",
        "Mean rate over what the device was probed at, for requests of that size and number.",
        at("bound", "device", "share"),
    ),
    Column(
        "device_sustained_share",
        "The same over what the device sustains.",
        at("bound", "device", "sustained_share"),
    ),
    Column(
        "bound_by",
        "What was at its limit for the longest time: device, processors or neither.",
        _bound_by,
    ),
    Column(
        "write_requests",
        "Writes asked of the device.",
        _first(at("io", "write_requests"), at("ingest", "file", "write_requests")),
    ),
    Column(
        "written_bytes",
        "Bytes written to the device.",
        _first(at("io", "written_bytes"), at("ingest", "file", "written_bytes")),
    ),
    Column(
        "kernel_written_bytes",
        "Bytes that the kernel says were written, to any file.",
        at("io", "kernel_written_bytes"),
    ),
    Column("syncs", "How often written blocks were made to last (fdatasync).", at("io", "syncs")),
    Column(
        "evicted_bytes", "Bytes of mapped blocks that were released.", at("io", "evicted_bytes")
    ),
    Column("needed_blocks", "Different blocks that a round used, over all rounds.", _needed_blocks),
    Column("rounds", "Rounds of the run.", at("work", "rounds")),
    Column(
        "first_3_rounds_share",
        "Requested bytes of the first three rounds over those of all.",
        _first_rounds_share,
    ),
    Column(
        "sparse_rounds_share",
        "Rounds with fewer than 1000 active vertices over all rounds.",
        _sparse_rounds_share,
    ),
    Column("vertices_processed", "Active vertices processed.", at("work", "vertices_processed")),
    Column("activations", "Activations by the program.", at("work", "activations")),
    Column("edges_processed", "Edges handed to the program.", at("work", "edges_processed")),
    Column(
        "requested_bytes_per_edge",
        "Requested bytes over processed edges.",
        _ratio(at("io", "requested_bytes"), at("work", "edges_processed")),
    ),
    Column("stream_updates", "Updates of a stream that was taken in.", at("ingest", "updates")),
    Column(
        "updates_per_s",
        "Updates taken in over the seconds of the whole stream, with the final flush.",
        _ratio(at("ingest", "updates"), at("ingest", "seconds", "total")),
    ),
    Column("stream_rate", "Updates a second asked for; 0: any.", at("ingest", "rate")),
    Column("window", "Updates after which a query was asked.", at("ingest", "queries", "every")),
    Column("windows_answered", "Queries on a stream.", at("ingest", "queries", "answered")),
    Column(
        "windows_passed_over",
        "Windows that ended while others were answered, and that nothing was asked of.",
        at("ingest", "queries", "passed_over"),
    ),
    Column(
        "stream_waited_s",
        "Seconds that a stream stood still for an answer.",
        at("ingest", "queries", "waited_seconds"),
    ),
    Column(
        "query_s",
        "Seconds of a query on a stream, opening the prefix and running, mean over all.",
        _ratio(at("ingest", "queries", "seconds"), at("ingest", "queries", "answered")),
    ),
    Column(
        "age_s",
        "Seconds by which the newest answer was behind the stream, mean over time.",
        at("ingest", "queries", "age", "seconds"),
    ),
    Column(
        "age_updates",
        "Updates that the newest answer did not see, mean over time.",
        at("ingest", "queries", "age", "updates"),
    ),
    Column(
        "write_amplification",
        "Bytes that a store on a disk wrote to its log and its runs, over 8 bytes an update.",
        at("ingest", "disk", "write_amplification"),
    ),
    Column(
        "peak_rss_bytes",
        "Greatest resident set.",
        _first(at("memory", "peak_rss_bytes"), at("ingest", "peak_rss_bytes")),
    ),
    Column("index_memory_bytes", "The index in memory.", at("memory", "index_bytes")),
    Column(
        "unaccounted_bytes", "Bytes that nothing accounts for.", at("memory", "unaccounted_bytes")
    ),
    *_named(),
    Column(
        "times_optimal",
        "Requested bytes over those of OPT with this pool and order of accesses; traced runs.",
        at("trace", "optimum", "times_optimal"),
    ),
    Column("verified", "Whether the independent check held.", at("answer", "verified", "passed")),
    Column("digest", "Hash of the answer.", at("answer", "digest")),
    Column("git_commit", "Commit of the program.", at("build", "git_commit")),
    Column("started_at", "Start of the run, UTC.", at("started_at")),
]

_SHARED = "campaign host config trial record graph family edges layout engine workload parameters"
REPLAYS = [
    *[column for column in RUNS if column.name in _SHARED.split()],
    Column("policy", "Cache policy.", at("replay", "policy")),
    Column("pool", "Pool size as asked; a share is of the raw bytes.", at("replay", "pool")),
    Column("frames", "Pool size in blocks.", at("replay", "units")),
    Column("pool_bytes", "Pool size in bytes.", at("replay", "size_bytes")),
    Column("raw_bytes", "4 bytes for every edge.", at("replay", "raw_bytes")),
    Column("accesses", "Block accesses of the trace.", at("replay", "accesses")),
    Column("distinct_bytes", "Bytes of different blocks.", at("replay", "distinct_bytes")),
    Column("read_bytes", "Bytes that had to be read from disk.", at("replay", "miss_bytes")),
]

LAYOUTS = [
    Column("host", "Machine that built it.", at("host")),
    Column("graph", "Name of the graph.", at("graph_name")),
    Column("family", "Its generator, if it was generated.", at("graph", "provenance", "generator")),
    Column("layout", "Name of the layout.", at("name")),
    Column("pack", "How lists fall into blocks.", at("layout", "choices", "pack")),
    Column("codec", "How lists are encoded.", at("layout", "choices", "codec")),
    Column("number", "Which id a vertex has in it.", at("layout", "choices", "number")),
    Column("place", "In which order lists are packed.", at("layout", "choices", "place")),
    Column("inline", "Edges up to which a list is inline.", at("layout", "choices", "inline")),
    Column("block_size", "Bytes of a block.", at("layout", "choices", "block_bytes")),
    Column("vertices", "Vertices.", at("layout", "facts", "vertices")),
    Column("edges", "Directed edges as stored.", at("layout", "facts", "edges")),
    Column("blocks", "Blocks of the out direction.", at("layout", "facts", "blocks")),
    Column("block_bytes", "Bytes of all block files.", at("block_bytes")),
    Column("index_bytes", "Bytes of the files read at open: index, sums.", at("index_bytes")),
    Column("total_bytes", "Bytes of all files of the layout.", at("total_bytes")),
    Column("raw_bytes", "4 bytes for every edge.", at("layout", "facts", "raw_bytes")),
    Column("free_share", "Share of the block bytes that no list fills; codec raw.", _free_share),
    Column(
        "inline_edges", "Edges that are stored in the index.", at("layout", "facts", "inline_edges")
    ),
    Column(
        "arrange_seconds",
        "Seconds to number, place and pack: all that comes before blocks are written.",
        at("arrange_seconds"),
    ),
    Column("build_seconds", "Seconds to make the layout from the graph.", at("build_seconds")),
    Column("write_seconds", "The part of build_seconds that writing took.", at("write_seconds")),
    Column("graph_seconds", "Seconds to import or generate the graph.", at("graph_seconds")),
    Column(
        "preprocessing_seconds",
        "Seconds to make the graph and the layout.",
        at("preprocessing_seconds"),
    ),
    Column(
        "arrange_ns_per_edge",
        "Nanoseconds an edge to number, place and pack.",
        at("arrange_ns_per_edge"),
    ),
    Column(
        "block_bytes_per_edge", "Block bytes over edges.", _ratio(at("block_bytes"), at("edges"))
    ),
    Column(
        "index_bytes_per_edge", "Index bytes over edges.", _ratio(at("index_bytes"), at("edges"))
    ),
]


def _peak(turn: Json) -> Any:
    """Return the greatest memory of a turn; without a group, that of its largest process."""
    memory = turn["raced"]["memory"]
    return memory["anonymous_bytes"] or memory["process_bytes"]


def _least_seconds(turn: Json) -> Any:
    """Return the seconds of a turn that ended well, or that only its limit of time ended."""
    outcome = turn["outcome"]
    counts = outcome["status"] == "ok" or str(outcome["reason"]).startswith(LATE)
    return turn["raced"]["wall_s"] if counts else None


RACES = [
    Column("experiment", "Experiment that holds the race.", at("experiment")),
    Column("host", "Machine.", at("host")),
    Column("record", "File of the race's record.", at("record")),
    Column("graph", "Name of the graph.", _graph_name),
    Column("family", "Its generator, if it was generated.", at("graph", "provenance", "generator")),
    Column("edges", "Directed edges of the graph as stored.", at("graph", "edges")),
    Column("workload", "Name of the workload.", at("asked", "workload")),
    Column("parameters", "Parameters of the workload.", _parameters),
    Column("contestant", "Its name with the options that were asked for; ours.", at("contestant")),
    Column("who", "The same in words; of an experiment's own runs, the engine.", at("who")),
    Column("threads", "Threads that it was told to use.", at("asked", "threads")),
    Column("memory_limit_bytes", "Limit of the whole tree.", at("asked", "memory_bytes")),
    Column("trial", "Number of the turn, from 1.", at("raced", "turn")),
    Column("status", "How the turn ended; ok or why not.", at("outcome", "status")),
    Column("reason", "Why it did not end well.", at("outcome", "reason")),
    Column("seconds", "Wall clock of the whole program.", at("raced", "wall_s")),
    Column(
        LEAST_SECONDS,
        "The same, or its limit of time where that ended it: it takes that long at least.",
        _least_seconds,
    ),
    Column("load_s", "Seconds to load the graph, as it says.", at("external", "phases", "load_s")),
    Column("partition_s", "Seconds to cut it.", at("external", "phases", "partition_s")),
    Column("own_s", "Seconds of the algorithm, as it says.", at("raced", "own_s")),
    Column("peak_bytes", "Greatest memory of all its processes, without page cache.", _peak),
    *(
        Column(name, doc, at("external", "numbers", name))
        for name, doc in {
            "resident_bytes": "Greatest resident sets of all executors, by Spark.",
            "shuffle_bytes": "Bytes that were written for other tasks, by Spark.",
            "fetched_bytes": "Of these, bytes that went to another executor.",
            "spilled_bytes": "Bytes that went to disk because memory was short, by Spark.",
            "replicated_vertices": "In how many parts of the edges a vertex is, over all.",
        }.items()
    ),
]

TABLES = {"runs": RUNS, "replays": REPLAYS, "layouts": LAYOUTS, "races": RACES}


def frame(columns: list[Column], documents: Iterable[Json]) -> pd.DataFrame:
    """Return a table with a row for each document and its declared columns."""
    rows = [{column.name: column.take(document) for column in columns} for document in documents]
    return pd.DataFrame(rows, columns=[column.name for column in columns])


def rows(table: pd.DataFrame) -> list[Json]:
    """Return the rows of a table as plain data, missing values as None."""
    plain: list[Json] = json.loads(table.to_json(orient="records"))
    return plain


def groups(table: pd.DataFrame, keys: list[str]) -> list[tuple[list[Any], pd.DataFrame]]:
    """Return the parts of a table with equal keys, in the table's order."""
    return [(list(key), part) for key, part in table.groupby(keys, sort=False)]


def read_record(path: Path) -> Json:
    """Return a record, with the keys that follow from its place in the results."""
    document: Json = json.loads(path.read_text(encoding="utf-8"))
    counted = path.with_name(COUNTED)
    if counted.is_file():
        counts = json.loads(counted.read_text(encoding="utf-8"))["counts"]
        document["counts"] = (document.get("counts") or {}) | counts
    return _placed(document, path)


def _placed(document: Json, path: Path) -> Json:
    cell = path.parent
    return document | {
        "record": str(path),
        "trial": int(path.name.split(".")[0].removeprefix("trial-")),
        "config": cell.name,
        "host": cell.parent.name,
        "campaign": cell.parent.parent.name,
        "traced": document.get("trace") is not None,
    }


def is_record(path: Path) -> bool:
    """Tell whether a file is a record, and not a draft, a replay or a refused record."""
    return path.suffix == ".json" and path.name.count(".") == 1


def load(results: str | Path) -> pd.DataFrame:
    """Return all records in results/<campaign>/<host>/<config>/, a row per run, failed ones too."""
    paths = sorted(Path(results).glob("*/*/*/trial-*.json"))
    return runs_of(read_record(path) for path in paths if is_record(path))


def runs_of(records: Iterable[Json]) -> pd.DataFrame:
    """Return the table of these runs, with a column for every stage and count in the records."""
    runs = list(records)
    known = {column.name for column in RUNS}
    found = {(part, key) for run in runs for part in NAMED for key in run.get(part) or {}}
    others = [Column(key, "", at(part, key)) for part, key in sorted(found) if key not in known]
    return frame([*RUNS, *others], runs)


def replays_table(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the table of replays, one row for each policy and pool size of each trace."""
    documents: list[Json] = []
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["status"] == "ok":
            run = _placed(document["run"], path)
            documents += [run | {"replay": row} for row in replay_rows(document["cachesim"])]
    return frame(REPLAYS, documents)


def replay_rows(cachesim: Json) -> list[Json]:
    """Return what `outcore cachesim --json` wrote, one row for each policy and size."""
    return [
        row
        | {
            "accesses": cachesim["accesses"],
            "distinct_bytes": cachesim["distinct"] * cachesim["unit_bytes"],
            "raw_bytes": cachesim["header"]["raw_bytes"],
            "pool": _pool_name(row),
        }
        for row in cachesim["rows"]
    ]


def _pool_name(row: Json) -> str:
    if row["size_percent"] is None:
        return f"{row['size_bytes']} B"
    return f"{row['size_percent']:g}%"


# The steps of building a layout that decide what goes where; all other steps write it.
_ARRANGED = ("number", "rank", ".place", ".pack")


def _layout_seconds(document: Json) -> Json:
    """Return how long the parts of making the layout took; empty if the layout does not say."""
    seconds: dict[str, float] = document["layout"].get("seconds", {})
    if not seconds:
        return {}
    arranged = sum(value for name, value in seconds.items() if name.endswith(_ARRANGED))
    whole = sum(seconds.values())
    graph, edges = document.get("graph_seconds"), document["layout"]["facts"]["edges"]
    return {
        "arrange_seconds": arranged,
        "build_seconds": whole,
        "write_seconds": whole - arranged,
        "preprocessing_seconds": None if graph is None else graph + whole,
        "arrange_ns_per_edge": 1e9 * arranged / edges if edges else None,
    }


def layouts_table(paths: Iterable[Path]) -> pd.DataFrame:
    """Return the table of layouts, from the files that the layout step wrote."""
    documents: list[Json] = []
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        sizes: dict[str, int] = document["file_bytes"]
        blocks = sum(size for name, size in sizes.items() if name.endswith(".blocks"))
        total = sum(sizes.values())
        documents.append(
            document
            | {
                "graph_name": path.parent.name,
                "host": path.parents[2].name,
                "edges": document["layout"]["facts"]["edges"],
                "block_bytes": blocks,
                "index_bytes": total - blocks - sizes.get("layout.json", 0),
                "total_bytes": total,
            }
            | _layout_seconds(document)
        )
    return frame(LAYOUTS, documents)


def save_table(table: pd.DataFrame, base: Path) -> None:
    """Write <base>.csv and <base>.parquet."""
    table.to_csv(base.with_suffix(".csv"), index=False)
    plain = table.copy()
    for name in plain.columns[plain.dtypes == "object"]:
        # Parquet wants one type per column; then both files have the text that the CSV file has.
        if plain[name].dropna().map(type).nunique() > 1:
            plain[name] = plain[name].map(str, na_action="ignore")
    plain.to_parquet(base.with_suffix(".parquet"), index=False)
