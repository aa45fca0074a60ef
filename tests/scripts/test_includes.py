# SPDX-License-Identifier: Apache-2.0
"""scripts/includes.py: includes lead downwards between folders; tests may include everything."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "includes.py"


@pytest.fixture
def complaints(tmp_path: Path):
    """Write files that include one another, empty ones if only the name is given; lint them."""

    def run(files: dict[str, list[str]]) -> list[str]:
        for name in {*files, *(name for names in files.values() for name in names)}:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f'#include "{below}"\n' for below in files.get(name, [])))
        done = subprocess.run(
            [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False
        )
        lines = done.stdout.splitlines()
        assert not done.stderr
        assert done.returncode == (1 if lines else 0)
        return lines[:-1]

    return run


@pytest.mark.parametrize(
    ("file", "below"),
    [
        ("cli/run.cc", "workloads/graphs/generate.h"),
        ("workloads/bfs.cc", "engines/program.h"),
        ("engines/engine.cc", "storage/layout/layout.h"),
        ("engines/lists/round.cc", "engines/engine.h"),
        ("engines/concurrent/queue.cc", "engines/lists/round.h"),
        ("engines/concurrent/queue.cc", "engines/concurrent/queue.h"),
        ("engines/registry.cc", "engines/concurrent/concurrent.h"),
        ("storage/source/blocks.cc", "storage/layout/layout.h"),
        ("storage/layout/edges/cells.cc", "storage/layout/parts.h"),
        ("storage/layout/parts.cc", "storage/layout/edges/cells.h"),
        ("storage/io/probe/probe.cc", "storage/io/door.h"),
        ("common/version.cc", "generated.h"),
    ],
)
def test_what_stands_below_may_be_included(complaints, file: str, below: str) -> None:
    assert complaints({file: [below]}) == []


@pytest.mark.parametrize(
    ("file", "above", "wrong"),
    [
        ("common/ids.cc", "storage/io/door.h", "storage/io is not below common"),
        ("storage/io/door.cc", "engines/engine.h", "engines is not below storage/io"),
        ("engines/engine.cc", "workloads/graphs/rmat.h", "workloads/graphs is not below engines"),
        ("workloads/graphs/rmat.cc", "engines/engine.h", "engines is not below workloads/graphs"),
        ("storage/io/door.cc", "storage/layout/parts.h", "storage/layout is not below storage/io"),
        ("storage/io/door.cc", "storage/io/probe/fit.h", "storage/io/probe is not below"),
        ("storage/cache/pool.cc", "storage/io/door.h", "storage/io is not below storage/cache"),
        ("engines/engine.cc", "engines/lists/round.h", "engines/lists is not below engines"),
        ("engines/lists/round.cc", "engines/psw/psw.h", "engines/psw is not below engines/lists"),
        ("engines/grid/grid.cc", "engines/psw/psw.h", "engines/psw is not below engines/grid"),
        ("engines/engine.cc", "tests/contract/spy.h", "which is in no room"),
    ],
)
def test_what_does_not_is_told_with_its_line(complaints, file: str, above: str, wrong: str) -> None:
    (line,) = complaints({file: ["common/error.h", above]})
    assert line.startswith(f"{file}:2: includes {above}")
    assert wrong in line


def test_tests_and_their_headers_may_include_everything(complaints) -> None:
    files = {
        "common/ids_test.cc": ["common/ids_fixture.h"],
        "common/ids_fixture.h": ["cli/run.h"],
        "tests/matrix_test.cc": ["cli/run.h"],
    }
    assert complaints(files) == []
    (line,) = complaints({**files, "common/ids.cc": ["common/ids_fixture.h"]})
    assert line.startswith("common/ids_fixture.h:1: includes cli/run.h")


def test_a_folder_that_has_no_row_is_told(complaints) -> None:
    (line,) = complaints({"storage/new/new.cc": []})
    assert line.startswith("storage/new/new.cc: its folder has no row")
