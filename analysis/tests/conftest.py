# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a configuration to change, a campaign that ran, a copy of it to change."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from browsing import CHROMIUM
from recorded import MODES, Run, make_grid, run_mode
from workbench import Workbench, make_workbench, run_plan


@pytest.fixture
def workbench(tmp_path: Path) -> Workbench:
    return make_workbench(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A campaign that ran; to be read, not to be changed."""
    bench = make_workbench(tmp_path_factory.mktemp("finished"))
    run_plan(bench.plan())
    return bench


@pytest.fixture
def copied(finished: Workbench, tmp_path: Path) -> Workbench:
    """A campaign that ran, whose records may be changed."""
    shutil.copytree(finished.folder / "results", tmp_path / "results")
    config = finished.config | {"results_folder": str(tmp_path / "results")}
    return Workbench(tmp_path, config)


@pytest.fixture
def find_record(copied: Workbench) -> Callable[..., Path]:
    """Path of trial 1 of the only cell with these properties."""

    def find(**wanted: Any) -> Path:
        cells = copied.plan().cells.values()
        (cell,) = [c for c in cells if all(getattr(c, k) == v for k, v in wanted.items())]
        return Path(copied.plan().records_folder) / cell.key / "trial-1.json"

    return find


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The one knob on a small grid, WCC: events and record of each mode. Needs the binary."""
    graph = make_grid(tmp_path_factory.mktemp("events"), 64)
    return {mode: run_mode(graph, mode) for mode in MODES}


@pytest.fixture(scope="session")
def searches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """The same for a search on a grid that is small enough to be drawn."""
    graph = make_grid(tmp_path_factory.mktemp("searches"), 32)
    return {mode: run_mode(graph, mode, "bfs", "8K") for mode in MODES}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
