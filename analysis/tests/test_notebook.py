# SPDX-License-Identifier: Apache-2.0
"""The notebook that teaches the tables runs from its first to its last cell."""

import jupytext
import pytest
from nbclient import NotebookClient

from workbench import ROOT, Workbench


def test_notebook_runs(finished: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTCORE_RESULTS", finished.config["results_folder"])
    notebook = jupytext.read(ROOT / "analysis/notebooks/records.py")
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    outputs = [
        output.get("text") or output["data"]["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    text = "\n".join(outputs)
    assert "3 trials" in text
    assert "concurrent / in_memory" in text
    assert "wins, " in text and "The reason is" in text
    # A plot in each section.
    sections = sum("## " in cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    plots = [
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert len(plots) == sections
    # The campaign has two graphs, and no number is of both.
    for graph in ("kron", "square"):
        assert f"{graph} bfs concurrent 0." in text
        assert f"{graph} bfs: " in text
