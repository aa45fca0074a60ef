# SPDX-License-Identifier: Apache-2.0
"""Layouts over several disks at the command line: built, checked, inspected, run, refused."""

from pathlib import Path

import pytest

from .conftest import Runs, outcore


@pytest.fixture
def disks(tmp_path: Path) -> str:
    """Two folders, as --disks takes them."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    return f"{tmp_path / 'a'},{tmp_path / 'b'}"


def test_a_striped_layout_is_checked_inspected_and_run(tmp_path: Path, disks: str) -> None:
    graph = tmp_path / "graph"
    outcore("generate", "kronecker", "--scale", 12, "--symmetric", graph)
    outcore("layout", graph, "--preset", "csr")
    made = ("layout", graph, "--preset", "csr", "--disks", disks, "--stripe", "4K")
    assert Path(outcore(*made).stdout.strip()).name == "csr-disks2"
    outcore("check", graph)
    assert "csr-disks2" in outcore("inspect", graph).stdout
    runs = Runs(graph, tmp_path)
    one = runs.run(engine="binning", workload="wcc", layout="csr")
    two = runs.run(engine="binning", workload="wcc", layout="csr-disks2")
    assert two["answer"]["digest"] == one["answer"]["digest"]
    assert two["io"]["requested_bytes"] == one["io"]["requested_bytes"]
    assert "requests_by_stripe" not in one["io"]
    by_stripe = two["io"]["requests_by_stripe"]
    assert sum(by_stripe) == two["io"]["requests"] > one["io"]["requests"]
    assert min(by_stripe) > sum(by_stripe) / 3
    for stripe in Path(disks.split(",")[1]).iterdir():
        stripe.unlink()
    said = outcore("check", graph, check=False)
    assert said.returncode == 3
    assert "mount its disk, or build the layout again" in said.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--disks", "0"], "expected 1 to 64 disks"),
        (["--disks", "/none"], "'/none' is not a folder"),
        (["--disks", "2", "--stripe", "1000"], "whole blocks, such as 64K"),
        (["--disks", "2", "--pack", "grid"], "a pack of lists can be striped"),
    ],
)
def test_disks_that_cannot_be_are_refused(kronecker: Path, words: list[str], message: str) -> None:
    said = outcore("layout", kronecker, "--name", "none", *words, check=False)
    assert said.returncode == 2
    assert message in said.stderr
