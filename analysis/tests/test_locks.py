# SPDX-License-Identifier: Apache-2.0
"""Locks: one holder, children hold on, nothing to clean up."""

import subprocess
from pathlib import Path

import pytest

from outcore_analysis.locks import TakenError, held, take


def test_second_taker_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "folder/lock"
    with held(path), pytest.raises(TakenError):
        take(path, wait=False)
    with held(path):
        pass


def test_child_holds_on_after_its_parent_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with held(path) as inherited:
        child = subprocess.Popen(["sleep", "60"], pass_fds=inherited)
    with pytest.raises(TakenError):
        take(path, wait=False)
    child.kill()
    child.wait()
    with held(path):
        pass


def test_no_lock_is_no_lock() -> None:
    with held(None) as inherited:
        assert inherited == ()
