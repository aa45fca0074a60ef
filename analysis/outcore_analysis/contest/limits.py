# SPDX-License-Identifier: Apache-2.0
"""One control group around a whole tree of processes: a limit of memory, and its account.

The kernel charges the group with everything that the tree causes, page cache included, and ends a
process in it that would go over the limit. A group is made for one turn, beside those of others
(version 1, or version 2 of the hierarchy), and is removed when it is empty.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from outcore_analysis.contest.faults import RightsError

NAME = "outcore-race"


@dataclass(frozen=True)
class Usage:
    """What the group holds now, in bytes."""

    anonymous: int
    page_cache: int


@dataclass(frozen=True)
class Group:
    """A control group: its folder, and the version of its hierarchy."""

    folder: Path
    version: int

    def enter(self, process: int) -> None:
        """Move a process into the group; what it starts from now on is in it too."""
        (self.folder / "cgroup.procs").write_text(str(process), encoding="ascii")

    def processes(self) -> list[int]:
        """Return all processes in the group."""
        return [int(word) for word in _read(self.folder / "cgroup.procs").split()]

    def usage(self) -> Usage:
        """Return how much memory is charged now, by kind."""
        numbers = _numbers(self.folder / "memory.stat")
        if self.version == 1:
            return Usage(numbers.get("total_rss", 0), numbers.get("total_cache", 0))
        return Usage(numbers.get("anon", 0), numbers.get("file", 0))

    def peak(self) -> int | None:
        """Return the most that was charged, page cache included; None: the kernel does not say."""
        name = "memory.max_usage_in_bytes" if self.version == 1 else "memory.peak"
        text = _read(self.folder / name).strip()
        return int(text) if text else None

    def limit_ended_a_process(self) -> bool:
        """Tell whether the kernel ended a process because of the limit."""
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        return _numbers(self.folder / name).get("oom_kill", 0) > 0

    def remove(self) -> None:
        """Remove the group, which must be empty; one that cannot be removed costs nothing."""
        try:
            self.folder.rmdir()
        except OSError:
            return


def make_group(
    limit: int | None,
    mounts: Path = Path("/proc/mounts"),
    own: Path = Path("/proc/self/cgroup"),
) -> Group | None:
    """Make a group with this limit in bytes.

    Without a limit, None is returned where no group can be made: then memory is not accounted for.
    With one that raises RightsError, because nothing else would bind for a whole tree.
    """
    for parent, version in _parents(mounts, own):
        _remove_left(parent)
        group = _make(parent, version, limit)
        if group is not None:
            return group
    if limit is None:
        return None
    raise RightsError(
        f"no control group can be made here, so no limit of {limit} bytes would hold for a program "
        "and all that it starts; race as root (or in a part of the tree of groups that you own), "
        "or leave out --memory"
    )


def _remove_left(parent: Path) -> None:
    """Remove groups of races that were ended by force; the kernel keeps those with processes."""
    for folder in parent.glob(f"{NAME}-*-*"):
        process = folder.name.removeprefix(f"{NAME}-").partition("-")[0]
        if not Path("/proc", process).exists():
            Group(folder, 0).remove()


def _make(parent: Path, version: int, limit: int | None) -> Group | None:
    if version == 2:  # may be switched on already, or not be ours to switch on
        _write(parent / "cgroup.subtree_control", "+memory")
    folder = parent / f"{NAME}-{os.getpid()}-{time.monotonic_ns()}"
    try:
        folder.mkdir()
    except OSError:
        return None
    group = Group(folder, version)
    name, swap = (
        ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        if version == 1
        else ("memory.max", "memory.swap.max")
    )
    accounts = (folder / name).exists()
    if accounts and limit is not None:
        accounts = _write(folder / name, str(limit))
        # Without this a program over its limit would go on slowly from swap space. The file is not
        # there where the kernel does not count swap.
        if (folder / swap).exists():
            _write(folder / swap, str(limit) if version == 1 else "0")
    if accounts:
        return group
    group.remove()
    return None


def _parents(mounts: Path, own: Path) -> Iterator[tuple[Path, int]]:
    """Yield where a group may be made: at the roots, then beside this process's own group."""
    for line in _read(mounts).splitlines():
        _, where, kind, options = line.split()[:4]
        place = Path(where)
        if kind == "cgroup" and "memory" in options.split(","):
            yield place, 1
        if kind == "cgroup2" and "memory" in _read(place / "cgroup.controllers").split():
            yield place, 2
            # A user may own a part of the tree. A group that holds processes cannot have limited
            # groups below it, so the new one is made beside it.
            for entry in _read(own).splitlines():
                if entry.startswith("0::/") and entry != "0::/":
                    yield (place / entry.removeprefix("0::/")).parent, 2


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _write(path: Path, text: str) -> bool:
    """Write to a file of the kernel's; it is not created where it is missing."""
    try:
        file = os.open(path, os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(file, text.encode("ascii"))
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def _numbers(path: Path) -> dict[str, int]:
    """Return the numbers of a file of lines `name number`."""
    pairs = (line.split() for line in _read(path).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}
