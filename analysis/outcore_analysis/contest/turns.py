# SPDX-License-Identifier: Apache-2.0
"""The table `races`: a row for each turn of the races that experiments hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from outcore_analysis.contest.programme import Bout
from outcore_analysis.records import RACES, frame

Json = dict[str, Any]


def races_table(held: Iterable[tuple[Bout, str, str, Json]]) -> pd.DataFrame:
    """Return the table of races: the bout, its machine, the file of its record, the record."""
    turns: list[Json] = []
    for bout, host, file, document in held:
        same = {"experiment": bout.programme, "host": host, "record": file}
        titles = {one["name"]: one["title"] for one in document["contestants"]}
        for turn in document["records"]:
            name = turn["raced"]["contestant"]
            turns.append(turn | same | {"who": titles[name], "contestant": name})
    return frame(RACES, turns)
