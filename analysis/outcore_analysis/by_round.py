# SPDX-License-Identifier: Apache-2.0
"""The table of rounds: one row for each round (with its barrier) of the runs that ended well."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from outcore_analysis.records import RUNS, Column, at, frame

Json = dict[str, Any]

_SHARED = [
    "campaign",
    "host",
    "config",
    "trial",
    "record",
    "graph",
    "family",
    "edges",
    "layout",
    "engine",
    "workload",
    "parameters",
    "threads",
    "pool",
    "modelled",
    "memory_limit_bytes",
    "options",
    "traced",
]
ROUNDS = [
    *[column for column in RUNS if column.name in _SHARED],
    Column("round", "Number of the round, from 0.", at("this_round", "round")),
    Column("frontier", "Vertices that were active.", at("this_round", "frontier")),
    Column("round_s", "Seconds of the round.", at("this_round", "seconds")),
    Column("requests", "Requests of the round.", at("this_round", "requests")),
    Column("requested_bytes", "Bytes that it asked for.", at("this_round", "requested_bytes")),
    Column("round_edges", "Edges handed to the program.", at("this_round", "edges")),
    Column("pull", "Whether it read the lists of those that listen.", at("this_round", "pull")),
    Column(
        "full_estimate_s",
        "Seconds that a benefit model expected of a full round.",
        at("this_round", "own", "full_estimate_s"),
    ),
    Column(
        "selected_estimate_s",
        "Seconds that it expected of the lists of active vertices alone.",
        at("this_round", "own", "selected_estimate_s"),
    ),
]


def rounds_table(records: Iterable[Json]) -> pd.DataFrame:
    """Make the table; runs that failed, and runs without rounds, have no rows."""
    documents = [
        record | {"this_round": row}
        for record in records
        if record["outcome"]["status"] == "ok"
        for row in record.get("rounds") or []
    ]
    return frame(ROUNDS, documents)
