# SPDX-License-Identifier: Apache-2.0
"""Stores in persistent memory as users see them; an ordinary file stands in, and they say so."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from .conftest import BINARY, SCHEMA, outcore
from .test_ingest import Updates, ingest, refused, standing, text, updates
from .test_store import fails, told

PMEM = "evolving:medium=pmem"
SMALL = f"{PMEM},log=16K,threshold=256,bulk=64K"


@pytest.fixture(autouse=True)
def ordinary_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an ordinary file stand in for persistent memory."""
    monkeypatch.setenv("OUTCORE_PMEM", "ordinary-file")


@pytest.fixture(name="stream", scope="module")
def stream_of_the_tests() -> Updates:
    """Edges with duplicates, and removals also of what is not there."""
    return updates(20_000, 0.3)


@pytest.fixture(name="file", scope="module")
def file_of_the_stream(tmp_path_factory: pytest.TempPathFactory, stream: Updates) -> Path:
    """Write the stream as text."""
    file = tmp_path_factory.mktemp("pmem") / "stream.txt"
    file.write_text(text(stream))
    return file


def test_it_is_refused_where_nothing_would_last(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUTCORE_PMEM")
    store = tmp_path / "store"
    said = refused(2, file, "--store", store, "--engine", PMEM)
    assert "gives no MAP_SYNC" in said
    assert "medium=ssd" in said
    assert not list(store.iterdir())


def test_record_and_message_say_that_a_file_stands_in(tmp_path: Path, file: Path) -> None:
    record = ingest(file, "--store", tmp_path / "s", "--engine", SMALL, "--verify")
    assert record["pmem"]["persistent"] is False
    assert record["pmem"]["acknowledged"] == record["updates"] == 20_000
    assert record["work"]["flushes"] > 5
    said = outcore("ingest", file, "--store", tmp_path / "t", "--engine", SMALL).stdout
    assert "*not persistent*" in said


def test_verbs_answer_as_of_a_store_on_a_disk(tmp_path: Path, stream: Updates, file: Path) -> None:
    pmem, disk = tmp_path / "pmem", tmp_path / "disk"
    ingest(file, "--store", pmem, "--engine", SMALL)
    ingest(file, "--store", disk)
    outcore("check", pmem, "--against", file)
    for words in (["stats"], ["neighbours", 17], ["degree", 17, "--in"]):
        of_pmem, of_disk = told("query", pmem, *words), told("query", disk, *words)
        assert of_pmem | {"store": ""} == of_disk | {"store": ""}
    facts = told("inspect", pmem)
    assert facts["updates"] == facts["flushed"] == len(stream)
    assert facts["edges"] == sum(standing(stream).values())
    outcore("freeze", pmem, tmp_path / "a")
    outcore("freeze", disk, tmp_path / "b")
    for name in ("out.offsets", "out.targets", "in.targets"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def workloads() -> list[str]:
    """Name all that there are."""
    return [workload["name"] for workload in told("list")["workloads"]]


@pytest.mark.parametrize("lists", ["directed", "symmetric"])
def test_every_workload_runs_on_its_lists_in_place(tmp_path: Path, file: Path, lists: str) -> None:
    pmem, disk = tmp_path / "pmem", tmp_path / "disk"
    ingest(file, "--store", pmem, "--engine", f"{SMALL},lists={lists}")
    ingest(file, "--store", disk)
    ran = []
    for workload in workloads():
        words = ["--workload", workload, "--verify"]
        on_disk = outcore("run", disk, "--engine", f"evolving:lists={lists}", *words, check=False)
        if on_disk.returncode == 2:  # a workload that stores do not have
            fails(2, "run", pmem, "--engine", PMEM, *words)
            continue
        assert on_disk.returncode == 0, on_disk.stderr
        found = told("run", pmem, "--engine", PMEM, *words, "--against", file)
        assert found["answer"]["verified"]["passed"], workload
        copied = told("run", pmem, "--engine", "evolving", *words)
        assert copied["answer"]["verified"]["passed"], workload
        if found["answer"]["exact"]:
            assert found["answer"]["digest"] == copied["answer"]["digest"], workload
        assert found["graph"] == copied["graph"]
        ran.append(workload)
    assert {"bfs", "pagerank", "wcc", "one-hop"} <= set(ran)
    assert ("kcore" in ran) == (lists == "symmetric")


def test_a_run_says_what_it_read(tmp_path: Path, stream: Updates, file: Path) -> None:
    store = tmp_path / "store"
    ingest(file, "--store", store, "--engine", SMALL)
    found = told("run", store, "--engine", PMEM, "--workload", "bfs")
    jsonschema.validate(found, SCHEMA)
    opened = found["store"]
    assert opened["medium"] == "pmem"
    assert opened["persistent"] is False
    assert opened["prefix"] == len(stream)
    assert opened["edges"] == found["graph"]["edges"] == sum(standing(stream).values())
    assert opened["flushed"] == len(stream)
    assert 0 < opened["bytes"] < 64 << 20  # what it takes, of a file with far more addresses
    in_memory = told("run", store, "--engine", "evolving", "--workload", "bfs")
    assert in_memory["store"]["medium"] == "dram"
    # What was removed is gone from the copy, and each list is one block.
    assert in_memory["store"]["flushed"] == opened["edges"]
    # Chains stay where they are.
    assert found["memory"]["lists_bytes"] < in_memory["memory"]["lists_bytes"]
    modelled = told("run", store, "--engine", "evolving:medium=model", "--workload", "bfs")
    assert modelled["counts"]["bus_read_bytes"] > 0
    both_ends = ["--engine", "evolving:lists=symmetric", "--workload", "kcore", "--verify"]
    assert told("run", store, *both_ends)["graph"]["symmetric"]


def test_the_plan_has_a_row_for_it(tmp_path: Path, file: Path) -> None:
    for lists, sides in (("directed", 2), ("symmetric", 1)):
        store = tmp_path / lists
        ingest(file, "--store", store, "--engine", f"{SMALL},lists={lists}")
        rows = {row["layout"]: row for row in told("plan", store, "--workload", "pagerank")}
        assert set(rows) == {"medium=pmem", "medium=dram"}
        ran = told("run", store, "--engine", PMEM, "--workload", "pagerank")
        planned = rows["medium=pmem"]["parts"]
        for part in ("index", "lists"):
            assert planned[part] == ran["memory"][f"{part}_bytes"]
        edges = told("inspect", store)["edges"]
        assert rows["medium=dram"]["parts"]["lists"] >= sides * 4 * edges
        kcore = told("plan", store, "--workload", "kcore")[0]["verdict"]
        assert ("lists=symmetric" in kcore) == (lists == "directed")


def test_what_a_run_cannot_do_is_refused(tmp_path: Path, file: Path) -> None:
    store = tmp_path / "store"
    ingest(file, "--store", store, "--engine", SMALL)

    def why(*words: object) -> str:
        return fails(2, "run", store, *words)

    for engine in ("in_memory", "concurrent", "grid"):
        assert "outcore freeze" in why("--engine", engine, "--workload", "bfs")
    on_disk = why("--engine", "evolving:medium=ssd", "--workload", "bfs")
    assert "medium=pmem" in on_disk
    assert "lists=symmetric without medium=pmem" in why(
        "--engine", f"{PMEM},lists=symmetric", "--workload", "kcore"
    )
    assert "lists=symmetric" in why("--engine", PMEM, "--workload", "kcore")
    before = why("--engine", PMEM, "--workload", "bfs", "--prefix", 19_999)
    assert "leave --prefix out" in before
    assert "no layouts" in why("--engine", PMEM, "--workload", "bfs", "--layout", "csr")


def test_a_killed_writer_loses_nothing_that_was_acknowledged(
    tmp_path: Path, stream: Updates, file: Path
) -> None:
    store, there = tmp_path / "store", 0
    while there < len(stream) // 2:
        reading, writing = os.pipe()
        words = ["ingest", "-", "--format", "text", "--store", store, "--engine", SMALL]
        with subprocess.Popen(
            [str(BINARY), *map(str, words), "--ack", str(writing), "--at-once", "2K"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[writing],
        ) as writer:
            os.close(writing)
            assert writer.stdin is not None
            writer.stdin.write(text(stream[there : there + 3000]).encode())
            writer.stdin.flush()
            acknowledged = there
            with os.fdopen(reading) as acknowledgements:
                while acknowledged < there + 2000:
                    acknowledged = int(acknowledgements.readline())
                writer.kill()
        found = told("inspect", store)["updates"]
        assert acknowledged <= found <= there + 3000
        there = found
        outcore("check", store, "--against", file)
        asked = ["--workload", "wcc", "--verify", "--against", file]
        opened = told("run", store, "--engine", PMEM, *asked)["store"]
        assert opened["prefix"] == there
        assert opened["buffered"] + opened["flushed"] == there  # an entry an update
    record = ingest(file, "--store", store, "--resume", "--engine", PMEM, "--compact", "--verify")
    assert record["pmem"]["skipped"] == there
    assert record["pmem"]["replayed"] > 0
    assert told("inspect", store)["updates"] == len(stream)


def test_queries_run_while_the_stream_comes_in(tmp_path: Path, file: Path) -> None:
    asked = ["--query", "wcc", "--every", 5_000, "--verify"]
    record = ingest(file, "--store", tmp_path / "s", "--engine", SMALL, *asked)
    assert record["queries"]["answered"] == 4


def test_what_cannot_be_is_refused(tmp_path: Path, file: Path) -> None:
    disk, pmem = tmp_path / "disk", tmp_path / "pmem"
    ingest(file, "--store", disk)
    ingest(file, "--store", pmem, "--engine", SMALL)
    assert "medium=ssd" in refused(2, file, "--store", disk, "--engine", PMEM)
    assert "store.pmem" in refused(2, file, "--store", pmem)
    assert "--store FOLDER" in refused(2, file, "--engine", PMEM)
    for word in ("variant=battery", "clwb=on", "nodes=off"):
        assert word in refused(2, file, "--store", pmem, "--engine", f"{PMEM},{word}")
    assert "medium=pmem" in fails(2, "run", disk, "--engine", PMEM, "--workload", "wcc")
    short = tmp_path / "short.txt"
    short.write_text("1 2\n")
    assert "has 1 updates" in refused(2, short, "--store", pmem, "--engine", PMEM, "--resume")
    json.loads(outcore("check", pmem, "--json").stdout)
