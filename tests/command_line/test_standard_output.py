# SPDX-License-Identifier: Apache-2.0
"""What is printed reaches its reader, or the exit code says that it did not."""

import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path
from typing import IO, Any

import pytest

from .conftest import BINARY, Runs


@pytest.fixture
def full_device(tmp_path: Path) -> Path:
    """A device that belongs to the test, on which nothing can be written."""
    path = tmp_path / "full"
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 7))
        with path.open("rb"):
            return path
    except PermissionError:
        pytest.skip("no devices can be made here")


def command_lines(runs: Runs) -> dict[str, list[str]]:
    """Verbs that print little, which stays in a buffer until the end, and verbs that print much."""
    return {
        "run": runs.words(record=None),
        "gap": runs.words(record=None, gap_output=True),
        "json": runs.words(record=None, json=True),
        "inspect": ["inspect", str(runs.graph)],
        "check": ["check", str(runs.graph)],
        "list": ["list"],
        "help": ["--help"],
        "version": ["--version"],
        "help of a verb": ["run", "--help"],
    }


NAMES = ["run", "gap", "json", "inspect", "check", "list", "help", "version", "help of a verb"]


def printing_to(
    output: IO[str] | int, *words: str | Path, **how: Any
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BINARY, *words],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
        **how,
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_full_device_is_told(runs: Runs, full_device: Path, name: str) -> None:
    with full_device.open("w") as full:
        done = printing_to(full, *command_lines(runs)[name])
    assert done.returncode == 4, done.stderr
    assert done.stderr.startswith("outcore: standard output could not be written")
    assert done.stderr.count("\n") == 1


def test_a_failure_is_told_before_that_of_its_output(runs: Runs, full_device: Path) -> None:
    """The graph is broken: this is what matters, and the exit code is the one for it."""
    broken = runs.folder / "broken"
    shutil.copytree(runs.graph, broken)
    os.truncate(broken / "layouts" / "csr" / "out.blocks", 4096)
    with full_device.open("w") as full:
        done = printing_to(full, "check", broken)  # it prints first, and then finds the fault
    assert done.returncode == 3, done.stderr
    assert "out.blocks: found 4096 bytes" in done.stderr and done.stderr.count("\n") == 1


def test_a_full_standard_error_leaves_the_exit_code(full_device: Path) -> None:
    with full_device.open("w") as full:
        done = subprocess.run([BINARY, "lst"], stderr=full, timeout=120, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("handed_down", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_closed_pipe_ends_it_quietly(runs: Runs, name: str, handed_down: signal.Handlers) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = printing_to(
        writer,
        *command_lines(runs)[name],
        restore_signals=False,
        preexec_fn=lambda: signal.signal(signal.SIGPIPE, handed_down),
    )
    os.close(writer)
    assert done.returncode == -signal.SIGPIPE
    assert done.stderr == ""
