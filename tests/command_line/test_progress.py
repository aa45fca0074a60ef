# SPDX-License-Identifier: Apache-2.0
"""The line of progress: on terminals, after two seconds, and nowhere else."""

import os
import pty
import re
import signal
import subprocess

from .conftest import BINARY, ENDLESS_ROUNDS, TALKING, Runs


def read_until(terminal: int, pattern: bytes) -> bytes:
    """Return what the terminal shows until `pattern` appears, or everything has ended."""
    shown = b""
    while not re.search(pattern, shown):
        try:
            more = os.read(terminal, 4096)
        except OSError:  # nobody holds the other end any more
            break
        if not more:
            break
        shown += more
    return shown


def test_a_long_run_shows_its_progress_on_a_terminal_only(runs: Runs) -> None:
    words = runs.words(**ENDLESS_ROUNDS)
    terminal, other_end = pty.openpty()
    # The run without a terminal started first; it is checked when the other has shown its line.
    with (
        subprocess.Popen([BINARY, *words], stderr=subprocess.PIPE) as piped,
        subprocess.Popen(
            [BINARY, *words], stderr=other_end, env=TALKING | {"NO_COLOR": "1"}
        ) as process,
    ):
        os.close(other_end)
        try:
            shown = read_until(terminal, rb"pagerank on concurrent: \d+ s, \d+ rounds")
            assert b"\r\x1b[Kpagerank on concurrent: " in shown
            process.send_signal(signal.SIGINT)
            rest = read_until(terminal, rb"\n")
            assert b"\r\x1b[Koutcore: stopped by signal 2" in rest, "the line is wiped"
            piped.send_signal(signal.SIGINT)
            message = piped.communicate(timeout=60)[1]
            assert message == b"outcore: stopped by signal 2 (Interrupt)\n"
        finally:
            piped.kill()
            process.kill()
            os.close(terminal)


def test_a_short_run_shows_none(runs: Runs) -> None:
    terminal, other_end = pty.openpty()
    with subprocess.Popen([BINARY, *runs.words()], stderr=other_end) as process:
        os.close(other_end)
        assert read_until(terminal, rb"never") == b""
        assert process.wait(timeout=60) == 0
    os.close(terminal)
