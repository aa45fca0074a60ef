# SPDX-License-Identifier: Apache-2.0
"""Stores on a disk as users see them: ingest --store, check, inspect, query, freeze, refusals."""

import json
import os
import resource
import signal
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, TALKING, outcore
from .test_ingest import Updates, ingest, refused, standing, text, updates

SMALL = "evolving:log=256K,group=16K"


def told(*words: object) -> Any:
    """Return what a verb prints for programs."""
    return json.loads(outcore(*words, "--json").stdout)


def fails(code: int, *words: object) -> str:
    """Return what a verb says when it fails."""
    done = outcore(*words, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.fixture(name="stream", scope="module")
def stream_of_the_tests() -> Updates:
    """Edges with duplicates, and removals also of what is not there."""
    return updates(60_000, 0.3)


@pytest.fixture(name="file", scope="module")
def file_of_the_stream(tmp_path_factory: pytest.TempPathFactory, stream: Updates) -> Path:
    """The stream as text."""
    path = tmp_path_factory.mktemp("stream") / "updates.txt"
    path.write_text(text(stream))
    return path


@pytest.fixture(name="store", scope="module")
def store_of_the_stream(tmp_path_factory: pytest.TempPathFactory, file: Path) -> Path:
    """The store that the stream makes, of several runs."""
    store = tmp_path_factory.mktemp("stores") / "store"
    ingest(file, "--store", store, "--engine", SMALL + ",factor=0", "--verify")
    return store


def lists(stream: Updates, place: int) -> dict[int, list[int]]:
    """The lists that stand, of sources (0) or of targets (1)."""
    found: dict[int, list[int]] = {}
    for edge, copies in sorted(standing(stream).items()):
        found.setdefault(edge[place], []).extend([edge[1 - place]] * copies)
    return {vertex: sorted(neighbours) for vertex, neighbours in found.items()}


def test_the_store_is_the_stream(store: Path, file: Path, stream: Updates) -> None:
    assert (
        "lists are those of the first 60,000" in outcore("check", store, "--against", file).stdout
    )
    facts = told("inspect", store)
    assert facts["updates"] == facts["flushed"] == len(stream)
    assert len(facts["runs"]) > 3
    assert "60,000 updates" in outcore("inspect", store).stdout
    copies = standing(stream)
    snapshot = told("query", store, "snapshot")
    assert (snapshot["updates"], snapshot["edges"]) == (len(stream), sum(copies.values()))
    alive: dict[tuple[int, int], int] = {}
    missed = 0
    for u, v, removed in stream:
        missed += removed and alive.get((u, v), 0) == 0
        alive[u, v] = max(alive.get((u, v), 0) - 1, 0) if removed else alive.get((u, v), 0) + 1
    assert snapshot["removals_missed"] == missed > 0
    stats = told("query", store, "stats")
    out = lists(stream, 0)
    assert stats["degree"]["out"]["max"] == max(map(len, out.values()))
    assert stats["degree"]["out"]["mean"] == pytest.approx(snapshot["edges"] / stats["vertices"])


def test_a_vertex_is_asked_for(store: Path, stream: Updates) -> None:
    out, into = lists(stream, 0), lists(stream, 1)
    for v in (0, 17, 499):
        found = told("query", store, "neighbours", v)
        assert found["neighbours"] == out[v]
        assert told("query", store, "degree", v, "--in")["degree"] == len(into[v])
        assert outcore("query", store, "neighbours", v, "--in").stdout.split() == [
            str(u) for u in into[v]
        ]
    assert outcore("query", store, "degree", 70_000).stdout == "0\n"


@pytest.mark.parametrize("codec", ["raw", "svb"])
def test_it_is_frozen_as_import_would_make_it(tmp_path: Path, codec: str) -> None:
    pairs = tmp_path / "edges.pairs"
    edges = updates(30_000, 0)
    pairs.write_bytes(b"".join(struct.pack("<II", u, v) for u, v, _ in edges))
    engine = f"{SMALL},codec={codec}"
    ingest(pairs, "--store", tmp_path / "s", "--engine", engine, "--freeze", tmp_path / "during")
    outcore("freeze", tmp_path / "s", tmp_path / "after", "--memory", "1M")
    outcore("import", pairs, tmp_path / "made", "--format", "pairs32")
    files = [
        json.loads((tmp_path / graph / "graph.json").read_text())["files"]
        for graph in ("during", "after", "made")
    ]
    assert files[0] == files[1] == files[2]
    assert "exists" in fails(2, "freeze", tmp_path / "s", tmp_path / "made")
    outcore("freeze", tmp_path / "s", tmp_path / "made", "--force")
    # One run is a layout of its codec, and engines of lists open it in place.
    ingest(pairs, "--store", tmp_path / "one", "--engine", engine, "--compact")
    outcore("layout", tmp_path / "made", "--pack", "csr", "--codec", codec)
    graphs = tmp_path / "one", tmp_path / "made"
    runs = [told("run", graph, "--engine", "concurrent", "--workload", "wcc") for graph in graphs]
    assert runs[0]["answer"]["digest"] == runs[1]["answer"]["digest"]
    assert runs[0]["layout"]["choices"]["codec"] == codec
    # What cannot be frozen is refused before the stream goes in.
    assert "exists" in refused(2, pairs, "--store", tmp_path / "t", "--freeze", tmp_path / "made")
    assert not (tmp_path / "t").exists()


def test_ingestion_goes_on_where_it_ended(tmp_path: Path, file: Path, stream: Updates) -> None:
    store = tmp_path / "store"
    half = tmp_path / "half.txt"
    half.write_text(text(stream[:30_001]))
    assert ingest(half, "--store", store, "--engine", SMALL)["disk"]["opened_at"] == 0
    record = ingest(file, "--store", store, "--resume", "--engine", SMALL, "--verify")
    assert record["disk"]["opened_at"] == record["disk"]["skipped"] == 30_001
    assert 0 <= record["disk"]["replayed"] <= 30_001
    assert record["disk"]["open_seconds"] > 0
    assert record["updates"] == len(stream) - 30_001
    assert "has 30001 updates" in refused(2, half, "--store", store, "--resume")
    # Without --resume the stream comes once more.
    ingest(half, "--store", store)
    assert told("inspect", store)["updates"] == len(stream) + 30_001
    both = tmp_path / "both.txt"
    both.write_text(text(stream + stream[:30_001]))
    outcore("check", store, "--against", both)
    assert "differs" in fails(5, "check", store, "--against", file)


@pytest.mark.parametrize("form", ["ids=3", "ids=3,codec=svb", "codec=varint"])
def test_other_forms_answer_as_the_plain_one(
    tmp_path: Path, file: Path, store: Path, form: str
) -> None:
    other = tmp_path / "other"
    ingest(file, "--store", other, "--engine", f"{SMALL},factor=0,{form}", "--verify")
    outcore("check", other, "--against", file)
    for workload in ("wcc", "bfs"):
        words = ["--workload", workload, "--verify"]
        plain = told("run", store, "--engine", "evolving", *words)["answer"]
        for medium in ("", ":medium=ssd"):
            found = told("run", other, "--engine", f"evolving{medium}", *words)["answer"]
            assert found["digest"] == plain["digest"], (workload, medium)


@pytest.mark.parametrize("form", ["ids=3", "ids=3,codec=svb"])
def test_runs_of_other_forms_are_queried_while_they_come(
    tmp_path: Path, file: Path, form: str
) -> None:
    store = tmp_path / "s"
    engine = ["--engine", f"{SMALL},factor=0,{form}"]
    asked = ["--query", "wcc", "--every", 20_000, "--verify"]
    record = ingest(file, "--store", store, *engine, *asked)
    assert record["queries"]["answered"] >= 3


def test_ids_of_three_bytes_are_below_two_to_the_24(tmp_path: Path) -> None:
    too_large = tmp_path / "large.txt"
    too_large.write_text("0 1\n16777216 1\n")
    ids = ["--engine", "evolving:ids=3"]
    assert "below 16777216" in refused(2, too_large, "--store", tmp_path / "large", *ids)


def test_knobs_move_their_counters(tmp_path: Path, file: Path) -> None:
    number = iter(range(100))

    def counted(options: str, *words: object) -> Any:
        store = tmp_path / str(next(number))
        record = ingest(file, "--store", store, "--engine", f"evolving:{options}", *words)
        outcore("check", store, "--against", file)
        return record["disk"]

    plain = counted("log=256K,group=16K,factor=0")
    assert plain["flushes"] == plain["runs"] > 3
    assert plain["merges"] == plain["merge_bytes"] == 0
    assert plain["log_bytes"] >= 60_000 // 500 * 4096
    narrow = counted("log=256K,group=16K,factor=0,ids=3")
    assert plain["log_bytes"] > narrow["log_bytes"] >= 60_000 // 662 * 4096
    assert plain["run_bytes"] > narrow["run_bytes"]
    coded = counted("log=256K,group=16K,factor=0,ids=3,codec=svb")
    assert coded["log_bytes"] == pytest.approx(narrow["log_bytes"], rel=0.2)
    assert coded["run_bytes"] < narrow["run_bytes"]
    assert counted("log=1M,group=16K,factor=0")["flushes"] < plain["flushes"]
    assert counted("log=256K,group=4K,factor=0")["commits"] >= 120 > plain["commits"]
    merged = counted("log=256K,group=16K,factor=2")
    assert merged["merges"] > 0
    assert merged["runs"] < merged["flushes"]
    assert merged["write_amplification"] > plain["write_amplification"]
    compacted = counted("log=256K,group=16K,factor=0", "--compact")
    assert compacted["runs"] == compacted["flushes"], "counted when the stream was in"
    assert counted("log=8M,factor=0", "--memory", "512K")["flushes"] > 3
    slow = counted("log=2M,group_ms=0", "--rate", 400_000)
    assert slow["commits"] > counted("log=2M,group_ms=1000", "--rate", 400_000)["commits"]


def test_an_ingestion_says_what_it_was_bound_by(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCORE_DEVICES", str(tmp_path))
    bound = told("ingest", file, "--store", tmp_path / "unknown")["bound"]
    assert bound["device"] is None, "the device was not probed"
    assert bound["processors"]["share"] > 0
    assert told("ingest", file)["bound"]["processors"]["share"] > 0, "in memory too"
    folder = tmp_path.stat().st_dev
    mounts = (line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines())
    number = f"{os.major(folder)}:{os.minor(folder)}"
    source = next(words[words.index("-") + 2] for words in mounts if words[2] == number)
    probe = tmp_path / "local.toml"
    text = (
        f'[probe]\nsource = "{source}"\n[read]\nk_r = 7\n[cost.busy]\nrequest_us = 20\n'
        "kb_us = 0.5\n[[rates]]\n"
        'pattern = "random"\nbytes = 4096\nconcurrency = 1\nmb_per_s = 1\np50_us = 1\np99_us = 1\n'
    )
    probe.write_text(text)
    bound = told("ingest", file, "--store", tmp_path / "of-reads")["bound"]
    assert bound["device"] is None, "of writes nothing is known"
    slow = "[[writes]]\nbytes = 4096\nconcurrency = 4\nmb_per_s = 1e-3\np50_us = 1\np99_us = 1\n"
    probe.write_text(text + slow)
    device = told("ingest", file, "--store", tmp_path / "slow")["bound"]["device"]
    assert device["source"] == str(probe)
    assert device["share"] > 1, "faster than that it writes"
    probe.write_text(text + slow.replace("1e-3", "1e9"))
    device = told("ingest", file, "--store", tmp_path / "fast")["bound"]["device"]
    assert 0 < device["share"] < 0.01


def test_compaction_makes_one_run(tmp_path: Path, file: Path) -> None:
    ingest(file, "--store", tmp_path / "s", "--engine", SMALL, "--compact", "--verify")
    assert len(told("inspect", tmp_path / "s")["runs"]) == 1


def test_acknowledgements_come_a_line_each(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [str(BINARY), "ingest", "-", "--store", str(tmp_path / "s"), "--ack", str(writing)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=[writing],
    )
    os.close(writing)
    assert process.stdin is not None
    with os.fdopen(reading) as lines:
        for number in range(1, 4):  # each as it comes, though the pipe stays open
            process.stdin.write(struct.pack("<II", number, 7))
            process.stdin.flush()
            assert lines.readline() == f"{number}\n"
        process.stdin.close()
        assert lines.read() == ""
    assert process.wait() == 0


def interrupted(words: Sequence[object], signal_number: int) -> subprocess.CompletedProcess[str]:
    """Interrupt an ingestion from a pipe that stays open, once it has acknowledged something."""
    reading, writing = os.pipe()
    with subprocess.Popen(
        [str(BINARY), "ingest", "-", *map(str, words), "--ack", str(writing)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[writing],
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        process.stdin.write("1 2\n3 4\n")
        process.stdin.flush()
        with os.fdopen(reading) as lines:
            assert lines.readline() != ""
            process.send_signal(signal_number)
            process.wait(timeout=60)
        assert process.stderr is not None
        return subprocess.CompletedProcess([], process.returncode, "", process.stderr.read())


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_cleanly(tmp_path: Path, signal_number: int) -> None:
    done = interrupted(["--format", "text", "--store", tmp_path / "s"], signal_number)
    assert done.returncode == 130
    assert "2 updates, all of them acknowledged" in done.stderr
    assert told("inspect", tmp_path / "s")["updates"] == 2
    assert json.loads((tmp_path / "s" / "store.json").read_text())["acknowledged"] == 2


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    store = tmp_path / "s"
    reading, writing = os.pipe()
    with subprocess.Popen(
        [str(BINARY), "ingest", "-", "--store", str(store), "--ack", str(writing)],
        stdin=subprocess.PIPE,
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
    ) as process:
        os.close(writing)
        assert process.stdin is not None
        process.stdin.write(struct.pack("<IIII", 1, 2, 3, 4))
        process.stdin.flush()
        with os.fdopen(reading) as lines:
            assert lines.readline() == "2\n"
        (tmp_path / "more.txt").write_text("1 2\n")
        said = refused(2, tmp_path / "more.txt", "--store", store)
        assert f"process {process.pid} writes to this store" in said
        # Reading goes on meanwhile.
        assert told("query", store, "neighbours", 1)["neighbours"] == [2]
        outcore("check", store)
        process.kill()
    ingest(tmp_path / "more.txt", "--store", store)
    assert told("query", store, "neighbours", 1)["neighbours"] == [2, 2]


def test_what_came_before_a_malformed_record_is_kept(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 2\n3 4\n5 x\n")
    assert "bad.txt:3" in refused(3, tmp_path / "bad.txt", "--store", tmp_path / "s")
    assert told("inspect", tmp_path / "s")["updates"] == 2
    pairs = tmp_path / "bad.pairs"
    pairs.write_bytes(struct.pack("<IIII", 1, 2, 3, 2**31))
    said = refused(3, pairs, "--store", tmp_path / "t")
    assert "bad.pairs at offset 12" in said and "2147483646" in said


def test_what_cannot_be_is_refused(tmp_path: Path, store: Path) -> None:
    stream = tmp_path / "updates.txt"
    stream.write_text("1 2\n")
    new = tmp_path / "new"
    assert "--store FOLDER" in refused(2, stream, "--engine", "evolving:medium=ssd")
    assert "--store FOLDER" in refused(2, stream, "--resume")
    assert "not medium=dram" in refused(
        2, stream, "--store", new, "--engine", "evolving:medium=dram"
    )
    for options in ("threshold=9", "variant=battery", "factor=1", "group=2M", "log=8K,group=8K"):
        refused(2, stream, "--store", new, "--engine", f"evolving:{options}")
    assert "medium=dram" in refused(2, stream, "--engine", "evolving:factor=2")
    assert "in memory" in refused(2, stream, "--store", new, "--snapshot-every", 1)
    assert "no descriptor" in refused(2, stream, "--store", new, "--ack", 77)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter").write_text("dear")
    assert "letter" in refused(2, stream, "--store", mine)
    assert [path.name for path in mine.iterdir()] == ["letter"]
    assert "there are: degree" in fails(2, "query", store, "degrees", 1)
    assert "needs a vertex" in fails(2, "query", store, "degree")
    assert "no store is there" in fails(2, "query", tmp_path, "snapshot")
    fails(2, "freeze", tmp_path / "missing", new)
    assert "for stores" in fails(2, "check", tmp_path, "--salvage")


def test_damage_is_named_and_salvaged(tmp_path: Path, file: Path, stream: Updates) -> None:
    store = tmp_path / "s"
    done = interrupted(["--format", "text", "--store", store], signal.SIGTERM)
    assert done.returncode == 130
    log = (store / "log").read_bytes()
    (store / "log").write_bytes(b"x" + log[1:])
    assert "log at offset 0" in fails(3, "check", store)
    assert "log at offset 0" in refused(3, file, "--store", store)
    assert "updates from 1 on" in outcore("check", store, "--salvage").stdout
    newer = json.loads((store / "store.json").read_text()) | {"version": 99}
    (store / "store.json").write_text(json.dumps(newer))
    assert "another version" in fails(3, "inspect", store)
    whole = tmp_path / "t"
    ingest(file, "--store", whole, "--engine", SMALL, "--compact")
    run = whole / told("inspect", whole)["runs"][0]["name"]
    blocks = bytearray((run / "in.blocks").read_bytes())
    blocks[5000] ^= 1
    (run / "in.blocks").write_bytes(blocks)
    assert "in.blocks at offset 4096" in fails(3, "check", whole)
    assert len(stream) == told("inspect", whole)["updates"]


def test_a_folder_that_cannot_be_written_can_be_read(tmp_path: Path, file: Path) -> None:
    """As root every folder can be written: then only reading is tried."""
    store = tmp_path / "s"
    ingest(file, "--store", store, "--engine", SMALL)
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    (tmp_path / "more.txt").write_text("1 2\n")
    store.chmod(0o555)
    if os.geteuid() != 0:
        assert "lock" in refused(4, tmp_path / "more.txt", "--store", store)
    outcore("check", store)
    outcore("query", store, "snapshot")
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before
    store.chmod(0o755)


def test_a_full_disk_stops_it_and_room_lets_it_go_on(tmp_path: Path) -> None:
    """By the limit of a file's size, which the index of a run outgrows and the log does not."""
    pairs = tmp_path / "edges.pairs"
    edges = [(u + 1_000_000, v) for u, v, _ in updates(40_000, 0)]
    pairs.write_bytes(b"".join(struct.pack("<II", u, v) for u, v in edges))
    store = tmp_path / "s"
    words = ["ingest", pairs, "--store", store, "--engine", "evolving:log=128K,group=16K"]
    with subprocess.Popen(
        ["prlimit", "--fsize=1000000:unlimited", str(BINARY), *map(str, words)],
        env=TALKING,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            assert "goes on when there is room" in process.stderr.readline()
            assert told("inspect", store)["updates"] <= 32 * 500
            outcore("check", store, "--against", pairs)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (-1, -1))
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
    outcore("check", store, "--against", pairs)
    assert told("inspect", store)["updates"] == len(edges)
