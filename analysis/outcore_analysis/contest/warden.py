# SPDX-License-Identifier: Apache-2.0
"""A process that runs one command and everything that it starts, measures it, and ends it.

It is a process of its own because it adopts orphans and waits for any child. It reads an `Order`
as JSON from standard input and writes an `Ended` to standard output. If its own parent ends, even
by kill -9, it ends the tree.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import signal
import struct
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

from outcore_analysis.contest import tree
from outcore_analysis.contest.limits import Group

KEPT = 1 << 20  # bytes of the beginning of each stream that are kept
MOST_PRINTED = 64 << 20  # bytes of both streams after which the program is ended
LEAST_LOOK, MOST_LOOK = 0.005, 0.1  # seconds between two looks at memory
LOOKS_A_RUN = 100  # a look takes some ten microseconds, so they are few where a run is long
PIPE = 1 << 16
BEFORE = struct.Struct("ddqq")  # user and system seconds, sectors read and written


@dataclass(frozen=True)
class Order:
    """What to run, and within what."""

    command: list[str]
    folder: str  # its working folder
    environment: dict[str, str]
    group: str | None  # folder of the control group
    group_version: int
    seconds: float | None  # after which it is ended
    output: str  # files for what it prints
    errors: str


@dataclass
class Ended:
    """How it ended, and what it took."""

    # exited, or ended by signal, late, printing (too much), interrupted; unstarted; immortal: it
    # could not be ended.
    how: str = "exited"
    code: int = 0  # of the exit, or the signal's number; of unstarted the errno
    wall_s: float = 0.0
    user_s: float = 0.0
    system_s: float = 0.0
    read_bytes: int = 0
    written_bytes: int = 0
    process_bytes: int = 0
    anonymous_bytes: int | None = None
    page_cache_bytes: int | None = None
    printed_bytes: int = 0
    left_behind: int = 0


@dataclass
class Stream:
    """A pipe from the program; its beginning is kept in a file, the rest is read and dropped."""

    pipe: int
    file: BinaryIO
    bytes: int = 0
    open: bool = True

    def take(self) -> None:
        """Read what is there."""
        try:
            found = os.read(self.pipe, PIPE)
        except BlockingIOError:
            return
        if not found:
            self.open = False
        self.file.write(found[: max(0, KEPT - self.bytes)])
        self.bytes += len(found)


@dataclass
class Warden:
    """One run of an order."""

    order: Order
    ended: Ended = field(default_factory=Ended)
    account: tree.Account = field(default_factory=tree.Account)
    interrupted: bool = False

    def run(self) -> Ended:
        """Run, measure, end everything."""
        tree.adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._interrupt)
        tree.end_with_parent(signal.SIGTERM)
        group = None
        if self.order.group is not None:
            group = Group(Path(self.order.group), self.order.group_version)
        self._run(group)
        if not tree.end_all(group, self.account):
            self.ended.how = "immortal"
        for name, value in asdict(self.account).items():
            setattr(self.ended, name, max(value, 0))
        return self.ended

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True

    def _run(self, group: Group | None) -> None:
        with (
            Path(self.order.output).open("wb") as output,
            Path(self.order.errors).open("wb") as errors,
        ):
            pipes = [os.pipe(), os.pipe()]
            started = Start(self.order, group, [write for _, write in pipes])
            for _, write in pipes:
                os.close(write)
            streams = [
                Stream(read, file) for (read, _), file in zip(pipes, (output, errors), strict=True)
            ]
            user, system, read, written = BEFORE.unpack(started.before)
            self.account = tree.Account(-user, -system, -read * tree.SECTOR, -written * tree.SECTOR)
            error = started.go()
            begin = time.monotonic()
            if error:
                self.ended.how, self.ended.code = "unstarted", error
                return
            self._watch(started.process, streams, group, begin)
            self._finish(started.process, streams, group)

    def _watch(
        self, process: int, streams: list[Stream], group: Group | None, begin: float
    ) -> None:
        """Wait until the program itself ends or has to be ended; meanwhile look at memory."""
        with selectors.DefaultSelector() as selector:
            end = os.pidfd_open(process)
            selector.register(end, selectors.EVENT_READ)
            for stream in streams:
                os.set_blocking(stream.pipe, False)
                selector.register(stream.pipe, selectors.EVENT_READ, stream)
            look = begin
            while True:
                now = time.monotonic()
                if now >= look:
                    self._look(group)
                    look = now + min(max(LEAST_LOOK, (now - begin) / LOOKS_A_RUN), MOST_LOOK)
                ready = {key.fd: key for key, _ in selector.select(max(0.0, look - now))}
                self.ended.wall_s = time.monotonic() - begin
                if end in ready:
                    break
                for key in ready.values():
                    key.data.take()
                    if not key.data.open:
                        selector.unregister(key.fd)
                if self._must_end(streams):
                    os.kill(process, signal.SIGKILL)
                    break
            os.close(end)

    def _must_end(self, streams: list[Stream]) -> bool:
        limit = self.order.seconds
        if self.interrupted:
            self.ended.how = "interrupted"
        elif limit is not None and self.ended.wall_s > limit:
            self.ended.how = "late"
        elif sum(stream.bytes for stream in streams) > MOST_PRINTED:
            self.ended.how = "printing"
        return self.ended.how != "exited"

    def _look(self, group: Group | None) -> None:
        if group is None:
            return
        usage = group.usage()
        self.ended.anonymous_bytes = max(self.ended.anonymous_bytes or 0, usage.anonymous)
        self.ended.page_cache_bytes = max(self.ended.page_cache_bytes or 0, usage.page_cache)

    def _finish(self, process: int, streams: list[Stream], group: Group | None) -> None:
        """Take what is left in the pipes, and count what the program left behind."""
        _, status = self.account.wait_for(process)
        if self.ended.how == "exited":
            if os.WIFSIGNALED(status):
                self.ended.how, self.ended.code = "signal", os.WTERMSIG(status)
            else:
                self.ended.code = os.WEXITSTATUS(status)
        self.ended.left_behind = len(tree.members(group))
        for stream in streams:
            before = -1
            while stream.open and stream.bytes != before and stream.bytes <= MOST_PRINTED:
                before = stream.bytes
                stream.take()
            self.ended.printed_bytes += stream.bytes
            os.close(stream.pipe)


class Start:
    """A process that is ready to become the program, and does when told to."""

    def __init__(self, order: Order, group: Group | None, writes: list[int]) -> None:
        """Fork; the child enters the group and waits."""
        ready_read, ready_write = os.pipe()
        self._go_read, self._go_write = os.pipe()
        self._failed_read, self._failed_write = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            error = 127
            try:
                self._become(order, group, writes, ready_write)
            except OSError as found:
                error = found.errno or 127
            finally:
                os.write(self._failed_write, bytes([min(error, 255)]))
                os._exit(127)
        os.close(ready_write)
        os.close(self._failed_write)
        os.close(self._go_read)
        # What the child took until now is not the program's.
        self.before = os.read(ready_read, BEFORE.size) or bytes(BEFORE.size)
        os.close(ready_read)

    def _become(self, order: Order, group: Group | None, writes: list[int], ready: int) -> None:
        # A session of its own: a Ctrl-C at the terminal is the warden's to pass on.
        os.setsid()
        tree.end_with_parent(signal.SIGKILL)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        if group is not None:
            group.enter(os.getpid())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(writes[0], 1)
        os.dup2(writes[1], 2)
        os.chdir(order.folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        os.write(ready, BEFORE.pack(used.ru_utime, used.ru_stime, used.ru_inblock, used.ru_oublock))
        os.close(self._go_write)
        if os.read(self._go_read, 1):
            os.execvpe(order.command[0], order.command, order.environment)

    def go(self) -> int:
        """Let it begin; return the errno with which that failed, or 0."""
        with contextlib.suppress(BrokenPipeError):  # it failed before; the reason follows
            os.write(self._go_write, b"g")
        failed = os.read(self._failed_read, 1)
        os.close(self._go_write)
        os.close(self._failed_read)
        return failed[0] if failed else 0


def main() -> None:
    """Read an order, carry it out, say how it ended."""
    order = Order(**json.load(sys.stdin))
    ended = Warden(order).run()
    with contextlib.suppress(BrokenPipeError):  # the race has ended
        print(json.dumps(asdict(ended)), flush=True)


if __name__ == "__main__":
    main()
