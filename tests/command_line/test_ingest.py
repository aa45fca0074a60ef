# SPDX-License-Identifier: Apache-2.0
"""`outcore ingest` as users see it: streams, verification, freezing, records, refusals."""

import gzip
import json
import random
import signal
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .conftest import BINARY, ROOT, outcore

SCHEMA = json.loads((ROOT / "configs" / "schema" / "ingest.schema.json").read_text())
Updates = list[tuple[int, int, bool]]


def updates(count: int, removals: float) -> Updates:
    """Edges between few vertices, some twice, some removed, perhaps more often than added."""
    source = random.Random(7)
    made: Updates = []
    for _ in range(count):
        edge = (source.randrange(500), source.randrange(500))
        if source.random() < removals and made:
            edge = source.choice(made)[:2]
            made.append((*edge, True))
        else:
            made.append((*edge, False))
    return made


def text(stream: Updates) -> str:
    """One update a line."""
    return "".join(f"{'-' if removed else '+'} {u} {v}\n" for u, v, removed in stream)


def standing(stream: Updates) -> dict[tuple[int, int], int]:
    """How many copies of each edge are there at the end."""
    copies: dict[tuple[int, int], int] = {}
    for u, v, removed in stream:
        count = copies.get((u, v), 0)
        copies[u, v] = max(count - 1, 0) if removed else count + 1
    return copies


def ingest(*words: object) -> Any:
    """Return the record of an ingestion, which must follow the schema."""
    record = json.loads(outcore("ingest", *words, "--json").stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    return record


def refused(code: int, *words: object) -> str:
    """Return what `outcore ingest` says when it refuses."""
    done = subprocess.run([str(BINARY), "ingest", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stderr


def test_a_stream_with_removals_is_verified_and_frozen(tmp_path: Path) -> None:
    stream = updates(20_000, 0.4)
    path = tmp_path / "updates.txt.gz"
    path.write_bytes(gzip.compress(text(stream).encode()))
    record = ingest(path, "--verify", "--freeze", tmp_path / "now", "--compact")
    assert record["verified"]
    copies = standing(stream)
    assert record["edges"] == sum(copies.values())
    assert record["updates"] == len(stream)
    assert record["removals"] == sum(removed for _, _, removed in stream)
    outcore("check", tmp_path / "now")
    outcore("export", tmp_path / "now", tmp_path / "now.el")
    found: dict[tuple[int, int], int] = {}
    for line in (tmp_path / "now.el").read_text().splitlines():
        u, v = map(int, line.split())
        found[u, v] = found.get((u, v), 0) + 1
    assert found == {edge: count for edge, count in copies.items() if count > 0}


@pytest.mark.parametrize("lists", ["directed", "symmetric"])
def test_a_frozen_store_is_the_imported_graph(tmp_path: Path, lists: str) -> None:
    stream = updates(20_000, 0)
    pairs = tmp_path / "edges.pairs"
    pairs.write_bytes(b"".join(struct.pack("<II", u, v) for u, v, _ in stream))
    ingest(pairs, "--engine", f"evolving:lists={lists}", "--freeze", tmp_path / "frozen")
    wishes = ["--symmetric", "--keep-loops", "--keep-parallel"] if lists == "symmetric" else []
    outcore("import", pairs, tmp_path / "made", "--format", "pairs32", *wishes)
    manifests = [json.loads((tmp_path / g / "graph.json").read_text()) for g in ("frozen", "made")]
    assert manifests[0]["files"] == manifests[1]["files"]


def test_pipes_are_read(tmp_path: Path) -> None:
    stream = updates(5_000, 0.2)
    done = subprocess.run(
        [str(BINARY), "ingest", "-", "--format", "text", "--json"],
        input=text(stream),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["edges"] == sum(standing(stream).values())


def test_knobs_move_their_counters(tmp_path: Path) -> None:
    path = tmp_path / "updates.txt"
    path.write_text(text(updates(20_000, 0)))

    def counted(options: str) -> Any:
        record = ingest(path, "--engine", f"evolving:log=64K,threshold=1024,{options}", "--verify")
        return record["work"], record["model"]

    exact = counted("batch=exact")[0]
    assert exact["greatest_phase"] == 1024
    assert exact["buffering_phases"] == 20
    plain, none = counted("variant=xpgraph")
    assert none is None
    assert counted("variant=battery")[0]["flushes"] == 1 < plain["flushes"]
    fixed = counted("buffers=fixed:256")[0]
    assert fixed["moves"] == 0 < exact["moves"]
    assert fixed["vertex_buffer_bytes"] > plain["vertex_buffer_bytes"]
    assert counted("variant=graphone")[0]["block_writes"] == 40_000
    ours = counted("medium=model,cache=4K")[1]
    theirs = counted("medium=model,cache=4K,variant=graphone")[1]
    assert theirs["bus_written_bytes"] > ours["bus_written_bytes"] > 0


def test_graphone_through_files_writes_each_edge_by_a_call(tmp_path: Path) -> None:
    path = tmp_path / "updates.txt"
    path.write_text(text(updates(20_000, 0)))
    record = ingest(path, "--engine", "evolving:variant=graphone-file", "--verify")
    assert record["file"]["write_requests"] > 40_000
    assert record["file"]["written_bytes"] > 20_000 * (8 + 2 * 4)  # and headers, and links
    assert [p.name for p in tmp_path.iterdir()] == ["updates.txt"]
    assert ingest(path)["file"] is None


def test_the_log_is_a_sixteenth_of_the_stream(tmp_path: Path) -> None:
    path = tmp_path / "edges.pairs"
    path.write_bytes(bytes(8 * 64_000))
    store = "evolving:threshold=1000"
    assert ingest(path, "--engine", store)["work"]["log_edges"] == 4096
    assert ingest(path, "--engine", f"{store},log=64K")["work"]["log_edges"] == 8192


def test_snapshots_are_made_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "updates.txt"
    path.write_text(text(updates(20_000, 0.3)))
    store = ["--engine", "evolving:threshold=1024"]
    record = ingest(path, *store, "--snapshot-every", 3000, "--verify")
    assert record["snapshots"] == 6
    assert record["work"]["copied_partitions"] > 0
    assert ingest(path, *store)["work"]["copied_partitions"] == 0


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    """A stream of 20,000 updates, of which three in ten are removals."""
    path = tmp_path / "updates.txt"
    path.write_text(text(updates(20_000, 0.3)))
    return path


def test_every_window_is_answered(tmp_path: Path, changes: Path) -> None:
    record = ingest(changes, "--query", "bfs:source=3", "--every", 6000, "--verify")
    asked = record["queries"]
    assert [a["prefix"] for a in asked["answers"]] == [6000, 12000, 18000, 20000]
    assert all(a["verified"] for a in asked["answers"])
    assert asked["answered"] == 4
    assert asked["passed_over"] == 0
    assert asked["parameters"]["source"] == "3"
    assert record["snapshots"] == 4
    assert record["complete"]
    # The same prefixes of a store that took the stream in before.
    store = tmp_path / "store"
    ingest(changes, "--store", store, "--engine", "evolving:factor=0,log=256K,group=64K")
    last = run_digest(store, "--engine", "evolving", "--set", "source=3")
    assert asked["answers"][-1]["digest"] == last
    (tmp_path / "less.txt").write_text("".join(changes.open().readlines()[:12000]))
    ingest(tmp_path / "less.txt", "--store", tmp_path / "less")
    before = run_digest(tmp_path / "less", "--engine", "evolving", "--set", "source=3")
    assert asked["answers"][1]["digest"] == before


def run_digest(store: Path, *words: object) -> Any:
    """Return the hash of the answer that bfs gives on a store."""
    told = outcore("run", store, "--workload", "bfs", "--verify", "--json", *words)
    return json.loads(told.stdout)["answer"]["digest"]


def test_the_interval_of_queries_decides_how_many_there_are(changes: Path) -> None:
    few, many = (
        ingest(
            changes,
            "--engine",
            "evolving:threshold=500",
            "--query",
            "pagerank",
            "--every",
            n,
            "--query-threads",
            1,
        )
        for n in (10_000, 1_000)
    )
    assert (few["queries"]["answered"], many["queries"]["answered"]) == (2, 20)
    assert few["queries"]["threads"] == 1
    assert few["work"]["copied_partitions"] < many["work"]["copied_partitions"]
    # An answer is the newest until the next is there, and the stream waits for it a window later.
    assert many["queries"]["age"]["updates"] <= 2_000 < 5_000 <= few["queries"]["age"]["updates"]


def test_a_stream_that_never_waits_passes_windows_over(changes: Path) -> None:
    asked = ingest(
        changes, "--query", "coreness", "--every", 50, "--newest", *SYMMETRIC, "--verify"
    )
    assert asked["queries"]["waits"] == 0
    assert asked["queries"]["passed_over"] > 0
    assert asked["queries"]["answered"] + asked["queries"]["passed_over"] == 400
    assert asked["queries"]["answers"][-1]["prefix"] == 20_000
    waits = ingest(changes, "--query", "coreness", "--every", 1000, *SYMMETRIC)["queries"]
    assert waits["waits"] > 0
    assert waits["waited_seconds"] > 0
    assert waits["answered"] == 20


SYMMETRIC = ("--engine", "evolving:lists=symmetric")


def test_lists_are_compacted_before_each_query(changes: Path) -> None:
    asked = ["--query", "wcc", "--every", 5000, "--verify"]
    assert ingest(changes, *asked)["work"]["compactions"] == 0
    assert ingest(changes, *asked, "--compact")["work"]["compactions"] == 4 + 1


def test_a_store_on_a_disk_is_asked_while_it_grows(tmp_path: Path, changes: Path) -> None:
    small = ["--engine", "evolving:log=128K,group=16K,factor=2", "--store", tmp_path / "store"]
    record = ingest(
        changes, *small, "--query", "bfs", "--every", 2000, "--at-once", "4K", "--verify"
    )
    answers = record["queries"]["answers"]
    assert answers[-1]["prefix"] == 20_000
    assert all(a["verified"] and a["taken"] >= a["prefix"] for a in answers)
    assert len(answers) == 10
    rest = ingest(changes, *small, "--resume", "--query", "bfs", "--every", 2000)["queries"]
    assert rest["answers"] == []
    assert rest["age"] is None


@pytest.mark.parametrize("on_disk", [False, True])
def test_what_was_answered_stays_when_it_is_interrupted(tmp_path: Path, on_disk: bool) -> None:
    record = tmp_path / "record.json"
    words = ["--store", str(tmp_path / "store")] if on_disk else []
    words += ["--query", "bfs", "--every", "100", "--at-once", "800", "--record", str(record)]
    with subprocess.Popen(
        [str(BINARY), "ingest", "-", "--format", "text", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(text(updates(250, 0)))
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not record.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)  # the second window's answer, which the record has only now
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 130
    assert f"windows are answered, and {record} has them" in said
    told = json.loads(record.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    assert not told["complete"]
    assert told["queries"]["answered"] == len(told["queries"]["answers"]) >= 1
    if not on_disk:
        assert told["queries"]["answers"][0]["prefix"] == 100


def test_queries_that_cannot_be_are_refused(changes: Path) -> None:
    asked = [changes, "--query", "bfs"]
    assert "needs --every" in refused(2, *asked)
    for option in (["--every", 5], ["--newest"], ["--query-threads", 1]):
        assert "needs --query" in refused(2, changes, *option)
    assert "in their order" in refused(2, *asked, "--every", 5, "--engine", "evolving:medium=model")
    assert "lists=symmetric" in refused(2, changes, "--query", "kcore", "--every", 5)
    assert "did you mean" in refused(2, changes, "--query", "bsf", "--every", 5)
    assert "source" in refused(2, changes, "--query", "bfs:source=9999", "--every", 5)


def test_the_record_is_written(tmp_path: Path) -> None:
    (tmp_path / "updates.txt").write_text("1 2\n")
    outcore("ingest", tmp_path / "updates.txt", "--record", tmp_path / "record.json")
    record = json.loads((tmp_path / "record.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    assert record["engine"] == {"name": "evolving", "options": {}}


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "updates.txt"
    path.write_text("1 2\n- 1\n")
    assert "updates.txt:2" in refused(3, path)
    (tmp_path / "cut.pairs").write_bytes(struct.pack("<II", 1, 2) + b"3")
    assert "cut.pairs at offset 8" in refused(3, tmp_path / "cut.pairs")
    assert "there are" in refused(2, path, "--format", "csv")
    assert "evolving" in refused(2, path, "--engine", "concurrent")
    assert "a threshold of" in refused(2, path, "--engine", "evolving:log=64K,threshold=9000")
    assert "standard input" in refused(2, "-", "--verify")
    refused(4, tmp_path / "missing.pairs")
