# SPDX-License-Identifier: Apache-2.0
"""Lessons and their solutions run from the first to the last cell, and have what a lesson has."""

import os
import re
import subprocess
from pathlib import Path

import jupytext
import matplotlib.pyplot as plt
import nbformat
import pytest
from nbclient import NotebookClient

from outcore_analysis import lessons
from workbench import ROOT

LESSONS = sorted((ROOT / "analysis/lessons").glob("lesson*.py"))
SOLUTIONS = sorted((ROOT / "analysis/lessons/solutions").glob("lesson*.py"))
built = pytest.mark.skipif(
    not Path(os.environ.get("OUTCORE_BINARY", ROOT / "build/release/outcore")).exists(),
    reason="the binary is not built",
)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `make lessons` gives a notebook."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "analysis"))
    binary = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build/release/outcore"))
    monkeypatch.setenv("OUTCORE_BINARY", str(binary.absolute()))
    # Other tests name this folder relative to the repository.
    monkeypatch.setenv("OUTCORE_DEVICES", str(ROOT / "configs/devices"))


def ran(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """Run it in a folder; what a lesson claims is asserted by its own cells."""
    return NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(folder)}}
    ).execute()


def shown(notebook: nbformat.NotebookNode, kind: str) -> list[str]:
    return [
        output["data"][kind]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


def printed(notebook: nbformat.NotebookNode) -> str:
    return "".join(
        output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])
    )


@built
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_and_answers_by_one_figure(lesson: Path, tmp_path: Path) -> None:
    notebook = ran(jupytext.read(lesson), tmp_path)
    assert len(shown(notebook, "image/png")) == 1
    (explanation,) = shown(notebook, "text/markdown")
    assert explanation.strip().startswith("## What happened")
    assert "**What it leans on.**" in explanation
    assert "You wrote no prediction" in printed(notebook)


@built
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda path: path.stem)
def test_solutions_run(solution: Path, tmp_path: Path) -> None:
    assert printed(ran(jupytext.read(solution), tmp_path))


def test_there_are_six_lessons_each_with_solutions() -> None:
    assert [path.name for path in LESSONS] == [path.name for path in SOLUTIONS]
    assert [path.stem[:7] for path in LESSONS] == [f"lesson{n}" for n in range(1, 7)]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_asks_first_and_sets_three_exercises_that_are_solved(lesson: Path) -> None:
    text = lesson.read_text()
    asks, predicts, runs = (
        text.find(part) for part in ("**Question.**", "## Your prediction", "beside(")
    )
    assert 0 < asks < predicts
    assert predicts < text.index("= None", predicts) < text.rindex("beside(", predicts)
    assert runs > 0
    exercises = re.findall(r"^# \*\*(\d)\. (.+?)\*\*", text, re.MULTILINE)
    solved = re.findall(
        r"^# ## (\d)\. (.+)", (lesson.parent / "solutions" / lesson.name).read_text(), re.MULTILINE
    )
    assert [number for number, _ in exercises] == ["1", "2", "3"]
    assert [(number, title.rstrip(".")) for number, title in exercises] == [
        (number, title.rstrip(".")) for number, title in solved
    ]


def test_a_prediction_stands_beside_what_came_out(capsys: pytest.CaptureFixture[str]) -> None:
    lessons.beside("reads", 64, 8129)
    lessons.beside("reads", 8000, 8129)
    lessons.beside("saved", 50, 0)
    lessons.beside("reads", None, 8129)
    assert capsys.readouterr().out.splitlines() == [
        "reads: you predicted 64; it is 8,129, 127 times as much.",
        "reads: you predicted 8,000; it is 8,129, within a tenth of it.",
        "saved: you predicted 50; it is 0.",
        "reads: 8,129. You wrote no prediction: do it first next time.",
    ]


def test_bars_and_dots_show_each_number() -> None:
    series = {"one": [1.0, 2.5], "other": [30.0, 40000.0]}
    _, (left, right) = lessons.panels("bars", "dots")
    lessons.bars(left, ["a", "b"], series)
    lessons.dots(right, ["a", "b"], series, one={"color": "#010203"})
    for axes in (left, right):
        texts = {text.get_text() for text in axes.texts}
        assert texts == {"1", "2.5", "30", "40,000"}
        assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]
    assert not plt.get_fignums()  # a cell shows the figure that it ends with, once


def test_the_lessons_are_set_up_as_notebooks_that_are_not_overwritten(tmp_path: Path) -> None:
    command = [ROOT / "scripts/lessons", tmp_path, "--version"]
    first = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert re.match(r"\d+\.\d+", first.stdout)
    written = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.ipynb"))
    sources = [path.relative_to(ROOT / "analysis/lessons") for path in (*LESSONS, *SOLUTIONS)]
    assert written == sorted(path.with_suffix(".ipynb") for path in sources)
    mine = tmp_path / written[0]
    mine.write_text(mine.read_text().replace("= None", "= 64"))
    (tmp_path / written[1]).unlink()
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    assert "= 64" in mine.read_text() and (tmp_path / written[1]).exists()
