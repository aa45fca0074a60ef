# SPDX-License-Identifier: Apache-2.0
"""How blocks are read: backends, their parameters, and what the record says of requests."""

import ctypes
import errno
import struct
import subprocess
from typing import Any

import pytest

from .conftest import BINARY, ENGINES, Runs, outcore

WAYS = ["none", "madvise", "willneed", "pread", "uring-madvise", "uring-read"]


def check_requests(io: Any) -> None:
    """Every request has a size and a time."""
    assert sum(io["requests_by_size"].values()) == io["requests"]
    assert sum(io["latency"]["counts_by_ns"].values()) == io["requests"]
    times = [io["latency"][name] for name in ("p50_us", "p90_us", "p99_us", "p999_us", "max_us")]
    assert times == sorted(times)
    assert 0 < io["latency"]["mean_us"] <= io["latency"]["max_us"]


@pytest.mark.parametrize("backend", ["uring", "threads", "mem"])
def test_every_request_is_timed(runs: Runs, backend: str) -> None:
    record = runs.run(backend=backend)
    assert record["io"]["backend"] == backend
    check_requests(record["io"])
    assert record["io"]["hole_bytes"] == 0
    assert all(sample["in_flight"] >= 0 for sample in record["timeline"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", WAYS)
def test_mapped_files_give_the_same_answer(runs: Runs, engine: str, way: str) -> None:
    spec = f"mmap:populate={way},faults=random,reads=random"
    record = runs.run(engine=engine, backend=spec, workload="wcc", verify=True)
    assert record["asked"]["backend"] == spec
    assert record["io"]["backend"] == "mmap"
    assert set(record["io"]["backend_traits"]) >= {"copies", "maps"}
    assert record["io"]["notes"] == []
    assert record["io"]["minor_faults"] > 0
    check_requests(record["io"])


def test_holes_are_read_through_when_asked(runs: Runs) -> None:
    off = runs.run()
    on = runs.run(holes="50+0.5", verify=True)
    assert on["asked"]["request_cost"] == {"us": 50, "us_per_kb": 0.5}
    assert "request_cost" not in off["asked"]
    assert on["io"]["hole_bytes"] > 0
    assert on["io"]["requested_bytes"] == off["io"]["requested_bytes"] + on["io"]["hole_bytes"]
    assert on["io"]["requests"] < off["io"]["requests"]
    assert on["answer"]["digest"] == off["answer"]["digest"]


def test_null_reads_nothing_says_so_and_is_never_verified(runs: Runs) -> None:
    record = runs.run(backend="null", workload="pagerank")
    assert "no-contents" in record["io"]["backend_traits"]
    assert any("answer means nothing" in note for note in record["io"]["notes"])
    assert record["io"]["requested_bytes"] > 0
    record, message = runs.fail(2, backend="null", verify=True)
    assert "backend null does not read the graph" in message


def refuse_io_uring(reason: int) -> None:
    """In a child before it becomes outcore: io_uring_setup (425) fails with `reason`."""
    load, equal, give = 0x20, 0x15, 0x06
    answer, allow = 0x00050000 | reason, 0x7FFF0000
    code = [(load, 0, 0, 0), (equal, 0, 1, 425), (give, 0, 0, answer), (give, 0, 0, allow)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, header) != 0:
        raise OSError("no seccomp")


@pytest.mark.parametrize("reason", [errno.ENOSYS, errno.EPERM])
@pytest.mark.parametrize(
    ("asked", "used", "note"),
    [
        ("uring", "threads", "fell back to threads"),
        ("mmap:populate=uring-read", "mmap", "populated by pread"),
        ("mmap:populate=uring-madvise", "mmap", "populated by madvise"),
    ],
)
def test_where_io_uring_is_refused_another_way_is_taken_and_noted(
    runs: Runs, reason: int, asked: str, used: str, note: str
) -> None:
    command = [str(BINARY), *runs.words(backend=asked, verify=True)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            preexec_fn=lambda: refuse_io_uring(reason),
        )
    except subprocess.SubprocessError:
        pytest.skip("no seccomp here")
    assert done.returncode == 0, done.stderr
    record = runs.record()
    assert record["asked"]["backend"] == asked
    assert record["io"]["backend"] == used
    assert [note in text for text in record["io"]["notes"]] == [True]
    assert note in done.stdout


def test_backends_are_listed_with_what_they_are_like() -> None:
    text = outcore("list").stdout
    assert "--backend mmap:populate=" in text
    assert "(none, madvise, willneed, pread, uring-madvise, uring-read)" in text
