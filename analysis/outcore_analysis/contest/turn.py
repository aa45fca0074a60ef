# SPDX-License-Identifier: Apache-2.0
"""One turn of one contestant: cold pages, one limit around the whole tree, one account."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outcore_analysis.contest.faults import InterruptedRaceError, RaceError
from outcore_analysis.contest.limits import make_group
from outcore_analysis.contest.warden import Ended, Order

PACKAGES = Path(__file__).resolve().parents[2]
DROP = Path("/proc/sys/vm/drop_caches")
# How the reason begins of a turn that its limit of time ended: what it took is a lower bound.
LATE = "still running"


@dataclass(frozen=True)
class Limits:
    """Within what a command runs."""

    memory: int | None = None  # bytes of the whole tree, page cache included
    seconds: float | None = None


@dataclass(frozen=True)
class Turn:
    """How a command ended, what it took, and the beginning of what it printed."""

    ended: Ended
    output: str
    errors: str
    peak_bytes: int | None
    over_limit: bool
    limits: Limits

    @property
    def status(self) -> str:
        """Return the outcome's status, as in a record."""
        if self.over_limit and not self.went_well:
            return "out_of_memory"
        by_how = {"exited": "failed", "unstarted": "failed", "interrupted": "interrupted"}
        return "ok" if self.went_well else by_how.get(self.ended.how, "killed")

    @property
    def went_well(self) -> bool:
        """Tell whether it ended by itself with exit code 0."""
        return self.ended.how == "exited" and self.ended.code == 0

    @property
    def exit_code(self) -> int:
        """Return the exit code; minus the signal's number where a signal ended it."""
        if self.ended.how in ("exited", "unstarted"):
            return self.ended.code if self.ended.how == "exited" else 127
        return -self.ended.code if self.ended.how == "signal" else -int(signal.SIGKILL)

    def reason(self, program: str) -> str:
        """Say why it did not go well; empty where it did."""
        if self.went_well:
            return ""
        how, code = self.ended.how, self.ended.code
        if self.status == "out_of_memory":
            return f"ended at its memory limit of {self.limits.memory} bytes"
        said = {
            "exited": f"exit code {code}{self._last_words()}",
            "unstarted": f"{program} cannot be started: {os.strerror(code)}",
            "late": f"{LATE} after {self.limits.seconds:g} s" if self.limits.seconds else "",
            "printing": f"printed more than {self.ended.printed_bytes >> 20} MiB, and was ended",
            "interrupted": "interrupted",
            "immortal": "processes that it started cannot be ended",
        }
        if how == "signal":
            return f"ended by {signal.Signals(code).name}{self._last_words()}"
        return said[how]

    def _last_words(self) -> str:
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        return f": {lines[-1][:300]}" if lines else ""

    def raced(self) -> dict[str, Any]:
        """Return what the kernel said, as in a record."""
        e = self.ended
        return {
            "wall_s": e.wall_s,
            "user_s": e.user_s,
            "system_s": e.system_s,
            "read_bytes": e.read_bytes,
            "written_bytes": e.written_bytes,
            "memory": {
                "peak_bytes": self.peak_bytes,
                "anonymous_bytes": e.anonymous_bytes,
                "page_cache_bytes": e.page_cache_bytes,
                "process_bytes": e.process_bytes,
            },
            "printed_bytes": e.printed_bytes,
            "left_behind": e.left_behind,
        }


def drop_page_cache(file: Path = DROP) -> str:
    """Drop the page cache; return the temperature: warm where that is not ours to do."""
    os.sync()
    try:
        file.write_text("3", encoding="ascii")
    except OSError:
        return "warm"
    return "cold"


def run(
    command: Sequence[str],
    folder: Path,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
) -> Turn:
    """Run a command in a folder, within limits. Nothing that it starts is left running.

    Raises RightsError where a limit of memory cannot be set for a whole tree, and
    InterruptedRaceError after a Ctrl-C, when everything was ended.
    """
    limits = limits or Limits()
    group = make_group(limits.memory)
    try:
        with tempfile.TemporaryDirectory(prefix="outcore-turn-") as printed:
            order = Order(
                command=list(command),
                folder=str(folder),
                environment=plain_environment() | dict(environment or {}),
                group=str(group.folder) if group else None,
                group_version=group.version if group else 0,
                seconds=limits.seconds,
                output=f"{printed}/output",
                errors=f"{printed}/errors",
            )
            ended = _watched(order)
            return Turn(
                ended,
                _text(order.output),
                _text(order.errors),
                group.peak() if group else None,
                group.limit_ended_a_process() if group else False,
                limits,
            )
    finally:
        if group:
            group.remove()


def plain_environment() -> dict[str, str]:
    """Return the environment without what stands for options of ours there."""
    rest = {name: value for name, value in os.environ.items() if not name.startswith("OUTCORE_")}
    return rest | {"OUTCORE_QUIET": "1"}


def _watched(order: Order) -> Ended:
    """Have a warden carry out the order."""
    warden = subprocess.Popen(
        [sys.executable, "-m", "outcore_analysis.contest.warden"],
        env=os.environ | {"PYTHONPATH": str(PACKAGES)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    words = json.dumps(asdict(order))
    try:
        said, _ = warden.communicate(words)
    except KeyboardInterrupt:
        # It may have had the Ctrl-C too; a second signal does no harm.
        warden.send_signal(signal.SIGTERM)
        warden.wait()
        raise InterruptedRaceError("interrupted; everything that ran was ended") from None
    if warden.returncode != 0:
        raise RaceError(f"the process that watches a turn ended with {warden.returncode}")
    ended = Ended(**json.loads(said))
    if ended.how == "interrupted":
        raise InterruptedRaceError("interrupted; everything that ran was ended")
    if ended.how == "immortal":
        raise RaceError(f"what {order.command[0]} started cannot be ended; the race stops here")
    return ended


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8", errors="replace")
