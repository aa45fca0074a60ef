# SPDX-License-Identifier: Apache-2.0
"""outcore run --watch: a picture on a terminal, which is given back however the run ends."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from .conftest import BINARY, ENDLESS_ROUNDS, TALKING, Runs
from .test_progress import read_until

ENTERS = b"\x1b[?1049h\x1b[?25l"
LEAVES = b"\x1b[?25h\x1b[?1049l"


def watched(
    words: list[str], rows: int = 24, columns: int = 80, **environment: str
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a run with --watch on a terminal of that size; return it and the terminal."""
    terminal, other_end = pty.openpty()
    fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [BINARY, *words, "--watch"],
        stdout=subprocess.PIPE,
        stderr=other_end,
        env=TALKING | {"TERM": "xterm"} | environment,
        # As a shell does: a process of a group that has no parent in another is never stopped.
        process_group=0,
    )
    os.close(other_end)
    return process, terminal


def frames_of(shown: bytes) -> list[list[str]]:
    """Return the pictures that were drawn whole, as lines of text."""
    parts = shown.split(b"\x1b[H")[1:]
    whole = [part.split(b"\x1b[J")[0] for part in parts if b"\x1b[J" in part]
    return [re.sub(r"\x1b\[[\d;]*[mK]|\r", "", frame.decode()).split("\n") for frame in whole]


def test_a_run_is_drawn_in_24_lines_and_interrupted(runs: Runs) -> None:
    process, terminal = watched(runs.words(**ENDLESS_ROUNDS))
    try:
        shown = read_until(terminal, rb"round [1-9][\d,]*, frontier(.|\n)*\x1b\[J")
        process.send_signal(signal.SIGINT)
        shown += read_until(terminal, rb"stopped by signal 2")
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        os.close(terminal)
    assert shown.count(ENTERS) == 1
    assert shown.count(LEAVES) == 1
    assert shown.index(LEAVES) > shown.rindex(b"\x1b[H"), "nothing is drawn any more"
    frame = frames_of(shown)[-1]
    assert 10 < len(frame) <= 24
    assert all(len(line) <= 80 for line in frame)
    assert frame[0].startswith("pagerank on concurrent, ")
    text = "\n".join(frame)
    for part in ("blocks of 4.0 KiB", "requests in flight: ", "read in a second: ", "frontier of"):
        assert part in text
    assert b"\x1b[32m" in shown or b"\x1b[93m" in shown, "in colours"


def state_of(process: subprocess.Popen[bytes]) -> str:
    """Wait until the process is stopped or has ended."""
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    return "stopped" if os.WIFSTOPPED(status) else "ended"


def test_while_it_is_stopped_the_terminal_is_the_shells(runs: Runs) -> None:
    process, terminal = watched(runs.words(**ENDLESS_ROUNDS))
    try:
        shown = read_until(terminal, rb"round [1-9][\d,]*, frontier(.|\n)*\x1b\[J")
        os.killpg(process.pid, signal.SIGTSTP)
        assert state_of(process) == "stopped"
        shown += read_until(terminal, re.escape(LEAVES))
        assert shown.endswith(LEAVES), "the shell waits for a process that stops last"
        os.killpg(process.pid, signal.SIGCONT)
        again = read_until(terminal, rb"frontier(.|\n)*\x1b\[J")
        assert again.startswith(ENTERS)
        assert len(frames_of(again)[0]) > 10, "drawn whole"
        os.killpg(process.pid, signal.SIGTSTP)
        assert state_of(process) == "stopped"
        os.killpg(process.pid, signal.SIGINT)
        os.killpg(process.pid, signal.SIGCONT)
        again += read_until(terminal, rb"stopped by signal 2")
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        os.close(terminal)
    assert again.count(ENTERS) == again.count(LEAVES)


def test_a_window_that_becomes_smaller_shows_what_it_has_rows_for(runs: Runs) -> None:
    process, terminal = watched(runs.words(**ENDLESS_ROUNDS))
    try:
        read_until(terminal, rb"\x1b\[J")
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 9, 40, 0, 0))
        frames: list[list[str]] = []
        while not frames or len(frames[-1]) > 9:
            frames = frames_of(read_until(terminal, rb"\x1b\[H(.|\n)*\x1b\[J"))
        assert len(frames[-1]) == 9
        assert frames[-1][0].startswith("pagerank on concurrent, ")
    finally:
        process.kill()
        process.wait(timeout=60)
        os.close(terminal)


def test_a_run_that_fails_gives_the_terminal_back_and_says_why(runs: Runs) -> None:
    words = runs.words(backend="fault", fault="eio@3", threads=1, record=None)
    process, terminal = watched(words)
    shown = read_until(terminal, b"never")
    assert process.wait(timeout=60) == 4
    os.close(terminal)
    assert shown.count(ENTERS) == shown.count(LEAVES) == 1
    assert b"outcore:" in shown.split(LEAVES)[1]


def test_at_its_end_the_last_picture_stays_and_says_what_the_record_says(runs: Runs) -> None:
    record = runs.folder / "watched.json"
    process, terminal = watched(
        runs.words(backend="fault", fault="delay:100", record=record), NO_COLOR="1"
    )
    shown = read_until(terminal, b"never")
    assert process.wait(timeout=60) == 0
    os.close(terminal)
    assert shown.count(ENTERS) == shown.count(LEAVES) == 1
    last = shown.split(LEAVES)[1].decode()
    assert "\x1b" not in last
    counted = json.loads(record.read_text())
    assert f"; {counted['work']['edges_processed']:,} edges" in last
    rounds = counted["work"]["rounds"]
    assert f"round {rounds}, frontier {counted['rounds'][-1]['frontier']:,}" in last


def test_events_are_recorded_while_it_is_watched(runs: Runs) -> None:
    events = runs.folder / "watched.events"
    process, terminal = watched(runs.words(events=events, record=None))
    read_until(terminal, b"never")
    assert process.wait(timeout=60) == 0
    os.close(terminal)
    told = subprocess.run(
        [BINARY, "trace", events, "--json"], check=True, capture_output=True, text=True
    )
    assert json.loads(told.stdout)["end"]["status"] == "ok"


@pytest.mark.parametrize(
    ("rows", "columns", "kind"), [(23, 80, "xterm"), (24, 63, "xterm"), (24, 80, "dumb")]
)
def test_without_room_there_is_the_line_of_progress(
    runs: Runs, rows: int, columns: int, kind: str
) -> None:
    process, terminal = watched(runs.words(**ENDLESS_ROUNDS), rows, columns, TERM=kind)
    try:
        shown = read_until(terminal, rb"pagerank on concurrent: \d+ s, \d+ rounds")
        assert ENTERS not in shown
        assert b"\r\x1b[Kpagerank on concurrent: " in shown
    finally:
        process.kill()
        process.wait(timeout=60)
        os.close(terminal)


def test_without_a_terminal_nothing_is_drawn(runs: Runs, tmp_path: Path) -> None:
    said = tmp_path / "stderr"
    with said.open("wb") as stderr:
        words = [BINARY, *runs.words(), "--watch"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=stderr)
    assert b"\x1b" not in said.read_bytes()
