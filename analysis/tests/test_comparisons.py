# SPDX-License-Identifier: Apache-2.0
"""Ratios of configurations: paired by trial, by one clock, on one machine."""

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from outcore_analysis.comparisons import ALL_GRAPHS, COMPARISONS, SAME, SIDE, comparisons
from outcore_analysis.documented import documented, tables_page
from outcore_analysis.records import load, save_table
from workbench import ROOT, Workbench

COMMON: dict[str, Any] = dict.fromkeys(SAME + SIDE) | {
    "host": "a", "workload": "bfs", "parameters": "", "threads": 2, "layout": "csr", "pool": "6%",
    "options": "", "status": "ok", "traced": False,
}  # fmt: skip


def runs(*rows: tuple[str, str, int, float, float]) -> pd.DataFrame:
    names = ("engine", "graph", "trial", "seconds", "run_s")
    return pd.DataFrame([COMMON | dict(zip(names, row, strict=True)) for row in rows])


def two_graphs() -> pd.DataFrame:
    return runs(
        *[("slow", "g", trial, 4.0 * trial, 9.0) for trial in (1, 2, 3)],
        *[("fast", "g", trial, 2.0 * trial, 3.0) for trial in (1, 2, 3)],
        *[("slow", "h", trial, 8.0, 9.0) for trial in (1, 2, 3)],
        *[("fast", "h", trial, 1.0, 3.0) for trial in (1, 2, 3)],
    )


def row_of(table: pd.DataFrame, **wanted: Any) -> Any:
    for key, value in wanted.items():
        table = table[table[key] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_ratios_are_paired_by_trial() -> None:
    row = row_of(comparisons(two_graphs()), graph="g", clock="end-to-end")
    # Trials differ by a factor of three, but their ratio is 2 in each: unpaired it would be 0.67 to
    # 6.
    assert (row["ratio"], row["ratio_low"], row["ratio_high"], row["noise"]) == (2, 2, 2, 0)
    assert row["slower"] == "slow csr pool 6%"


def test_graphs_are_joined_by_the_geometric_mean() -> None:
    row = row_of(comparisons(two_graphs()), graph=ALL_GRAPHS, clock="end-to-end")
    assert row["ratio"] == pytest.approx(math.sqrt(2 * 8))
    assert row["graphs"] == 2


def test_clocks_are_kept_apart() -> None:
    table = comparisons(two_graphs())
    assert row_of(table, graph="g", clock="algorithm")["ratio"] == 3
    assert set(table["clock"]) == {"end-to-end", "algorithm"}


def test_machines_are_never_put_together() -> None:
    table = two_graphs()
    table.loc[table["engine"] == "fast", "host"] = "b"
    assert comparisons(table).empty


def test_two_trials_give_no_interval() -> None:
    row = row_of(comparisons(two_graphs().query("trial < 3")), graph="g", clock="algorithm")
    assert row["trials"] == 2 and pd.isna(row["ratio_low"])


def test_tables_are_the_same_as_csv_and_as_parquet(finished: Workbench, tmp_path: Path) -> None:
    table = load(finished.config["results_folder"])
    table["pool"] = table["pool"].astype(object)
    table.loc[0, "pool"] = 5  # of two types, which Parquet does not take
    for made in (table, comparisons(table)):
        save_table(made, tmp_path / "table")
        csv, parquet = (
            pd.read_csv(tmp_path / "table.csv"),
            pd.read_parquet(tmp_path / "table.parquet"),
        )
        assert list(csv.columns) == list(parquet.columns) == list(made.columns)
        numbers = csv.select_dtypes("number").columns
        assert len(numbers)
        for name in numbers:
            pd.testing.assert_series_equal(
                csv[name], pd.to_numeric(parquet[name]), check_dtype=False
            )


def test_every_column_is_documented(finished: Workbench) -> None:
    from outcore_analysis.material import collect
    from outcore_analysis.summary import summary_table

    tables = dict(collect(finished.plan()).tables)
    tables |= {"summary": summary_table(tables["runs"]), "comparisons": comparisons(tables["runs"])}
    docs = documented()
    for name, table in tables.items():
        assert set(docs[name]) == set(table.columns), name
        assert all(docs[name].values())
    assert list(COMPARISONS)[-1] == "graphs"
    assert (ROOT / "docs/tables.md").read_text(encoding="utf-8") == tables_page()
