# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a configuration to change, a campaign that ran, a copy of it to change."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
