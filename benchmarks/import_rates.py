#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast `outcore import` is from end to end, and what bounds it.

    python3 benchmarks/import_rates.py build/release/outcore DIR [--mebibytes 512]

Makes random pairs and text in DIR and imports them: pairs with `--memory` an eighth of the input
(rate, peak resident set), text plain, as .gz and as .zst beside what gzip and zstd take to
decompress the same file to /dev/null. CPU seconds are given too: on a busy machine they say more
than the rates. Nothing else may use the device meanwhile.
"""

import argparse
import os
import random
import shutil
import subprocess
import time
from pathlib import Path


def measure(command: list[str], repeat: int = 3) -> tuple[float, float, float]:
    """Least wall seconds of `repeat` runs, with their CPU seconds and peak MiB."""
    best = (float("inf"), 0.0, 0.0)
    for _ in range(repeat):
        before = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - before
        if status != 0:
            raise SystemExit(f"{' '.join(command)} failed")
        best = min(best, (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    return best


def write_pairs(path: Path, size: int) -> None:
    """Random pairs below 2^23, 8 bytes each."""
    source = random.Random(1)
    block = 1 << 22
    with path.open("wb") as file:
        for _ in range(0, size, block):
            words = bytearray(source.randbytes(block))
            words[3::4] = bytes(block // 4)
            words[2::4] = bytes(byte & 0x7F for byte in words[2::4])
            file.write(words)


def write_text(path: Path, pairs: Path, size: int) -> None:
    """The first of the pairs as text."""
    written = 0
    with pairs.open("rb") as source, path.open("w") as file:
        while written < size and (block := source.read(1 << 20)):
            ids = memoryview(block).cast("I")
            text = "".join(f"{ids[i]} {ids[i + 1]}\n" for i in range(0, len(ids), 2))
            written += file.write(text)


def main() -> None:
    """Makes the files, measures, prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outcore", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mebibytes", type=int, default=512, help="of pairs; text is half")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    graph = folder / "import_rates_graph"
    pairs, text = folder / "import_rates.pairs32", folder / "import_rates.el"
    size = arguments.mebibytes << 20
    write_pairs(pairs, size)
    write_text(text, pairs, size // 2)
    subprocess.run(["gzip", "-kf1", text], check=True)
    subprocess.run(["zstd", "-qkf3", text], check=True)

    def imported(path: Path, megabytes: float, *options: str) -> float:
        words = [str(arguments.outcore), "import", str(path), str(graph), "--force", *options]
        wall, cpu, peak = measure(words)
        rate = megabytes / wall
        print(f"import {path.name}: {rate:.0f} MB/s, CPU {cpu:.2f} s, peak {peak:.0f} MiB")
        return rate

    imported(pairs, size / 1e6, "--memory", f"{size // 8}")
    plain = text.stat().st_size / 1e6
    imported(text, plain)
    for ending, tool in ((".gz", "gzip"), (".zst", "zstd")):
        packed = Path(f"{text}{ending}")
        wall, cpu, _ = measure([tool, "-dc", str(packed)])
        print(f"{tool} -dc: {plain / wall:.0f} MB/s of text, CPU {cpu:.2f} s")
        print(f"  ratio {imported(packed, plain) / (plain / wall):.2f}")
    for path in folder.glob("import_rates*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    main()
