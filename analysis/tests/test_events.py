# SPDX-License-Identifier: Apache-2.0
"""Events: the reader against files of the binary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis.events import (
    EventsError,
    decode_numbers,
    encode_numbers,
    read_events,
    unzigzag,
    zigzag,
)
from recorded import MODES, needs_binary, run_binary


def test_numbers_of_every_length_come_back() -> None:
    numbers = [0, 1, 127, 128, 300, 2**32, 2**63, 2**64 - 1]
    assert decode_numbers(encode_numbers(numbers)).tolist() == numbers
    signed = [0, -1, 1, -2, 2**40, -(2**40)]
    assert unzigzag(zigzag(signed)).tolist() == signed
    assert decode_numbers(b"").tolist() == []
    assert encode_numbers([]) == b""
    with pytest.raises(ValueError, match="no end"):
        decode_numbers(b"\x80")
    with pytest.raises(ValueError, match="64 bits"):
        decode_numbers(b"\xff" * 11 + b"\x00")


@needs_binary
@pytest.mark.parametrize("mode", MODES)
def test_events_are_what_the_record_counts(
    runs: dict[str, tuple[Path, dict[str, Any]]], mode: str
) -> None:
    path, record = runs[mode]
    events = read_events(path)
    assert events.cut is None
    assert events.end is not None
    assert events.end["digest"] == record["answer"]["digest"]
    assert events.total("asked")[0] == record["io"]["requests"]
    assert events.total("asked")[1] * 4096 == record["io"]["requested_bytes"]
    assert events.total("processed")[2] == record["work"]["edges_processed"]
    assert events.total("round_began")[0] == record["work"]["rounds"]
    assert events.header["asked"]["engine"] == "async_block"
    assert events.sampled == 1
    for lane in events.lanes:
        assert (np.diff(lane.time) >= 0).all()
        for kind in range(len(events.kinds)):
            of_kind = lane.kind == kind
            assert of_kind.sum() == lane.totals[kind][0] or events.kinds[kind] == "sampled"
            assert lane.count[of_kind].sum() == lane.totals[kind][1]


@needs_binary
def test_the_binary_reads_the_same(runs: dict[str, tuple[Path, dict[str, Any]]]) -> None:
    path, _ = runs["sync"]
    events = read_events(path)
    shown = json.loads(run_binary("trace", path, "--json"))
    for name, total in shown["totals"].items():
        assert (total["events"], total["count"], total["value"]) == events.total(name)
    assert shown["held"] == sum(len(lane) for lane in events.lanes)


@needs_binary
def test_cut_and_damaged_files(
    runs: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    whole = runs["sync"][0].read_bytes()
    cut = tmp_path / "cut.events"
    cut.write_bytes(whole[:-5])
    events = read_events(cut)
    assert events.end is None
    assert events.cut is not None
    assert events.cut < len(whole) - 5
    damaged = bytearray(whole)
    damaged[-1] ^= 1
    cut.write_bytes(damaged)
    with pytest.raises(EventsError, match="checksum"):
        read_events(cut)
    cut.write_bytes(whole.replace(b'"outcore_events":1', b'"outcore_events":7', 1))
    with pytest.raises(EventsError, match="version 7"):
        read_events(cut)
    cut.write_bytes(b"{}\n")
    with pytest.raises(EventsError, match="no such line"):
        read_events(cut)
    cut.write_bytes(whole + b"rest")
    with pytest.raises(EventsError, match="4 bytes behind"):
        read_events(cut)
