# SPDX-License-Identifier: Apache-2.0
"""Files at paths that the user gives: an existing file is replaced only if it is of that kind."""

import os
import resource
import shutil
import stat
from pathlib import Path

import pytest

from .conftest import Runs, outcore, read_record


@pytest.fixture
def trace(runs: Runs) -> Path:
    """An access trace."""
    path = runs.folder / "run.oct"
    runs.run(trace=path)
    return path


@pytest.fixture
def own(kronecker: Path, tmp_path: Path) -> Runs:
    """Runs of a graph that belongs to the test, because a mistake would destroy it."""
    shutil.copytree(kronecker, tmp_path / "graph")
    return Runs(tmp_path / "graph", tmp_path)


def writers(runs: Runs, trace: Path, path: Path) -> dict[str, list[str]]:
    """Return the command lines that write a file at `path`."""
    return {
        **{option: runs.words(**{"record": None, option: path}) for option in RUN_OPTIONS},
        "csv": ["trace", str(trace), "--to", "csv", str(path)],
        "oracle": ["trace", str(trace), "--to", "oracle", str(path)],
        "export": ["export", str(runs.graph), str(path), "--format", "el", "--force"],
        "probe": ["probe", str(runs.folder), "--seconds", "3", "--output", str(path)],
    }


RUN_OPTIONS = ["record", "output", "trace", "events"]
WRITERS = [*RUN_OPTIONS, "csv", "oracle", "export", "probe"]


def refused(words: list[str], *parts: str) -> None:
    done = outcore(*words, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stdout == "", "nothing was begun"
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize("writer", WRITERS)
def test_pipes_are_not_replaced(runs: Runs, trace: Path, writer: str) -> None:
    pipe, link = runs.folder / "pipe", runs.folder / "link"
    os.mkfifo(pipe)
    link.symlink_to("/proc/self/fd/1")  # here a pipe too
    for path in (pipe, link):
        before = path.lstat()
        refused(writers(runs, trace, path)[writer], f"{path} is a pipe", "the name of a file")
        assert (path.lstat().st_mode, path.lstat().st_ino) == (before.st_mode, before.st_ino)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
@pytest.mark.parametrize("writer", WRITERS)
def test_devices_are_not_replaced(runs: Runs, trace: Path, writer: str) -> None:
    """A graph that belongs to the test: a mistake would destroy it."""
    device = runs.folder / "device"
    os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 7))
    refused(writers(runs, trace, device)[writer], f"{device} is a device")
    assert stat.S_ISCHR(device.lstat().st_mode)


@pytest.mark.parametrize("writer", [name for name in WRITERS if name != "probe"])
def test_links_to_files_are_followed(runs: Runs, trace: Path, writer: str) -> None:
    file, link = runs.folder / "file", runs.folder / "link"
    file.write_text("old")
    link.symlink_to("file")
    outcore(*writers(runs, trace, link)[writer])
    assert link.is_symlink() and not file.is_symlink()
    assert file.read_bytes() != b"old"
    assert [path.name for path in runs.folder.iterdir() if "pending" in path.name] == []


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize(
    "part", ["graph.json", "out.targets", "ids", "layouts/firstfit/out.blocks", "layouts/new/x"]
)
def test_files_of_a_graph_are_not_replaced(own: Runs, trace: Path, writer: str, part: str) -> None:
    path = own.graph / part
    before = path.read_bytes() if path.exists() else None
    refused(writers(own, trace, path)[writer], f"{path}: that is part of the graph {own.graph}")
    assert (path.read_bytes() if path.exists() else None) == before
    assert not (own.graph / "layouts" / "new").exists()


def test_files_of_a_graph_are_known_behind_links_and_dots(own: Runs) -> None:
    link, folder = own.folder / "link", own.folder / "folder"
    link.symlink_to(own.graph / "graph.json")
    folder.symlink_to(own.graph)
    for path in (link, folder / "graph.json", own.graph / "layouts" / ".." / "graph.json"):
        refused(own.words(record=path), "part of the graph")
    outcore("check", own.graph)


def test_other_files_may_lie_in_the_folder_of_a_graph(own: Runs) -> None:
    record = own.graph / "my-record.json"
    outcore(*own.words(record=record))
    assert read_record(record)["outcome"]["status"] == "ok"


@pytest.mark.parametrize(
    ("one", "other"),
    [("output", "record"), ("trace", "record"), ("output", "trace"), ("events", "trace")],
)
def test_one_path_is_not_given_twice(runs: Runs, one: str, other: str) -> None:
    (runs.folder / "link").symlink_to("x")
    for again in ("x", "./x", "link"):
        paths = {one: f"{runs.folder}/x", other: f"{runs.folder}/{again}"}
        refused(runs.words(**{"record": None, **paths}), "both name", f"--{one}", f"--{other}")
        assert not (runs.folder / "x").exists()


@pytest.mark.parametrize("form", ["csv", "oracle"])
def test_a_trace_is_not_converted_into_itself(trace: Path, form: str) -> None:
    before = trace.read_bytes()
    refused(["trace", str(trace), "--to", form, str(trace)], "that is the trace itself")
    assert trace.read_bytes() == before


@pytest.mark.parametrize("option", RUN_OPTIONS)
def test_a_folder_that_takes_no_file_is_told_before_the_run(runs: Runs, option: str) -> None:
    words = runs.words(**{"record": runs.folder / "record.json", option: "/proc/no-such.file"})
    done = outcore(*words, check=False)
    assert done.returncode == 4, done.stderr
    assert "/proc/no-such.file" in done.stderr and "cannot create" in done.stderr
    assert not (runs.folder / "record.json").exists(), "nothing ran"


@pytest.mark.parametrize("option", RUN_OPTIONS)
def test_no_room_for_a_file_leaves_nothing(
    runs: Runs, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    path = runs.folder / "file"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        done = outcore(*runs.words(**{"record": None, option: path}), check=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.returncode == 4, done.stderr
    assert "File too large" in done.stderr
    assert list(runs.folder.iterdir()) == []


def test_a_run_without_a_record_leaves_no_temporary_one(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    outcore(*runs.words(record=None))
    outcore(*runs.words(record=None, backend="fault", fault="eio@0"), check=False)
    assert list(folder.iterdir()) == []
