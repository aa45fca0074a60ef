# SPDX-License-Identifier: Apache-2.0
"""Our `uring` backend beside fio's io_uring engine: random direct reads of one file.

The two run in turn, n pairs, the order swapped from pair to pair, because a device that is shared
drifts: only the ratio within a pair says something. Prints each pair, the median ratio and a
bootstrap interval of the median, and exits with 1 when the interval reaches below --bar.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys


def ours(binary: str, file: str, size: str, depth: int, seconds: float, seed: int) -> float:
    """Requests a second of device_reads."""
    command = [binary, file, "--bytes", size, "--depth", str(depth), "--seconds", str(seconds)]
    command += ["--seed", str(seed)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = json.loads(output)
    if result["notes"]:
        raise SystemExit(f"not a like comparison: {result['notes']}")
    return float(result["requests_per_second"])


def fio(file: str, size: str, depth: int, seconds: float, seed: int) -> float:
    """Requests a second of fio with the same request size, depth and registrations."""
    command = ["fio", "--name=against", f"--filename={file}", "--ioengine=io_uring", "--direct=1"]
    command += ["--rw=randread", f"--bs={size}", f"--iodepth={depth}", "--registerfiles=1"]
    command += ["--fixedbufs=1", "--readonly", "--time_based", f"--runtime={seconds:g}s"]
    command += [f"--randseed={seed}", "--output-format=json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(output[output.index("{") :])["jobs"][0]["read"]["iops"])


def interval(ratios: list[float], draws: int = 10000) -> tuple[float, float]:
    """95% percentile bootstrap of the median."""
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(draws))
    return medians[int(0.025 * draws)], medians[int(0.975 * draws)]


def main() -> int:
    """Runs the pairs; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="build/bench/benchmarks/tools/device_reads")
    parser.add_argument("file", help="file of 2 GiB or more on the device in question")
    parser.add_argument("--sizes", nargs="+", default=["4k", "64k"])
    parser.add_argument("--depth", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--bar", type=float, default=0.95)
    options = parser.parse_args()

    reached = True
    for size in options.sizes:
        ratios = []
        for pair in range(options.pairs):
            how = (options.file, size, options.depth, options.seconds, pair + 1)
            if pair % 2 == 0:
                own, theirs = ours(options.binary, *how), fio(*how)
            else:
                theirs, own = fio(*how), ours(options.binary, *how)
            ratios.append(own / theirs)
            print(f"{size} pair {pair + 1}: ours {own:.0f}/s, fio {theirs:.0f}/s, {ratios[-1]:.3f}")
        low, high = interval(ratios)
        reached = reached and low >= options.bar
        print(
            f"{size} depth {options.depth}: median ratio {statistics.median(ratios):.3f}, "
            f"95% interval {low:.3f} to {high:.3f} (n = {options.pairs}, bar {options.bar})"
        )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
