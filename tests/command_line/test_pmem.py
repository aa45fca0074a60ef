# SPDX-License-Identifier: Apache-2.0
"""Stores in persistent memory as users see them; an ordinary file stands in, and they say so."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import BINARY, outcore
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
    assert "outcore freeze" in fails(2, "run", pmem, "--engine", PMEM, "--workload", "wcc")


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
