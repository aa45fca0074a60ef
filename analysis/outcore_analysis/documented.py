# SPDX-License-Identifier: Apache-2.0
"""What every column of every table means: docs/tables.md, and the page beside the tables."""

from __future__ import annotations

from typing import Any

from outcore_analysis.by_round import ROUNDS
from outcore_analysis.comparisons import COMPARISONS
from outcore_analysis.levels import LEVELS
from outcore_analysis.records import RUNS, TABLES
from outcore_analysis.yamllines import schema

Json = dict[str, Any]

TABLES_HEAD = """\
# Tables

`report/tables/` of a results folder has each table as CSV and as Parquet; this page says what
every column means. Made by `python -m outcore_analysis columns`; a test keeps it so. A missing
value means that a record does not tell, or that it does not apply.

"""


def tables_page() -> str:
    """Return docs/tables.md."""
    return TABLES_HEAD + column_docs()


def column_docs() -> str:
    """Return Markdown that documents every column of every table."""
    lines: list[str] = []
    for name, columns in documented().items():
        lines += [f"## {name}", "", "| column | meaning |", "| --- | --- |"]
        lines += [f"| `{column}` | {doc} |" for column, doc in columns.items()]
        lines.append("")
    return "\n".join(lines)


def documented() -> dict[str, dict[str, str]]:
    """Return what every column of every table means."""
    tables = {
        name: {column.name: column.doc for column in columns} for name, columns in TABLES.items()
    }
    rates: Json = schema("probe")["properties"]["rates"]["items"]["properties"]
    tables["levels"] = {column.name: column.doc for column in LEVELS}
    tables["rounds"] = {column.name: column.doc for column in ROUNDS}
    tables["device"] = {name: node["description"] for name, node in rates.items()} | DEVICE_DOCS
    tables["summary"] = SUMMARY_DOCS
    tables["comparisons"] = COMPARISONS
    return tables


DEVICE_DOCS = {
    "k_r": "Fewest random reads of 4 KB in flight that saturate the device.",
    "host": "Machine.",
    "source": "Device of the mount.",
    "filesystem": "Its file system.",
}
_OF_RUNS = "host graph engine workload parameters layout threads pool config"
SUMMARY_DOCS = {column.name: column.doc for column in RUNS if column.name in _OF_RUNS.split()} | {
    "trials": "Runs of the configuration.",
    "finished": "Runs that ended well; the other columns of the row are about these.",
    "trouble": "How the other runs ended.",
    "seconds": "Median seconds end to end.",
    "seconds_low": "Lower end of its 95% bootstrap interval; none with fewer than 3 trials.",
    "seconds_high": "Upper end.",
    "run_s": "Median seconds of the algorithm alone.",
    "run_s_low": "Lower end of its interval.",
    "run_s_high": "Upper end.",
    "seconds_noise": "(Greatest - least) / median of the seconds end to end.",
    "run_s_noise": "The same for the algorithm's seconds.",
    "requested_bytes_per_edge": "Median of requested bytes over processed edges.",
    "requested_bytes": "Median of bytes asked of the device.",
    "peak_rss_bytes": "Median of the greatest resident set.",
    "verified": "Whether every answer was verified and right; none: not all were checked.",
    "temperature": "Page cache before the starts.",
}
