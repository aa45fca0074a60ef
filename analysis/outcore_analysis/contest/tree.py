# SPDX-License-Identifier: Apache-2.0
"""A process, everything that it starts, and their end.

The caller becomes the parent of processes whose own parent has ended, so that it can wait for all
of them, and the kernel's account of each reaches it: processor seconds, bytes read and written.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from outcore_analysis.contest.limits import Group

SECTOR = 512  # the unit of ru_inblock and ru_oublock
PATIENCE = 10.0  # seconds within which the kernel must end what it was told to end
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of all descendants that lose theirs."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent(how: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent ends, even by kill -9."""
    _prctl(_PR_SET_PDEATHSIG, int(how))


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


@dataclass
class Account:
    """What the kernel counted for the processes that ended."""

    user_s: float = 0.0
    system_s: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    process_bytes: int = 0  # the greatest resident set of one

    def wait_for(self, process: int, options: int = 0) -> tuple[int, int]:
        """Wait for a child, or for any (-1), and add it; return its id and status."""
        ended, status, used = os.wait4(process, options)
        if ended:
            self.user_s += used.ru_utime
            self.system_s += used.ru_stime
            self.read_bytes += used.ru_inblock * SECTOR
            self.written_bytes += used.ru_oublock * SECTOR
            self.process_bytes = max(self.process_bytes, used.ru_maxrss * 1024)
        return ended, status


def descendants(process: int) -> list[int]:
    """Return all processes below one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # "id (name) state parent ...": a name may contain blanks and parentheses.
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    waiting = [process]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def members(group: Group | None) -> set[int]:
    """Return the processes of the tree below this one, and those of the group."""
    return set(descendants(os.getpid())) | set(group.processes() if group else [])


def end_all(group: Group | None, account: Account) -> bool:
    """End every process of the tree; tell whether all are gone."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        left = members(group)
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while account.wait_for(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return True
        time.sleep(0.002)
    return not members(group)
