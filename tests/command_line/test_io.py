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
    notes = record["io"]["notes"]
    assert [note for note in notes if "outcore probe" not in note] == []
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


def test_holes_are_held_to_a_share_when_asked(runs: Runs) -> None:
    any_number = runs.run(holes="50+0.5")
    some = runs.run(holes="50+0.5", most_holes="2%", verify=True)
    assert "most_holes" not in any_number["asked"]
    assert some["asked"]["most_holes"] == 0.02
    assert 0 < some["io"]["hole_bytes"] < any_number["io"]["hole_bytes"]
    needed = some["io"]["requested_bytes"] - some["io"]["hole_bytes"]
    assert some["io"]["hole_bytes"] <= 0.02 * needed


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"most_holes": "6%"}, "--most-holes limits --holes, so it needs --holes too"),
        ({"holes": "on", "most_holes": "6"}, "--most-holes 6: write a percentage such as 6%"),
        ({"holes": "on", "most_holes": "-1%"}, "--most-holes -1%: write a percentage such as 6%"),
    ],
)
def test_a_share_of_holes_that_means_nothing_is_refused(
    runs: Runs, options: dict[str, str], reason: str
) -> None:
    _, message = runs.fail(2, **options)
    assert reason in message


def test_null_reads_nothing_says_so_and_is_never_verified(runs: Runs) -> None:
    record = runs.run(backend="null", workload="pagerank")
    assert "no-contents" in record["io"]["backend_traits"]
    assert any("answer means nothing" in note for note in record["io"]["notes"])
    assert record["io"]["requested_bytes"] > 0
    record, message = runs.fail(2, backend="null", verify=True)
    assert "backend null does not read the graph" in message


IO_URING_SETUP, CACHESTAT, NO_CALL = 425, 451, 0xFFFF  # as the kernel numbers its calls


def refuse(call: int, reason: int) -> None:
    """In a child, before it becomes outcore: let this kernel call fail with `reason`."""
    load, equal, give = 0x20, 0x15, 0x06
    answer, allow = 0x00050000 | reason, 0x7FFF0000
    code = [(load, 0, 0, 0), (equal, 0, 1, call), (give, 0, 0, answer), (give, 0, 0, allow)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, header) != 0:
        raise OSError("no seccomp")


def run_without(call: int, reason: int, words: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            [str(BINARY), *words],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            preexec_fn=lambda: refuse(call, reason),
        )
    except subprocess.SubprocessError:
        pytest.skip("no seccomp here")
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("temperature", ["cold", "warm"])
def test_what_is_resident_is_known_without_cachestat(runs: Runs, temperature: str) -> None:
    """Kernels before 6.5 do not have cachestat."""
    words = runs.words(warm=temperature == "warm" or None, buffered=True)
    starts = []
    for call in (NO_CALL, CACHESTAT):
        # Leaves pages behind: tests of contests, which may run beside, drop everybody's.
        runs.run(buffered=True)
        run_without(call, errno.ENOSYS, words)
        starts.append(runs.record()["start"])
    assert starts[0] == starts[1]
    assert starts[0]["temperature"] == temperature


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
    done = run_without(IO_URING_SETUP, reason, runs.words(backend=asked, verify=True))
    record = runs.record()
    assert record["asked"]["backend"] == asked
    assert record["io"]["backend"] == used
    assert [note in text for text in record["io"]["notes"]] == [True]
    assert note in done.stdout


def test_backends_are_listed_with_what_they_are_like() -> None:
    text = " ".join(outcore("list", "backends").stdout.split())  # whose lines break where they end
    assert "--backend mmap:populate=" in text
    assert "(one of none, madvise, willneed, pread, uring-madvise, uring-read)" in text
