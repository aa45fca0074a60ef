# SPDX-License-Identifier: Apache-2.0
"""One turn: what a program and all that it starts took, and that nothing of it is left running."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outcore_analysis.contest import limits, turn
from outcore_analysis.contest.faults import RightsError
from outcore_analysis.contest.turn import Limits

PYTHON = sys.executable
MIB = 1 << 20


def group_can_be_made() -> bool:
    group = limits.make_group(None)
    if group:
        group.remove()
    return group is not None


needs_group = pytest.mark.skipif(not group_can_be_made(), reason="no control group can be made")


def run_python(folder: Path, code: str, **within: float) -> turn.Turn:
    path = folder / "program.py"
    path.write_text(code)
    found = Limits(
        int(within["memory"]) if "memory" in within else None, within.get("seconds", 60.0)
    )
    return turn.run([PYTHON, str(path)], folder, found)


def alive(process: int) -> bool:
    """Tell whether it runs: one that ended and is not waited for does not."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_exit_output_and_time(tmp_path: Path) -> None:
    code = "import sys; print('to output'); print('to errors', file=sys.stderr); sys.exit(3)"
    ended = run_python(tmp_path, code)
    assert (ended.status, ended.exit_code) == ("failed", 3)
    assert ended.output == "to output\n"
    assert ended.reason("it") == "exit code 3: to errors"
    assert ended.ended.printed_bytes == 20
    assert ended.ended.wall_s > 0


def test_a_good_end_has_no_reason(tmp_path: Path) -> None:
    ended = run_python(tmp_path, "pass")
    assert (ended.status, ended.exit_code, ended.reason("it")) == ("ok", 0, "")


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a program")
    ended = turn.run([str(tmp_path / "data")], tmp_path)
    assert (ended.status, ended.exit_code) == ("failed", 127)
    assert "cannot be started: Permission denied" in ended.reason("data")


def test_a_signal_is_named(tmp_path: Path) -> None:
    ended = run_python(tmp_path, "import os; os.kill(os.getpid(), 11)")
    assert (ended.status, ended.exit_code) == ("killed", -11)
    assert ended.reason("it").startswith("ended by SIGSEGV")


def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    ended = run_python(tmp_path, "import time; time.sleep(1000)", seconds=0.3)
    assert (ended.status, ended.exit_code) == ("killed", -signal.SIGKILL)
    assert ended.reason("it") == "still running after 0.3 s"


def test_one_that_prints_without_end_is_ended(tmp_path: Path) -> None:
    ended = run_python(tmp_path, "while True: print('x' * 10000)")
    assert ended.status == "killed"
    assert "printed more than" in ended.reason("it")
    assert len(ended.output) == MIB, "only the beginning is kept"


PRINTS_A_GIGABYTE = """
for _ in range(1024):
    print('x' * ((1 << 20) - 1))
"""

# Who holds the race has no room for what a program prints: neither in files nor in memory.
HOLDS_IN_LITTLE_ROOM = f"""
import resource, sys
from pathlib import Path
from outcore_analysis.contest import turn
resource.setrlimit(resource.RLIMIT_FSIZE, (2 * {MIB}, 2 * {MIB}))
resource.setrlimit(resource.RLIMIT_DATA, (256 * {MIB}, 256 * {MIB}))
ended = turn.run([sys.executable, "prints.py"], Path(sys.argv[1]))
print(ended.status, ended.ended.printed_bytes >> 20, len(ended.output))
"""


def test_a_gigabyte_that_is_printed_takes_neither_memory_nor_disk(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text(PRINTS_A_GIGABYTE)
    (tmp_path / "holds.py").write_text(HOLDS_IN_LITTLE_ROOM)
    race = subprocess.run(
        [PYTHON, str(tmp_path / "holds.py"), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(turn.PACKAGES)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert race.returncode == 0, race.stderr
    status, printed, kept = race.stdout.split()
    assert status == "killed" and int(printed) < 1024, "it was ended before its end"
    assert int(kept) == MIB


def test_what_is_printed_beyond_what_is_kept_is_counted(tmp_path: Path) -> None:
    ended = run_python(tmp_path, f"print('x' * {5 * MIB - 1})")
    assert ended.status == "ok"
    assert ended.ended.printed_bytes == 5 * MIB
    assert len(ended.output) == MIB


def test_children_left_behind_are_ended_and_told(tmp_path: Path) -> None:
    code = """
import os, time
for _ in range(3):
    child = os.fork()
    if child == 0:
        os.setsid()
        grandchild = os.fork()
        with open("pids", "a") as file:
            file.write(f"{os.getpid()} ")
        time.sleep(1000)
while not os.path.exists("pids") or len(open("pids").read().split()) < 6:
    time.sleep(0.01)
"""
    ended = run_python(tmp_path, code)
    assert ended.status == "ok"
    assert ended.ended.left_behind == 6
    left = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert len(left) == 6
    assert not any(alive(process) for process in left)


def test_one_that_forks_and_forks_is_ended(tmp_path: Path) -> None:
    code = """
import os, time
for _ in range(5):
    os.fork()
with open("pids", "a") as file:
    file.write(f"{os.getpid()} ")
time.sleep(1000)
"""
    ended = run_python(tmp_path, code, seconds=1.0)
    assert ended.status == "killed"
    left = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert len(left) == 32
    assert not any(alive(process) for process in left)


FILLS = "room = bytearray({mib} << 20)\nroom[::4096] = b'x' * len(room[::4096])\n"

TWENTY_CHILDREN = """
import mmap, os, sys, time
mib = 1 << 20
room = mmap.mmap(-1, mib)
def work():
    file = os.open("data", os.O_RDONLY | os.O_DIRECT)
    os.readv(file, [room])
    until = time.process_time() + 0.02
    while time.process_time() < until:
        pass
for _ in range(10):  # ten that are waited for
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    os.waitpid(child, 0)
for _ in range(10):  # and ten whose parent has ended
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            work()
            open("done", "a").write("x")
        os._exit(0)
    os.waitpid(child, 0)
while not os.path.exists("done") or len(open("done").read()) < 10:
    time.sleep(0.005)
"""


def test_a_tree_of_twenty_children_is_counted_whole(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(MIB))
    os.sync()
    run_python(tmp_path, TWENTY_CHILDREN)  # the interpreter's own pages are in memory now
    (tmp_path / "done").unlink()
    ended = run_python(tmp_path, TWENTY_CHILDREN)
    assert ended.status == "ok", ended.errors
    assert 20 * MIB <= ended.ended.read_bytes <= 20.5 * MIB
    used = ended.ended.user_s + ended.ended.system_s
    assert used >= 20 * 0.02


@needs_group
def test_memory_of_twenty_children_is_counted_together(tmp_path: Path) -> None:
    code = f"""
import os, time
for _ in range(20):
    if os.fork() == 0:
        {FILLS.format(mib=4).replace(chr(10), chr(10) + "        ")}
        open("filled", "a").write("x")
        time.sleep(1000)
while not os.path.exists("filled") or len(open("filled").read()) < 20:
    time.sleep(0.01)
time.sleep(0.3)  # for the account, which is taken now and then
"""
    ended = run_python(tmp_path, code)
    assert (ended.status, ended.ended.left_behind) == ("ok", 20), ended.errors
    assert ended.ended.anonymous_bytes is not None and ended.peak_bytes is not None
    assert 80 * MIB <= ended.ended.anonymous_bytes <= ended.peak_bytes


def test_bytes_are_those_of_the_kernel_within_a_percent(tmp_path: Path) -> None:
    # So much that pages of the interpreter that had left memory are few beside it.
    (tmp_path / "data").write_bytes(bytes(64 * MIB))
    os.sync()
    code = """
import mmap, os
room = mmap.mmap(-1, 1 << 20)
file = os.open("data", os.O_RDONLY | os.O_DIRECT)
while os.readv(file, [room]):
    pass
print(dict(line.split(": ") for line in open("/proc/self/io").read().splitlines())["read_bytes"])
"""
    run_python(tmp_path, code)  # the interpreter's own pages are in memory now
    ended = run_python(tmp_path, code)
    own = int(ended.output)
    assert own >= 64 * MIB
    assert abs(ended.ended.read_bytes - own) <= 0.01 * own


@needs_group
def test_a_limit_ends_and_is_told(tmp_path: Path) -> None:
    ended = run_python(tmp_path, FILLS.format(mib=200), memory=64 * MIB)
    assert ended.status == "out_of_memory"
    assert ended.reason("it") == f"ended at its memory limit of {64 * MIB} bytes"
    assert ended.peak_bytes is not None and ended.peak_bytes <= 64 * MIB


@needs_group
def test_a_limit_is_of_all_together(tmp_path: Path) -> None:
    code = f"""
import os, sys, time
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        {FILLS.format(mib=20).replace(chr(10), chr(10) + "        ")}
        open("filled", "a").write("x")
        time.sleep(1000 if {{waits}} else 0.5)
        os._exit(0)
    children.append(child)
for child in children:
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(1)
"""
    ended = run_python(tmp_path, code.replace("{waits}", "False"), memory=64 * MIB)
    assert ended.status == "out_of_memory", "4 x 20 MiB are more than 64"
    ended = run_python(tmp_path, code.replace("{waits}", "False"), memory=160 * MIB)
    assert ended.status == "ok", ended.errors
    assert ended.ended.anonymous_bytes is not None
    assert 80 * MIB <= ended.ended.anonymous_bytes <= 160 * MIB


@needs_group
def test_page_cache_stands_apart(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(32 * MIB))
    os.sync()
    turn.drop_page_cache()
    code = "import time\ndata = open('data', 'rb')\nwhile data.read(1 << 20): pass\ntime.sleep(0.3)"
    ended = run_python(tmp_path, code)
    cached = ended.ended.page_cache_bytes
    assert ended.ended.anonymous_bytes is not None and cached is not None
    assert ended.ended.anonymous_bytes < 24 * MIB
    if ended.ended.read_bytes >= 32 * MIB:  # the cache could be dropped
        assert 32 * MIB <= cached <= 60 * MIB


@needs_group
def test_groups_are_removed(tmp_path: Path) -> None:
    group = limits.make_group(None)
    assert group is not None
    group.remove()
    run_python(tmp_path, "pass", memory=64 * MIB)
    mine = f"{limits.NAME}-{os.getpid()}-"
    assert [path for path in group.folder.parent.iterdir() if path.name.startswith(mine)] == []


def test_without_rights_a_limit_is_refused(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("proc /proc proc rw 0 0\n")
    assert limits.make_group(None, mounts) is None
    with pytest.raises(RightsError, match="no control group can be made here"):
        limits.make_group(64 * MIB, mounts)


def hierarchy(tmp_path: Path, version: int) -> Path:
    root = tmp_path / "cgroup"
    root.mkdir()
    (root / "cgroup.controllers").write_text("cpu memory\n")
    kind = "cgroup2 cgroup2 rw" if version == 2 else "cgroup cgroup rw,memory"
    kind, _, options = kind.partition(" ")
    mounts = tmp_path / "mounts"
    mounts.write_text(f"none {root} {kind} {options.split()[-1]} 0 0\n")
    return mounts


@pytest.mark.parametrize("version", [1, 2])
def test_a_folder_that_accounts_for_no_memory_is_no_group(tmp_path: Path, version: int) -> None:
    mounts = hierarchy(tmp_path, version)
    assert limits.make_group(None, mounts, tmp_path / "none") is None
    assert list((tmp_path / "cgroup").glob(f"{limits.NAME}*")) == []


def test_groups_of_races_that_were_ended_by_force_are_removed(tmp_path: Path) -> None:
    mounts = hierarchy(tmp_path, 2)
    root = tmp_path / "cgroup"
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = root / f"{limits.NAME}-{gone.pid}-1"
    in_use = root / f"{limits.NAME}-{gone.pid}-2"
    of_a_race = root / f"{limits.NAME}-{os.getpid()}-1"
    for folder in (left, in_use, of_a_race, root / "others"):
        folder.mkdir()
    (in_use / "cgroup.procs").write_text("1")  # not empty, so it cannot be removed
    assert limits.make_group(None, mounts, tmp_path / "none") is None
    assert not left.exists()
    assert in_use.exists() and of_a_race.exists() and (root / "others").exists()


def test_accounts_of_both_versions_are_read(tmp_path: Path) -> None:
    (tmp_path / "memory.stat").write_text("anon 5\nfile 7\ntotal_rss 11\ntotal_cache 13\n")
    (tmp_path / "memory.peak").write_text("17\n")
    (tmp_path / "memory.max_usage_in_bytes").write_text("19\n")
    (tmp_path / "memory.events").write_text("oom 1\noom_kill 0\n")
    (tmp_path / "memory.oom_control").write_text("oom_kill_disable 0\noom_kill 2\n")
    first, second = limits.Group(tmp_path, 1), limits.Group(tmp_path, 2)
    assert (first.usage(), first.peak()) == (limits.Usage(11, 13), 19)
    assert (second.usage(), second.peak()) == (limits.Usage(5, 7), 17)
    assert first.limit_ended_a_process() and not second.limit_ended_a_process()


def test_without_rights_the_start_is_warm(tmp_path: Path) -> None:
    assert turn.drop_page_cache(tmp_path / "no" / "drop_caches") == "warm"
    assert turn.drop_page_cache(tmp_path / "drop_caches") == "cold"


def test_what_stands_for_our_options_is_not_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCORE_MEMORY", "1M")
    ended = run_python(tmp_path, "import os; print(os.environ.get('OUTCORE_MEMORY'))")
    assert ended.output == "None\n"


WAITS = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
with open("pids", "a") as file:
    file.write(f"{os.getpid()} ")
time.sleep(1000)
"""

HOLDS = """
import sys
from pathlib import Path
from outcore_analysis.contest import turn
from outcore_analysis.contest.faults import InterruptedRaceError
try:
    turn.run([sys.executable, "waits.py"], Path(sys.argv[1]))
except InterruptedRaceError:
    sys.exit(130)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_ending_the_race_ends_what_runs(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "holds.py").write_text(HOLDS)
    race = subprocess.Popen(
        [PYTHON, str(tmp_path / "holds.py"), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(turn.PACKAGES)},
    )
    pids = tmp_path / "pids"
    while not pids.exists() or len(pids.read_text().split()) < 2:
        time.sleep(0.01)
        assert race.poll() is None
    race.send_signal(how)
    assert race.wait() == (130 if how == signal.SIGINT else -signal.SIGKILL)
    running = [int(word) for word in pids.read_text().split()]
    while any(alive(process) for process in running):
        time.sleep(0.01)  # the test hangs, and so fails, where one is left
