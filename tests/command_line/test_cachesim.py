# SPDX-License-Identifier: Apache-2.0
"""`outcore cachesim` against the rules of its policies, each programmed a second time.

Hypothesis makes the traces; one process answers many of them.
"""

import json
import struct
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import outcore
from .traces import Rounds, write_trace

Reference = Callable[[list[int], int], int]  # accesses, slots: misses
NAMES = ["opt", "lru", "clock", "fifo", "s3fifo", "arc"]
SIZES = [1, 2, 3, 5, 8, 12]


def opt(trace: list[int], slots: int) -> int:
    """Evict the block whose next use is furthest in the future."""
    cached: set[int] = set()
    misses = 0
    for at, unit in enumerate(trace):
        if unit not in cached:
            misses += 1
            if len(cached) == slots:
                rest = trace[at:]
                cached.remove(max(cached, key=lambda u: rest.index(u) if u in rest else len(rest)))
            cached.add(unit)
    return misses


def lru(trace: list[int], slots: int) -> int:
    """Evict the block that was used least recently."""
    cached: list[int] = []  # the most recent last
    misses = 0
    for unit in trace:
        misses += unit not in cached
        cached = [*(u for u in cached if u != unit), unit][-slots:]
    return misses


def fifo(trace: list[int], slots: int) -> int:
    """Evict the block that was read first."""
    cached: list[int] = []
    misses = 0
    for unit in trace:
        if unit not in cached:
            misses += 1
            cached = [*cached, unit][-slots:]
    return misses


def clock(trace: list[int], slots: int) -> int:
    """FIFO with a second chance for blocks that were used since."""
    used: OrderedDict[int, bool] = OrderedDict()  # in the order in which the hand comes to them
    misses = 0
    for unit in trace:
        if unit in used:
            used[unit] = True
            continue
        misses += 1
        while len(used) == slots:
            oldest, spare = used.popitem(last=False)
            if spare:
                used[oldest] = False
        used[unit] = False
    return misses


def s3fifo(trace: list[int], slots: int) -> int:
    """Small queue, main queue, ghost (Yang et al. 2023, Algorithm 1); the newest is last."""
    share = max(1, slots // 10)
    small: list[int] = []
    main: list[int] = []
    left: list[int | None] = []  # all that left small; None for a block that came back
    uses: dict[int, int] = {}
    misses = 0
    for unit in trace:
        if unit in small or unit in main:
            uses[unit] = min(3, uses[unit] + 1)
            continue
        misses += 1
        while len(small) + len(main) == slots:
            if len(small) >= share or not main:
                oldest = small.pop(0)
                if uses[oldest] > 1:
                    uses[oldest] = 0
                    main.append(oldest)
                else:
                    left.append(oldest)
            else:
                oldest = main.pop(0)
                if uses[oldest]:
                    uses[oldest] -= 1
                    main.append(oldest)
        ghost = left[max(0, len(left) - (slots - share)) :]
        (main if unit in ghost else small).append(unit)
        left = [None if u == unit else u for u in left]
        uses[unit] = 0
    return misses


def arc(trace: list[int], c: int) -> int:
    """Megiddo and Modha 2003, Fig. 4; most recent last."""
    t1: list[int] = []
    t2: list[int] = []
    b1: list[int] = []
    b2: list[int] = []
    p = 0.0
    misses = 0

    def replace(in_b2: bool) -> None:
        if t1 and (len(t1) > p or (in_b2 and len(t1) == p)):
            b1.append(t1.pop(0))
        else:
            b2.append(t2.pop(0))

    for x in trace:
        if x in t1 or x in t2:
            (t1 if x in t1 else t2).remove(x)
            t2.append(x)
            continue
        misses += 1
        if x in b1 or x in b2:
            seen = x in b2
            p = (
                max(0, p - max(1, len(b1) / len(b2)))
                if seen
                else min(c, p + max(1, len(b2) / len(b1)))
            )
            replace(seen)
            (b2 if seen else b1).remove(x)
            t2.append(x)
            continue
        if len(t1) + len(b1) == c:
            if len(t1) < c:
                b1.pop(0)
                replace(False)
            else:
                t1.pop(0)
        elif len(t1) + len(t2) + len(b1) + len(b2) >= c:
            if len(t1) + len(t2) + len(b1) + len(b2) == 2 * c:
                b2.pop(0)
            replace(False)
        t1.append(x)
    return misses


REFERENCES: dict[str, Reference] = {
    "opt": opt,
    "lru": lru,
    "clock": clock,
    "fifo": fifo,
    "s3fifo": s3fifo,
    "arc": arc,
}


def sub_bounds(rounds: Rounds, slots: int) -> tuple[int, int]:
    """Least and most misses of SUB (ACGraph 3.1): all of its random choices are tried."""
    order = [(number, unit) for number, asked in enumerate(rounds) for unit in asked]
    states: dict[frozenset[int], tuple[int, int]] = {frozenset(): (0, 0)}
    for at, (number, unit) in enumerate(order):
        needed = {u for n, u in order[at + 1 :] if n <= number + 1}
        after: dict[frozenset[int], tuple[int, int]] = {}
        for cached, (least, most) in states.items():
            if unit in cached:
                nexts = [(cached, 0)]
            elif len(cached) < slots:
                nexts = [(cached | {unit}, 1)]
            else:
                nexts = [(cached - {v} | {unit}, 1) for v in (cached - needed) or cached]
            for state, miss in nexts:
                low, high = after.get(state, (len(order), 0))
                after[state] = (min(low, least + miss), max(high, most + miss))
        states = after
    return min(low for low, _ in states.values()), max(high for _, high in states.values())


def cachesim(paths: list[Path], policies: list[str], slots: list[int], *words: object) -> list[Any]:
    """Return the answers to all traces: misses by policy and size."""
    sizes = ",".join(str(4096 * s) for s in slots)
    done = outcore(
        "cachesim", *paths, "--json", "--policy", ",".join(policies), "--sizes", sizes, *words
    )
    documents = json.loads(done.stdout)
    documents = documents if len(paths) > 1 else [documents]
    return [{(r["policy"], r["units"]): r["misses"] for r in d["rows"]} for d in documents]


def traces(longest: int, units: int) -> st.SearchStrategy[list[Rounds]]:
    """Several traces of a few rounds each."""
    asked = st.lists(st.integers(0, units - 1), max_size=longest)
    return st.lists(st.lists(asked, min_size=1, max_size=4), min_size=2, max_size=30)


@settings(deadline=None, max_examples=25)
@given(cases=traces(60, 25))
def test_misses_are_those_of_the_rules(
    tmp_path_factory: pytest.TempPathFactory, cases: list[Rounds]
) -> None:
    folder = tmp_path_factory.mktemp("traces")
    paths = [write_trace(folder / f"{i}.oct", rounds) for i, rounds in enumerate(cases)]
    for rounds, found in zip(cases, cachesim(paths, NAMES, SIZES), strict=True):
        trace = [unit for asked in rounds for unit in asked]
        expected = {(n, s): REFERENCES[n](trace, s) for n in NAMES for s in SIZES}
        assert found == expected, trace


@settings(deadline=None, max_examples=15)
@given(cases=traces(10, 6), seed=st.integers(0, 5))
def test_sub_misses_what_some_of_its_choices_miss(
    tmp_path_factory: pytest.TempPathFactory, cases: list[Rounds], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("traces")
    paths = [write_trace(folder / f"{i}.oct", rounds) for i, rounds in enumerate(cases)]
    answers = cachesim(paths, ["sub"], [1, 2, 3, 4], "--seed", seed)
    for rounds, found in zip(cases, answers, strict=True):
        for slots in (1, 2, 3, 4):
            least, most = sub_bounds(rounds, slots)
            assert least <= found["sub", slots] <= most, rounds


def long_trace(accesses: int, units: int) -> Rounds:
    """Two rounds of skewed accesses, the same in every run."""
    random = np.random.default_rng(1)
    skewed = np.minimum(random.zipf(1.2, accesses) - 1, units - 1)
    return [[], skewed[: accesses // 2].tolist(), skewed[accesses // 2 :].tolist()]


def test_a_trace_of_many_chunks_streams_in_little_memory(tmp_path: Path) -> None:
    """A third of a million accesses; a dictionary simulates LRU for comparison."""
    rounds = long_trace(330_000, 900)
    path = write_trace(tmp_path / "long.oct", rounds)
    [found] = cachesim([path], ["opt", "lru", "sub"], [10, 300])
    for slots in (10, 300):
        cached: OrderedDict[int, None] = OrderedDict()
        misses = 0
        for unit in (unit for asked in rounds for unit in asked):
            misses += unit not in cached
            cached[unit] = None
            cached.move_to_end(unit)
            if len(cached) > slots:
                cached.popitem(last=False)
        assert found["lru", slots] == misses
        assert found["opt", slots] < found["sub", slots] < len(rounds[1]) + len(rounds[2])


def test_conversions_come_back(tmp_path: Path) -> None:
    rounds = long_trace(5000, 300)
    path = write_trace(tmp_path / "t.oct", rounds)
    outcore("trace", path, "--to", "csv", tmp_path / "t.csv")
    rows = np.loadtxt(tmp_path / "t.csv", delimiter=",", skiprows=1, dtype=int)
    flat = [(number, unit, 4096) for number, asked in enumerate(rounds) for unit in asked]
    assert rows.tolist() == [list(row) for row in flat]
    outcore("trace", path, "--to", "oracle", tmp_path / "t.oracle")
    records = list(struct.iter_unpack("<IQIq", (tmp_path / "t.oracle").read_bytes()))
    assert [record[:3] for record in records] == flat
    for at, record in enumerate(records):
        later = [i for i in range(at + 1, len(flat)) if flat[i][1] == record[1]][:1]
        assert record[3] == (later[0] + 1 if later else -1)
