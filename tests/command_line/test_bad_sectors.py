# SPDX-License-Identifier: Apache-2.0
"""A device that cannot read some of its sectors: what engines make of pages that do not come."""

import fcntl
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import Runs, outcore

BLOCK = 4096
BAD = 40  # the first block of the file that cannot be read
FIBMAP = 1  # linux/fs.h: which block of the device a block of a file is


def system(*words: object) -> None:
    """Run a command of the system; skip the test where it is missing or refused."""
    try:
        subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system on a loop device can be had: {error}")


def block_on_device(path: Path, block: int) -> int:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        found: int = struct.unpack("i", fcntl.ioctl(file, FIBMAP, struct.pack("i", block)))[0]
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return found


def unmount(mounted: Path) -> None:
    """Unmount; a process's rings let go of their files some time after it has ended."""
    for _ in range(100):
        if subprocess.run(["umount", mounted], capture_output=True).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(["umount", "--lazy", mounted], check=True)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """A graph whose blocks lie on a device that ends within them, which only reading shows."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts file systems")
    folder = tmp_path_factory.mktemp("sectors")
    graph, device, mounted = folder / "graph", folder / "device", folder / "mounted"
    outcore("generate", "kronecker", "--scale", 12, "--symmetric", graph)
    outcore("layout", graph, "--preset", "csr")
    with device.open("wb") as file:
        file.truncate(16 << 20)
    mounted.mkdir()
    system("mkfs.ext4", "-q", "-F", "-b", BLOCK, device)
    system("mount", "-o", "loop", device, mounted)
    try:
        blocks = graph / "layouts" / "csr" / "out.blocks"
        moved = Path(shutil.move(blocks, mounted))
        blocks.symlink_to(moved)
        end = block_on_device(moved, BAD)
        system("mount", "-o", "remount,ro", mounted)
        os.truncate(device, end * BLOCK)
        yield Runs(graph, folder)
    finally:
        unmount(mounted)


@pytest.mark.parametrize("residency", ["advised", "own", "kernel"])
@pytest.mark.parametrize("frames", ["64K", "64M"])
def test_a_bad_sector_ends_the_run(broken: Runs, residency: str, frames: str) -> None:
    record, message = broken.fail(
        4,
        engine=f"chunk_mmap:residency={residency}",
        layout="csr",
        workload="pagerank",
        frames=frames,
    )
    assert record["outcome"]["status"] == "failed"
    assert "out.blocks at offset " in message and "Input/output error (errno 5)" in message
    if residency != "own":
        assert "a mapped page cannot be read (a bad sector, " in message
    offset = int(message.split(" at offset ")[1].split(":")[0].split(" ")[0])
    assert offset >= BAD * BLOCK or residency == "own", "a request may begin before it"
