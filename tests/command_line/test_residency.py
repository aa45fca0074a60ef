# SPDX-License-Identifier: Apache-2.0
"""How much of a graph stays in memory: what --memory leaves, what binds it, what swaps."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import TRAITS, Runs, outcore
from .test_run_failures import endless_run, limited, wait_for

SIZED = [engine for engine, traits in TRAITS.items() if traits["frames_of_memory"]]
RAW = 16 << 20  # about as much, by 4 bytes an edge


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """A graph that is larger than the program that reads it."""
    folder = tmp_path_factory.mktemp("larger")
    graph = folder / "graph"
    outcore("generate", "kronecker", "--scale", 17, "--symmetric", graph)
    outcore("layout", graph, "--preset", "csr")
    yield Runs(graph, folder)


@pytest.mark.parametrize("engine", SIZED)
def test_frames_are_what_the_limit_leaves(larger: Runs, engine: str) -> None:
    few, more = (
        larger.run(engine=engine, layout="csr", memory=f"{limit}M")["asked"]["frames_bytes"]
        for limit in (300, 400)
    )
    assert more - few == 100 << 20
    assert 200 << 20 < few < 300 << 20
    assert larger.run(engine=engine, layout="csr", memory="300M", frames="64M")["asked"][
        "frames_bytes"
    ] == (64 << 20)


def test_a_limit_that_leaves_little_leaves_frames_that_do(larger: Runs) -> None:
    record = larger.run(engine="chunk_mmap", layout="csr", memory="30M")
    assert record["asked"]["frames_bytes"] == 8 << 20
    assert record["outcome"]["status"] == "ok"


# The kernel counts anonymous memory and pages of files; a watch counts the first alone, and the
# engine's own account has to bind the others.
@pytest.mark.parametrize("kind", ["control group", "residency budget"])
def test_chunks_and_the_rest_keep_within_the_limit(larger: Runs, kind: str) -> None:
    limit = 40 << 20
    asked = {"engine": "chunk_mmap", "layout": "csr", "workload": "wcc", "memory": limit}
    done = limited(larger, kind, **asked)
    assert done.returncode == 0, done.stderr
    record = larger.record()
    assert record["asked"]["frames_bytes"] < RAW, "not all of it stays"
    assert record["counts"]["chunks_evicted"] > 0
    assert record["memory"]["peak_rss_bytes"] <= 1.05 * limit


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_populates_can_be_interrupted(larger: Runs, number: signal.Signals) -> None:
    path = larger.folder / "record.json"
    path.unlink(missing_ok=True)
    asked = {"engine": "chunk_mmap", "layout": "csr", "workload": "pagerank", "frames": "256K"}
    with endless_run(larger, set="iterations=10000", **asked) as (process, _):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode == 130
    record = larger.record()
    assert record["outcome"]["status"] == "interrupted"
    assert record["timeline"][-1]["requests"] > 0, "it was populating"


def swap_space() -> bool:
    return len(Path("/proc/swaps").read_text().splitlines()) > 1


def test_swapping_needs_a_limit_and_a_place_to_swap_to(runs: Runs) -> None:
    _, message = runs.fail(2, engine="in_memory", swap=True)
    assert "--swap is for what is beyond --memory" in message
    if swap_space():
        pytest.skip("this machine has swap space")
    _, message = runs.fail(2, engine="in_memory", swap=True, memory="1G")
    assert "no swap space (/proc/swaps)" in message and "swapon" in message


def test_with_swap_space_a_run_goes_on_beyond_its_limit(larger: Runs) -> None:
    if not swap_space():
        pytest.skip("this machine has no swap space")
    asked = {"engine": "in_memory", "layout": "csr", "memory": "12M"}
    assert limited(larger, "control group", **asked).returncode == 6
    done = limited(larger, "control group", **asked, swap=True)
    assert done.returncode == 0, done.stderr
    assert larger.record()["asked"]["swap"] is True
