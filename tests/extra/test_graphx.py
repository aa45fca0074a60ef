# SPDX-License-Identifier: Apache-2.0
"""GraphX as a contestant: the same answers in three places, and what its switches move.

One program of Spark runs at a time. Without Spark or Java the tests are skipped, saying so. Those
that start several Java machines, or a large graph, are `long`.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outcore_analysis.contest.contestant import Contestant, installed_in
from small_slurm import Slurm

ROOT = Path(__file__).parents[2]
BINARY = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build" / "release" / "outcore")).absolute()
HOME = installed_in("graphx")
QUESTIONS = {
    "wcc": ["--workload", "wcc"],
    "pagerank": ["--workload", "pagerank", "--set", "iterations=10"],
}
OPTIONS = {"executor_memory": "900m"}
# In a race one engine of ours is enough; to find the fastest takes longer.
OURS = ["--engine", "in_memory", "--layout", "csr"]
# A run of seconds is not worth the work of Java's second compiler, nor that of many collectors.
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def java_is_there() -> bool:
    try:
        done = subprocess.run(["java", "-version"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


pytestmark = [
    pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built: make build"),
    pytest.mark.skipif(
        not (HOME / "graphx.jar").is_file(), reason=f"{HOME} is not there: make test-extra"
    ),
    pytest.mark.skipif(not java_is_there(), reason="there is no java: make test-extra"),
]


def outcore(*words: object) -> str:
    command = [str(BINARY), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def variable(process: int, name: str) -> str | None:
    try:
        words = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    found = (word.partition(b"=")[2] for word in words if word.startswith(f"{name}=".encode()))
    return next((value.decode() for value in found), None)


def started_by(mark: str, word: bytes) -> list[int]:
    """Return the processes whose environment has a test's mark, and their command this word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and variable(int(entry.name), "GRAPHX_TEST") == mark:
            with contextlib.suppress(OSError):
                if word in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


def executors_of(mark: str) -> list[int]:
    """Return the executors that a test started."""
    return started_by(mark, b"CoarseGrainedExecutorBackend")


def most_resident(process: int) -> int:
    """Return the most bytes that a process had in memory; 0 if it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


class Graph:
    """A graph, its Parquet file, and our answers."""

    def __init__(self, folder: Path, *words: object) -> None:
        self.folder = folder / "graph"
        outcore("generate", *words, self.folder)
        outcore("layout", self.folder, "--pack", "csr")
        self.parquet = folder / "graph.parquet"
        outcore("export", self.folder, self.parquet)
        manifest = json.loads((self.folder / "graph.json").read_text())
        self.facts = {"vertices": manifest["vertices"], "edges": manifest["edges"]}
        self.facts["checksum"] = manifest["files"]["out.targets"]["hash"]
        degrees = np.diff(np.fromfile(self.folder / "out.offsets", "<u8"))
        self.source = int(degrees.argmax())

    def question(self, workload: str) -> list[str]:
        of_search = ["--workload", "bfs", "-r", str(self.source)]
        return of_search if workload == "bfs" else QUESTIONS[workload]

    def answer(self, workload: str) -> Any:
        file = self.folder.with_name(f"{workload}.npy")
        question = self.question(workload)
        outcore("run", self.folder, "--engine", "in_memory", *question, "--output", file)
        return np.load(file)["value"]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return Graph(tmp_path_factory.mktemp("k12"), "kronecker", "--scale", 12, "--symmetric")


class Program:
    """One run of race.py, as the description starts it."""

    def __init__(self, folder: Path, graph: Graph, workload: str, **changed: object) -> None:
        self.scratch = folder / f"scratch {len(list(folder.iterdir()))}"
        self.scratch.mkdir()
        self.answer = self.scratch / "answer.npy"
        options = OPTIONS | {key: str(value) for key, value in changed.items()}
        asked = "graphx:" + ",".join(f"{name}={value}" for name, value in options.items())
        self.contestant = Contestant.read(asked)
        values: dict[str, object] = {"source": graph.source, "iterations": 10, "damping": 0.85}
        values |= {"memory_gb": 4, "graph": graph.parquet, "answer": self.answer}
        values |= {"scratch": self.scratch} | graph.facts
        command = self.contestant.value["workloads"][workload]["command"]
        self.command = self.contestant.fill(command, values)

    def run(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command, env=os.environ | environment, capture_output=True, text=True, check=False
        )

    def numbers(self) -> dict[str, float]:
        """Run it; return what it says of its work."""
        done = self.run()
        assert done.returncode == 0, done.stderr
        times = self.contestant.times("wcc", done.stdout)
        assert set(times) == {"load", "partition", "run", "write"} and min(times.values()) > 0
        return self.contestant.numbers(done.stdout)

    def fault(self, **environment: str) -> str:
        """Run it; return its last word."""
        done = self.run(**environment)
        assert done.returncode == 1 and not self.answer.exists()
        return done.stderr.strip().splitlines()[-1]


def expect_ours(graph: Graph, workload: str, answer: Path) -> None:
    ours, theirs = graph.answer(workload), np.load(answer)
    if workload == "pagerank":
        assert abs(theirs - ours.astype("f8")).sum() <= 1e-6 * ours.sum(dtype="f8")
    else:
        assert np.array_equal(ours.astype("u4"), theirs)


@pytest.fixture(scope="module")
def counted(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """What three runs in one process counted, each of another strategy; their answers are ours."""
    folder, found = tmp_path_factory.mktemp("runs"), {}
    ways = {"bfs": ("1d", 4), "wcc": ("2d", 4), "pagerank": ("2d", 16)}
    for workload, (strategy, partitions) in ways.items():
        program = Program(
            folder, graph, workload, where="local", strategy=strategy, partitions=partitions
        )
        found[workload] = program.numbers()
        expect_ours(graph, workload, program.answer)
    return found


def test_in_one_process_the_answers_are_ours_and_bytes_are_counted(
    counted: dict[str, dict[str, float]],
) -> None:
    for numbers in counted.values():
        assert numbers["shuffle_bytes"] > 1e5 and numbers["fetched_bytes"] == 0
        assert numbers["spilled_bytes"] == 0
        assert 2e8 < numbers["resident_bytes"] < 4e9


def test_sparks_numbers_are_those_of_proc(
    graph: Graph, counted: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    """Resident bytes are the kernel's, and shuffled ones the lengths of the files, within 10%."""
    program, mark = Program(tmp_path, graph, "wcc", where="local", strategy="random"), str(tmp_path)
    peak, files = 0, {}
    with subprocess.Popen(
        program.command, env=os.environ | {"GRAPHX_TEST": mark}, stdout=subprocess.PIPE, text=True
    ) as process:
        while process.poll() is None:
            peak = max([peak, *map(most_resident, started_by(mark, b"outcore.Race"))])
            with contextlib.suppress(OSError):
                shuffled = program.scratch.rglob("shuffle_*.data")
                files |= {path.name: path.stat().st_size for path in shuffled}
            time.sleep(0.05)
        assert process.stdout is not None
        numbers = program.contestant.numbers(process.stdout.read())
    assert process.returncode == 0
    assert numbers["resident_bytes"] == pytest.approx(peak, rel=0.1)
    assert numbers["shuffle_bytes"] == pytest.approx(sum(files.values()), rel=0.1)
    expect_ours(graph, "wcc", program.answer)
    assert numbers["replicated_vertices"] > counted["wcc"]["replicated_vertices"], "of 2d"


def test_strategy_and_partitions_move_replicated_vertices(
    counted: dict[str, dict[str, float]],
) -> None:
    by_source, by_both, in_sixteen = (counted[w]["replicated_vertices"] for w in counted)
    assert len({by_source, by_both, in_sixteen}) == 3
    assert in_sixteen > by_both


@pytest.mark.long
def test_a_master_and_two_workers_race_and_fetch(graph: Graph, tmp_path: Path) -> None:
    """Two executors fetch from each other what one has already."""
    record = tmp_path / "race.json"
    words = [*OURS, "--turns", "1", "--record", record]
    for executors in (1, 2):
        words += ["--with", f"graphx:executors={executors},executor_memory=900m"]
    outcore("race", graph.folder, *QUESTIONS["wcc"], *words)
    document = json.loads(record.read_text())
    assert [told["verdict"] for told in document["contestants"]] == ["right"] * 3
    one, two = document["records"][1:]
    assert one["asked"]["settings"]["executors"] == "1"
    for found in (one, two):
        said = found["external"]
        assert said["numbers"]["shuffle_bytes"] > 1e5
        assert 0 < said["phases"]["run_s"] == found["raced"]["own_s"] < found["raced"]["wall_s"]
    assert one["external"]["numbers"]["fetched_bytes"] == 0
    assert two["external"]["numbers"]["fetched_bytes"] > 1e4
    peaks = [found["external"]["numbers"]["resident_bytes"] for found in (one, two)]
    assert peaks[1] > 1.3 * peaks[0], "of two processes"


@pytest.mark.long
def test_little_memory_spills(tmp_path: Path) -> None:
    graph = Graph(tmp_path, "kronecker", "--scale", 17, "--degree", 32)
    words = {"where": "local", "executors": 1}
    program = Program(tmp_path, graph, "bfs", **words | {"executor_memory": "470m"})
    assert program.numbers()["spilled_bytes"] > 1e6
    expect_ours(graph, "bfs", program.answer)


@pytest.mark.long
def test_of_many_supersteps_not_all_is_kept_on_disk(tmp_path: Path) -> None:
    """Labels take 62 supersteps across a grid; without checkpoints all shuffles would stay."""
    graph = Graph(tmp_path, "grid", "--rows", 32, "--columns", 32)
    program = Program(tmp_path, graph, "wcc", where="local")
    written: set[str] = set()
    with subprocess.Popen(program.command, stdout=subprocess.PIPE) as process:
        while process.poll() is None:
            written |= {path.name for path in program.scratch.glob("checkpoints/*/rdd-*")}
            time.sleep(0.05)
    assert process.returncode == 0 and len(written) >= 2
    expect_ours(graph, "wcc", program.answer)


@pytest.mark.long
def test_an_executor_that_dies_fails_the_run_with_sparks_cause(
    graph: Graph, tmp_path: Path
) -> None:
    record, mark = tmp_path / "race.json", str(tmp_path)
    words = ["race", str(graph.folder), "--workload", "pagerank", "--set", "iterations=2000"]
    words += [*OURS, "--with", "graphx:executors=2,executor_memory=900m", "--turns", "1"]
    process = subprocess.Popen(
        [str(BINARY), *words, "--record", str(record)],
        env=os.environ | {"GRAPHX_TEST": mark}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    scratch = graph.folder.with_name("graph.contestants") / "scratch"
    while process.poll() is None:
        logs = [path.read_text() for path in scratch.glob("turn-*/events/*")]
        if any('"spark.jobGroup.id":"run"' in log for log in logs):
            os.kill(executors_of(mark)[0], signal.SIGKILL)
            break
        time.sleep(0.2)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    document = json.loads(record.read_text())
    told = document["contestants"][1]
    assert told["verdict"] == "failed", told
    found = document["records"][1]["outcome"]
    assert found["status"] == "failed"
    assert "executor" in found["reason"] and "died: Command exited with code 137" in found["reason"]
    assert executors_of(mark) == []


def test_a_file_of_another_graph_is_refused(graph: Graph, tmp_path: Path) -> None:
    other = Graph(tmp_path, "kronecker", "--scale", 8, "--symmetric")
    program = Program(tmp_path, graph, "wcc", where="local")
    words = [word.replace(str(graph.parquet), str(other.parquet)) for word in program.command]
    program.command = words
    said = program.fault()
    assert said.endswith("export the graph again (outcore export)")
    assert f"{other.parquet} is of another graph: its outcore.checksum is xxh3:" in said


def test_a_port_that_is_in_use_is_said(graph: Graph, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = Program(tmp_path, graph, "wcc", port=port).fault()
    assert said == f"port {port} of 127.0.0.1 is in use: choose another, or port=0"


@pytest.mark.long
def test_on_an_allocation_of_slurm_the_answer_is_ours(
    graph: Graph, slurm: Slurm, tmp_path: Path
) -> None:
    record, said = tmp_path / "race.json", tmp_path / "said"
    race = [str(BINARY), "race", str(graph.folder), *QUESTIONS["wcc"], *OURS, "--turns", "1"]
    race += ["--with", "graphx:where=slurm,executors=2,executor_memory=900m"]
    script = ROOT / "contestants" / "graphx" / "graphx.sbatch"
    words = ["sbatch", "--wait", "--nodes=2", f"--output={said}", str(script)]
    done = subprocess.run(
        [*words, *race, "--record", str(record)],
        env=slurm.environment | {"SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + said.read_text()
    document = json.loads(record.read_text())
    assert [told["verdict"] for told in document["contestants"]] == ["right", "right"], document
    assert document["records"][1]["external"]["numbers"]["fetched_bytes"] > 1e4
