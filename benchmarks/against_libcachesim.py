#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `outcore cachesim` beside libCacheSim on the same traces, in turns.

    against_libcachesim.py OUTCORE TRACE... [--pairs 7] [--threads 1]

Needs libcachesim (PyPI; GPL, so in an environment of its own), which no other part of Outcore does.
Each answer must be the same; the ratio of times is ours over theirs, below 1 when we are faster:
its median over the pairs, and the 95% interval of the median by order statistics.

Both times include reading the trace: ours (`seconds` of the JSON) runs from opening our compressed
trace to the last result, theirs goes through the mapped oracleGeneral file that `outcore trace --to
oracle` writes, with the reader and the cache made before. Its hash table begins with room for the
units (hashpower), which is faster here than its default of 2^24 entries.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import libcachesim as lcs

POLICIES = {"lru": lcs.LRU, "opt": lcs.Belady, "fifo": lcs.FIFO, "clock": lcs.Clock}


def ours(
    binary: str, trace: str, policy: str, sizes: list[str], threads: int
) -> tuple[float, list[int]]:
    """Seconds, and the misses of each size."""
    command = [binary, "cachesim", trace, "--json", "--policy", policy, "--sizes", ",".join(sizes)]
    env = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    document = json.loads(done.stdout)
    return document["seconds"], [row["misses"] for row in document["rows"]]


def theirs(oracle: str, policy: str, facts: dict, sizes: list[int]) -> tuple[float, list[int]]:
    """The same, of one cache a size."""
    seconds, misses = 0.0, []
    for size in sizes:
        params = lcs.ReaderInitParam(ignore_obj_size=True)
        reader = lcs.TraceReader(oracle, lcs.TraceType.ORACLE_GENERAL_TRACE, params)
        cache = POLICIES[policy](size, hashpower=max(10, facts["distinct"].bit_length()))
        start = time.perf_counter()
        ratio, _ = cache.process_trace(reader)
        seconds += time.perf_counter() - start
        misses.append(round(ratio * facts["accesses"]))
    return seconds, misses


def main() -> int:
    """Prints a line for each trace, policy and number of sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outcore")
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="of ours; theirs is one")
    asked = parser.parse_args()
    slower = 0
    print(
        f"{'trace':<26}{'policy':<7}{'sizes':>5}{'ours M/s':>10}{'theirs M/s':>12}{'ratio':>8}"
        "  interval"
    )
    for trace in asked.traces:
        facts = json.loads(
            subprocess.check_output([asked.outcore, "trace", trace, "--json"], text=True)
        )
        with tempfile.TemporaryDirectory() as folder:
            oracle = str(Path(folder) / "t.oracleGeneral")
            subprocess.run([asked.outcore, "trace", trace, "--to", "oracle", oracle], check=True)
            for policy in POLICIES:
                for shares in ([0.1], [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]):
                    units = [max(1, int(share * facts["distinct"])) for share in shares]
                    sizes = [str(u * facts["unit_bytes"]) for u in units]
                    pairs = []
                    for _ in range(asked.pairs):
                        mine = ours(asked.outcore, trace, policy, sizes, asked.threads)
                        other = theirs(oracle, policy, facts, units)
                        if mine[1] != other[1]:
                            sys.exit(f"{trace}, {policy}: {mine[1]} misses, libCacheSim {other[1]}")
                        pairs.append((mine[0], other[0]))
                    ratios = sorted(a / b for a, b in pairs)
                    beyond = max(0, int(asked.pairs / 2 - 0.98 * asked.pairs**0.5))
                    slower += statistics.median(ratios) > 1
                    rate = [
                        facts["accesses"] * len(units) / statistics.median(times) / 1e6
                        for times in zip(*pairs, strict=True)
                    ]
                    print(
                        f"{Path(trace).name:<26}{policy:<7}{len(units):>5}{rate[0]:>10.1f}"
                        f"{rate[1]:>12.1f}{statistics.median(ratios):>8.3f}"
                        f"  {ratios[beyond]:.3f} to {ratios[-1 - beyond]:.3f}",
                        flush=True,
                    )
    return slower


if __name__ == "__main__":
    sys.exit(main())
