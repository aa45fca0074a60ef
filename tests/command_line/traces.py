# SPDX-License-Identifier: Apache-2.0
"""Access traces written without the binary, from the description in storage/trace/trace.h."""

import json
from pathlib import Path

Rounds = list[list[int]]  # what each round asks for; the first entry is what precedes all rounds


def varint(value: int) -> bytes:
    """LEB128."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def zstd_frame(data: bytes) -> bytes:
    """A frame of stored blocks (RFC 8878): a window of 128 KiB, no checksum."""
    frame = b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38"
    size = 1 << 17
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    for i, block in enumerate(blocks):
        frame += (len(block) << 3 | (i == len(blocks) - 1)).to_bytes(3, "little") + block
    return frame


def write_trace(path: Path, rounds: Rounds, units: int = 1000) -> Path:
    """A trace of units of 4 KiB, whose raw bytes are those of all units."""
    header = {
        "outcore_trace": 1,
        "graph": "toy",
        "layout": "csr",
        "engine": "none",
        "workload": "none",
        "unit_bytes": 4096,
        "layout_bytes": 4096 * units,
        "raw_bytes": 4096 * units,
        "workers": 1,
        "file_units": [units],
    }
    records = b""
    previous = 0
    for number, asked in enumerate(rounds):
        if number:
            records += varint(number << 2 | 2)
        for unit in asked:
            delta = unit - previous
            records += varint((2 * delta if delta >= 0 else -2 * delta - 1) << 2)
            previous = unit + 1
    records += varint(3) + varint(sum(map(len, rounds))) + varint(len(rounds) - 1)
    path.write_bytes(json.dumps(header).encode() + b"\n" + zstd_frame(records))
    return path
