# SPDX-License-Identifier: Apache-2.0
"""One row for each configuration: medians and intervals over its trials that ended well."""

from __future__ import annotations

from typing import Any

import pandas as pd

from outcore_analysis.records import groups, rows
from outcore_analysis.stats import summarise

Json = dict[str, Any]

SUMMARY_KEYS = [
    *("host", "graph", "engine", "workload", "parameters", "layout", "threads", "pool"),
    "config",
]


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each configuration."""
    timed = runs[~runs["traced"].astype(bool)]
    return pd.DataFrame(
        [
            dict(zip(SUMMARY_KEYS, key, strict=True)) | _summary(group)
            for key, group in groups(timed.fillna({"pool": ""}), SUMMARY_KEYS)
        ],
        columns=[*SUMMARY_KEYS, *_summary(timed.iloc[:0])],
    )


def _summary(group: pd.DataFrame) -> Json:
    good, bad = group[group["status"] == "ok"], group[group["status"] != "ok"]
    row: Json = {"trials": len(group), "finished": len(good)}
    row["trouble"] = "; ".join(sorted({f"{r['status']}: {r['reason']}" for r in rows(bad)}))
    for column in ("seconds", "run_s"):
        found = summarise(good[column].tolist()) if len(good) else None
        row[column] = found.median if found else None
        row[f"{column}_low"] = found.low if found else None
        row[f"{column}_high"] = found.high if found else None
        row[f"{column}_noise"] = found.noise if found else None
    for column in ("requested_bytes_per_edge", "requested_bytes", "peak_rss_bytes"):
        row[column] = good[column].astype(float).median()
    row["verified"] = _all_verified(good["verified"])
    row["temperature"] = "/".join(sorted(set(good["temperature"].dropna())))
    return row


def _all_verified(flags: pd.Series) -> bool | None:
    known = [bool(flag) for flag in flags if flag is not None and not pd.isna(flag)]
    return all(known) if len(known) == len(flags) else None
