# SPDX-License-Identifier: Apache-2.0
"""`outcore cachesim` against libCacheSim, by way of `outcore trace --to oracle`.

libCacheSim has the GPL and is only an oracle here: `make test-extra` installs it.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

lcs = pytest.importorskip("libcachesim", reason="libcachesim is not installed: make test-extra")

ROOT = Path(__file__).parents[2]
BINARY = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build" / "release" / "outcore"))
# Without S3-FIFO: storage/cache/policies/s3fifo.cc says in what libCacheSim's differs.
SAME = {"opt": lcs.Belady, "lru": lcs.LRU, "fifo": lcs.FIFO, "clock": lcs.Clock, "arc": lcs.ARC}
SIZES = [40, 150, 600]


def outcore(*words: object) -> str:
    command = [str(BINARY), *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module", params=["bfs", "wcc", "pagerank"])
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run asked for: at least 1000 units, some rounds."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built: make build")
    folder = tmp_path_factory.mktemp("runs")
    graph = folder / "graph"
    outcore("generate", "kronecker", "--scale", 15, "--symmetric", graph)
    outcore("layout", graph, "--pack", "firstfit", "--number", "random", "--name", "it")
    path = folder / "t.oct"
    words = ["--engine", "concurrent", "--workload", request.param, "--layout", "it"]
    outcore("run", graph, *words, "--threads", 1, "--frames", "1M", "--trace", path)
    return path


@pytest.mark.parametrize("policy", SAME)
def test_both_miss_the_same(trace: Path, tmp_path: Path, policy: str) -> None:
    outcore("trace", trace, "--to", "oracle", tmp_path / "t.oracleGeneral")
    sizes = ",".join(str(4096 * size) for size in SIZES)
    ours = json.loads(outcore("cachesim", trace, "--policy", policy, "--sizes", sizes, "--json"))
    assert ours["distinct"] > max(SIZES)
    for size, row in zip(SIZES, ours["rows"], strict=True):
        reader = lcs.TraceReader(
            str(tmp_path / "t.oracleGeneral"),
            lcs.TraceType.ORACLE_GENERAL_TRACE,
            lcs.ReaderInitParam(ignore_obj_size=True),
        )
        ratio, _ = SAME[policy](size, hashpower=12).process_trace(reader)
        assert round(ratio * ours["accesses"]) == row["misses"], size


def test_csv_is_read_too(trace: Path, tmp_path: Path) -> None:
    outcore("trace", trace, "--to", "csv", tmp_path / "t.csv")
    params = lcs.ReaderInitParam(
        has_header=True, delimiter=",", ignore_obj_size=True, obj_id_is_num=True
    )
    params.time_field, params.obj_id_field, params.obj_size_field = 1, 2, 3
    reader = lcs.TraceReader(str(tmp_path / "t.csv"), lcs.TraceType.CSV_TRACE, params)
    rows = (tmp_path / "t.csv").read_text().splitlines()[1:]
    size = 100
    ours = json.loads(
        outcore("cachesim", trace, "--policy", "lru", "--sizes", 4096 * size, "--json")
    )
    ratio, _ = lcs.LRU(size, hashpower=12).process_trace(reader)
    assert round(ratio * len(rows)) == ours["rows"][0]["misses"]
