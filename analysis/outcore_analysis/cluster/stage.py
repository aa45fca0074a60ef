# SPDX-License-Identifier: Apache-2.0
"""A graph and one of its layouts, copied to a node's own disk.

A stage folder holds

    sweep.json                   the folder of records of the sweep that uses it
    .disk.lock                   held while something is copied or timed
    <hash>/<graph>/              a container with the layouts that were needed
    <hash>/<graph>.<hash>.whole  says that these files are here and were checked by their seals

A hash is of the names, sizes and times of the files that were copied, so a graph or a layout that
is made anew is copied anew.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outcore_analysis.locks import held
from outcore_analysis.prepare import StepError, run_binary

Json = dict[str, Any]
OWNER = "sweep.json"


def disk_lock(stage: Path) -> Path:
    """Return the lock of the disk on which the stage folder is."""
    return stage / ".disk.lock"


def staged(
    container: Path, layout: str, stage: Path, results: Path, node: str, binary: str
) -> tuple[Path, int]:
    """Return where the copy of a container on this node is, and how many bytes were copied now.

    Args:
        container: a graph's folder, of which `layout` is used, or a stream or a store in one.
        layout: the layout's name.
        stage: a folder on the node's own disk.
        results: the folder of the sweep's records, by which the sweep is known.
        node: the node's name, for errors.
        binary: outcore, which checks seals.
    """
    graph = container if (container / "graph.json").is_file() else container.parent.parent
    used = graph / "layouts" / layout if container == graph else container
    parts = [_own_files(graph), _files(used)]
    with _refusing(node, stage):
        stage.mkdir(parents=True, exist_ok=True)
        with held(disk_lock(stage)):
            _own(stage, results, node)
            home = stage / _hash(graph, parts[0]) / graph.name
            marks = [home.with_name(f"{graph.name}.{_hash(graph, part)}.whole") for part in parts]
            wanted = [
                file
                for part, mark in zip(parts, marks, strict=True)
                if not mark.exists()
                for file in part
            ]
            copied = _copy(graph, wanted, home, node, stage)
            if wanted:
                _check(graph, used, home, binary, node)
            for mark in marks:
                mark.touch()
    return home / container.relative_to(graph), copied


def remove(stage: Path, results: Path) -> bool:
    """Remove what this sweep staged; return whether there was anything."""
    if _owner(stage) != str(results.resolve()):
        return False
    shutil.rmtree(stage)
    return True


def remove_everywhere(
    stage: str, results: str, nodes: tuple[str, ...], run: Callable[..., Any] = subprocess.run
) -> list[str]:
    """Remove the stage folders of the nodes by a small job each; return what could not be."""
    failed = []
    step = [sys.executable, "-m", "outcore_analysis", "unstage"]
    step += ["--stage", stage, "--results", results]
    for node in nodes:
        done = run(
            ["srun", f"--nodelist={node}", "--nodes=1", "--ntasks=1", *step],
            env=os.environ | {"PYTHONPATH": "analysis"},
            check=False,
        )
        if done.returncode:
            failed.append(f"{node}: {stage} is still there: srun ended with {done.returncode}")
    return failed


def _own_files(graph: Path) -> list[Path]:
    """Return graph.json and the files that it names."""
    named = json.loads((graph / "graph.json").read_text(encoding="utf-8")).get("files", {})
    return [graph / "graph.json", *(graph / name for name in sorted(named))]


def _files(part: Path) -> list[Path]:
    return [part] if part.is_file() else sorted(p for p in part.rglob("*") if p.is_file())


def _hash(graph: Path, files: list[Path]) -> str:
    facts = [(str(f.relative_to(graph)), f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


def _owner(stage: Path) -> str | None:
    owner = stage / OWNER
    if not owner.is_file():
        return None
    return str(json.loads(owner.read_text(encoding="utf-8"))["results"])


def _own(stage: Path, results: Path, node: str) -> None:
    """Take the folder for this sweep; another sweep would remove its files at its end."""
    mine, owner = str(results.resolve()), _owner(stage)
    if owner is None:
        (stage / OWNER).write_text(json.dumps({"results": mine}) + "\n", encoding="utf-8")
    elif owner != mine:
        raise StepError(
            f"{node}: {stage} is the stage folder of another sweep, whose records are in {owner}: "
            "name another folder, or remove it if that sweep has ended"
        )


def _copy(graph: Path, files: list[Path], home: Path, node: str, stage: Path) -> int:
    """Copy files of a graph; return their bytes."""
    size = sum(file.stat().st_size for file in files)
    free = shutil.disk_usage(stage).free
    if size > free:
        raise StepError(
            f"{node}: {stage}: {size} bytes of {graph.name} could not be staged: {free} are free"
        )
    for file in files:
        target = home / file.relative_to(graph)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(file, target)
            _drop(target)
        except OSError as error:
            raise StepError(
                f"{node}: {target}: {size} bytes of {graph.name} could not be staged: "
                f"{error.strerror}"
            ) from error
    return size


def _drop(path: Path) -> None:
    """Put a copy on the disk and out of memory, so that the first run does not find it there."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _check(graph: Path, used: Path, home: Path, binary: str, node: str) -> None:
    """Check seals where there are some; a stream has none, so its bytes are compared."""
    copy = home / used.relative_to(graph)
    try:
        if used.is_file():
            if not filecmp.cmp(used, copy, shallow=False):
                raise StepError(f"{copy}: it differs from {used}")
        else:
            run_binary([binary, "check", str(copy if used.parent.name == "stores" else home)])
    except StepError as error:
        shutil.rmtree(home)
        raise StepError(f"{node}: what was staged is damaged: {error}") from error
    for file in _files(home):
        _drop(file)


@contextmanager
def _refusing(node: str, stage: Path) -> Iterator[None]:
    """Say of which node an error of its file system is."""
    try:
        yield
    except OSError as error:
        raise StepError(f"{node}: {stage}: nothing can be staged: {error.strerror}") from error
