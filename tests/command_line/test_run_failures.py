# SPDX-License-Identifier: Apache-2.0
"""`outcore run` that fails: the record, the exit code and the message all say how."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from .conftest import (
    BINARY,
    ENGINES,
    TRAITS,
    Runs,
    disguise_layout,
    graph_with_anothers_layout,
    outcore,
    read_record,
)

# Every request is answered so late that the run cannot end before the test has done its part.
ENDLESS = {"backend": "fault", "fault": "delay:60000"}


def wait_for(what: Callable[[], bool]) -> None:
    """Poll until `what` is true; after a minute the test fails."""
    for _ in range(6000):
        if what():
            return
        time.sleep(0.01)
    pytest.fail("waited in vain")


def children(pid: int) -> list[int]:
    """Processes whose parent is `pid`."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended in the meantime
        if int(fields[1]) == pid:
            found.append(int(status.parent.name))
    return found


def is_alive(pid: int) -> bool:
    """Does `pid` exist, and is it no zombie that nobody has waited for?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def take_signals() -> None:
    """Undo what a shell may have passed on in the background or by nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def endless_run(runs: Runs, **options: object) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A run that is going on: the process that supervises it, and the pid of the one that works."""
    command = [str(BINARY), *runs.words(**(options or ENDLESS))]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=take_signals
    ) as process:
        workers: list[int] = []
        try:
            wait_for(lambda: bool(children(process.pid)))
            workers = children(process.pid)
            yield process, workers[0]
        finally:
            process.kill()
            for worker in filter(is_alive, workers):
                with suppress(ProcessLookupError):  # it ended in the meantime
                    os.kill(worker, signal.SIGKILL)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("eio@0", ["read of", "failed", "Input/output error (errno 5)"]),
        ("eio@5", ["Input/output error (errno 5)"]),
        ("short@2", []),
        ("flip@2", ["checksum"]),
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_device_that_fails_stops_the_run(
    runs: Runs, engine: str, plan: str, words: list[str]
) -> None:
    if TRAITS[engine]["keeps_graph_in_memory"]:
        plan = plan.partition("@")[0] + "@0"  # this engine reads this graph in a few requests
    record, message = runs.fail(4, engine=engine, backend="fault", fault=plan)
    assert record["outcome"]["status"] == "failed"
    assert record["outcome"]["exit_code"] == 4
    reason = record["outcome"]["reason"]
    assert message == f"outcore: {reason}\n"
    for word in ["out.blocks at offset ", *words]:
        assert word in reason
    assert record["graph"]["edges"] > 0, "what was known by then is kept"


@pytest.mark.parametrize("damage", ["cut", "flip"])
def test_a_damaged_layout_stops_the_run(runs: Runs, tmp_path: Path, damage: str) -> None:
    broken = Runs(tmp_path / "copy", tmp_path)
    shutil.copytree(runs.graph, broken.graph)
    blocks = broken.graph / "layouts" / "firstfit" / "out.blocks"
    content = bytearray(blocks.read_bytes())
    if damage == "cut":
        del content[-4096:]
    else:
        content[5000] ^= 1
    blocks.write_bytes(content)
    record, message = broken.fail(3 if damage == "cut" else 4)
    assert "out.blocks" in message
    assert record["outcome"]["status"] == "failed"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_so(runs: Runs, number: signal.Signals) -> None:
    with endless_run(runs) as (process, worker):
        process.send_signal(number)
        message = process.communicate(timeout=60)[1]
        assert process.returncode == 130
        assert not is_alive(worker)
    outcome = read_record(runs.folder / "record.json")["outcome"]
    assert outcome["status"] == "interrupted"
    assert outcome["exit_code"] == -number
    assert outcome["reason"] in message


# Each request takes 0.1 s, one after another, so the search reads for many seconds.
SLOW = {"backend": "fault", "fault": "delay:100", "threads": 1, "depth": 1, "max_request": "4K"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_a_run_did_until_it_was_ended_is_kept(runs: Runs, number: signal.Signals) -> None:
    path = runs.folder / "record.json"
    with endless_run(runs, **SLOW) as (process, worker):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        os.kill(worker, number)
        process.communicate(timeout=60)
    record = read_record(path)
    assert record["outcome"]["exit_code"] == -number
    last = record["timeline"][-1]
    assert last["requests"] > 0
    assert last["kernel_bytes"] > 0
    phases = record["phases"]
    assert set(phases) == {"open_s", "prepare_s", "run_s"}
    assert 0.3 < phases["run_s"] < last["t"] + 0.1
    assert "io" not in record, "the engine could not be asked"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"state": "disk"}, "--state disk: expected memory, or file:FOLDER"),
        ({"state": "file:/nowhere"}, "/nowhere is not a folder; name one on a disk"),
        (
            {"state_memory": "1M"},
            "--state-memory limits --state file:FOLDER, so it needs",
        ),
        ({"state": "file:/tmp", "state_memory": "much"}, "--state-memory much"),
    ],
)
def test_wrong_places_for_arrays_are_refused(
    runs: Runs, asked: dict[str, str], message: str
) -> None:
    record, said = runs.fail(2, **asked)
    assert record is None
    assert message in said


def test_a_folder_that_cannot_be_written_is_told_before_the_run(runs: Runs) -> None:
    record, said = runs.fail(4, state="file:/proc")
    assert record is None
    assert "/proc: cannot create a file in it" in said


def test_a_disk_that_fills_is_told_before_arrays_are_written(tmp_path: Path) -> None:
    """Space is reserved when an array is made; writing a mapped page without it kills a process."""
    graph = tmp_path / "path"
    outcore("generate", "grid", "--rows", 1, "--columns", 1 << 19, graph)
    outcore("layout", graph, "--pack", "csr")
    runs = Runs(graph, tmp_path)
    words = runs.words(engine="sync_subgraph", workload="pagerank", state=f"file:{tmp_path}")
    full = subprocess.run(
        ["sh", "-c", 'trap "" XFSZ; ulimit -f 2048; exec "$@"', "-", str(BINARY), *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert full.returncode == 4, full.stderr
    assert "(state 'rank'): no room for 2.0 MiB: File too large" in full.stderr
    assert runs.record()["outcome"]["status"] == "failed"


def test_a_run_that_is_killed_leaves_nothing_where_its_arrays_were(runs: Runs) -> None:
    folder = runs.folder / "state"
    folder.mkdir()
    slow = SLOW | {"engine": "sync_subgraph", "state": f"file:{folder}"}
    path = runs.folder / "record.json"
    with endless_run(runs, **slow) as (process, worker):
        wait_for(lambda: path.exists() and "timeline" in json.loads(path.read_text()))
        os.kill(worker, signal.SIGKILL)
        process.communicate(timeout=60)
    assert read_record(path)["state_files"], "they had been made"
    assert list(folder.iterdir()) == []


def test_a_limit_that_leaves_no_frames_is_refused_with_one_that_does(runs: Runs) -> None:
    asked = {"engine": "sync_subgraph", "workload": "pagerank"}
    _, said = runs.fail(2, memory="20M", **asked)
    assert "--memory 20.0 MiB leaves nothing for frames" in said
    least = re.search(r"give --memory (\d+M) or more", said)
    assert least
    assert runs.run(memory=least[1], **asked)["pool"]["frames_bytes"] >= 1 << 20


def test_what_a_run_did_until_its_device_failed_is_kept(runs: Runs) -> None:
    record, _ = runs.fail(4, **SLOW | {"fault": "delay:20,eio@5"})
    assert record["timeline"][-1]["requests"] == 6
    assert record["phases"]["run_s"] > 0.1
    assert "total_s" not in record["phases"]


def test_a_killed_run_says_so(runs: Runs) -> None:
    with endless_run(runs) as (process, worker):
        os.kill(worker, signal.SIGKILL)
        message = process.communicate(timeout=60)[1]
        assert process.returncode == 128 + signal.SIGKILL
    outcome = read_record(runs.folder / "record.json")["outcome"]
    assert outcome == {
        "status": "killed",
        "reason": "ended by signal 9 (Killed)",
        "exit_code": -9,
    }
    assert "ended by signal 9" in message


def test_when_the_supervisor_is_killed_nothing_runs_on(runs: Runs) -> None:
    with endless_run(runs) as (process, worker):
        process.kill()
        process.wait(timeout=60)
        wait_for(lambda: not is_alive(worker))
    outcome = read_record(runs.folder / "record.json")["outcome"]
    assert outcome["status"] == "unfinished"
    assert "vanished" in outcome["reason"]


# A run in a namespace of its own that shows no control group, as in most containers.
WITHOUT_GROUPS = ["unshare", "--mount", "sh", "-c"]
WITHOUT_GROUPS += ['umount -a -l -t cgroup,cgroup2; exec "$@"', "-"]


def limited(runs: Runs, kind: str, **asked: object) -> "subprocess.CompletedProcess[str]":
    """A run under a limit of this kind; skips, with the reason, if the limit is not available."""
    words = [str(BINARY), *runs.words(**asked)]
    if kind == "residency budget" and os.geteuid() == 0:
        words = [*WITHOUT_GROUPS, *words]
        if subprocess.run([*words[:6], "true"], capture_output=True, check=False).returncode != 0:
            pytest.skip("no namespace of its own can be had here")
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    found = runs.record()["memory_limit"]["kind"]
    if (found == "residency budget") != (kind == "residency budget"):
        pytest.skip(f"--memory is a {found} here")
    return done


@pytest.mark.parametrize("kind", ["control group", "residency budget"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_is_told_when_it_goes_over_its_memory(
    runs: Runs, engine: str, kind: str
) -> None:
    # Less than what a run needs without frames; frames above the limit would be refused at once.
    asked = {"frames": "512K", "workload": "pagerank", "engine": engine}
    done = limited(runs, kind, memory="512K", **asked)
    assert done.returncode == 6, done.stderr
    record = runs.record()
    assert record["outcome"]["status"] == "out_of_memory"
    reason = record["outcome"]["reason"]
    assert "memory limit of 512.0 KiB" in reason or reason.startswith("out of memory")
    assert reason in done.stderr
    assert record["memory_limit"]["bytes"] == 512 << 10
    assert record["memory_limit"]["counts_page_cache"] is (kind == "control group")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"memory": "0"}, "--memory 0: no run fits; the program alone takes "),
        ({"memory": "8M", "frames": "9M"}, "--frames of 9.0 MiB do not fit into --memory of 8.0"),
    ],
)
def test_what_cannot_fit_is_refused_before_the_start(
    runs: Runs, asked: dict[str, str], message: str
) -> None:
    record, said = runs.fail(2, **asked)
    assert record is None and message in said


@pytest.mark.parametrize("kind", ["control group", "residency budget"])
def test_a_run_that_is_ended_at_its_limit_names_what_it_has_in_memory(
    runs: Runs, kind: str
) -> None:
    # The program and the layout fit, but not together with the frames.
    asked = {"frames": "4M", "depth": 256, "workload": "pagerank"}
    done = limited(runs, kind, memory="4M", **asked)
    assert done.returncode == 6, done.stderr
    record = runs.record()
    assert record["outcome"]["status"] == "out_of_memory"
    assert record["graph"]["vertices"] == 4096
    assert record["layout"]["name"] == "firstfit"
    memory = record["memory"]
    assert memory["rank_bytes"] == memory["heard_bytes"] == 4 * 4096
    assert memory["index_bytes"] > 0
    reason = record["outcome"]["reason"]
    assert "it wanted at least " in reason and "frames 4.0 MiB" in reason
    assert "lower --frames" in reason and "raise --memory, or take another engine" in reason
    plan = f"outcore plan {runs.graph} --workload pagerank --memory {4 << 20}"
    assert reason.endswith(f"; {plan} shows all")
    assert outcore(*plan.split()[1:]).stdout.startswith("pagerank on kronecker ")
    assert memory["process_bytes"] < memory["peak_rss_bytes"]
    assert sum(memory.values()) == 2 * memory["peak_rss_bytes"]


@pytest.mark.parametrize("kind", ["control group", "residency budget"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit_that_suffices_changes_nothing(runs: Runs, engine: str, kind: str) -> None:
    free = runs.run(engine=engine, frames="1M")
    assert free["memory_limit"] is None
    done = limited(runs, kind, memory="512M", engine=engine, frames="1M", verify=True)
    assert done.returncode == 0, done.stderr
    record = runs.record()
    assert record["answer"]["digest"] == free["answer"]["digest"]
    peak = record["memory_limit"]["peak_bytes"]
    assert peak is None or peak <= 512 << 20


def test_a_wrong_answer_fails_the_run(tmp_path: Path) -> None:
    mixed = Runs(graph_with_anothers_layout(tmp_path), tmp_path)
    record, message = mixed.fail(3)
    assert "a layout of another graph" in message

    disguise_layout(mixed.graph)
    record, message = mixed.fail(5, verify=True)
    assert record["outcome"]["status"] == "failed"
    assert record["outcome"]["exit_code"] == 5
    assert record["answer"]["verified"]["passed"] is False
    assert [row["verified"] for row in record["trials"]] == [False]
    assert "bfs gave a wrong answer" in message
    assert "found" in message and "expected" in message
    assert mixed.run()["answer"]["verified"] is None
    done = outcore(*mixed.words(verify=True, trials=3, gap_output=True), check=False)
    assert done.returncode == 5
    assert "Verification:           FAIL\n" in done.stdout
    assert done.stdout.count("Trial Time:") == 1, "nothing is run after a wrong answer"


def test_a_trial_that_fails_leaves_those_before_it(runs: Runs) -> None:
    degrees = np.diff(np.fromfile(runs.graph / "out.offsets", "<u8"))
    isolated = int(np.flatnonzero(degrees == 0)[0])  # a search from it reads nothing
    asked = {"source": f"{isolated},max-degree,5", "backend": "fault", "fault": "eio@0"}
    record, message = runs.fail(4, **asked)
    assert "Input/output error" in message
    assert record["outcome"]["status"] == "failed"
    assert [row["source"] for row in record["trials"]] == [str(isolated)]
    assert record["trials"][0]["summary"]["reached"] == 1


def test_damage_to_the_canonical_lists_is_not_called_a_wrong_answer(
    runs: Runs, tmp_path: Path
) -> None:
    broken = Runs(tmp_path / "copy", tmp_path)
    shutil.copytree(runs.graph, broken.graph)
    targets = broken.graph / "out.targets"
    content = bytearray(targets.read_bytes())
    content[100:104] = b"\xff\xff\xff\x7f"  # a vertex that does not exist
    targets.write_bytes(content)
    record, message = broken.fail(3, verify=True)
    assert "out.targets: found checksum" in message
    assert record["outcome"]["status"] == "failed"
    assert record["answer"]["digest"] == runs.run()["answer"]["digest"], "engines never read it"


BAD_USE = {
    "engine": (
        {"engine": "concurrnt"},
        [
            "there are: async_block, binning, chunk_mmap, concurrent, evolving, grid, ",
            "'concurrent'?",
        ],
    ),
    "workload": ({"workload": "sspp"}, ["there are: bc, bfs,", "mean 'sssp'?"]),
    "layout": ({"layout": "first"}, ["there are: csr, firstfit", "mean 'firstfit'?"]),
    "backend": ({"backend": "urng"}, ["uring, threads, ", "mean 'uring'?"]),
    "parameter": ({"workload": "pagerank", "set": "dampng=1"}, ["mean 'damping'?"]),
    "no parameter": (
        {"workload": "coreness", "set": "k=1"},
        ["coreness takes no parameters, but 'k=1' was given"],
    ),
    "source for none": (
        {"workload": "coreness", "source": 1},
        ["coreness has no source; leave out --source (-r)"],
    ),
    "source of pagerank": ({"workload": "pagerank", "source": 3}, ["pagerank has no source"]),
    "no value": ({"workload": "kcore", "set": "k"}, ["kcore: 'k' has no value; write k=10"]),
    "k": ({"workload": "kcore", "set": "k=0"}, ["k=0", "whole number from 1 to"]),
    "damping": ({"workload": "pagerank", "set": "damping=nan"}, ["nan", "number from 0 to 1"]),
    "iterations": ({"workload": "pagerank", "set": "iterations=1.5"}, ["1.5", "whole number"]),
    "negative": ({"workload": "pagerank", "set": "tolerance=-1"}, ["-1", "from 0 to 1"]),
    "no threshold": ({"workload": "ppr", "set": "r_max=0"}, ["r_max=0", "from 1e-12 to 1"]),
    "too fine": (
        {"workload": "pagerank-push", "set": "r_max=1e-13"},
        ["r_max=1e-13", "1e-12 to 1"],
    ),
    "no number": (
        {"workload": "pagerank-push", "set": "r_max=nan"},
        ["nan", "0, or a number from"],
    ),
    "epsilon": ({"workload": "pagerank-delta", "set": "epsilon2=-0.1"}, ["epsilon2=-0.1"]),
    "form": ({"workload": "pagerank", "set": "form=gap"}, ["expected one of share, cave"]),
    "form of components": ({"workload": "wcc", "set": "form=bfs"}, ["one of labels, search"]),
    "weights": ({"workload": "spmv", "set": "weights=own"}, ["one of auto, hashed, given"]),
    "many searches": ({"workload": "radii", "set": "sources=65"}, ["from 1 to 64"]),
    "no root": ({"workload": "bc", "source": 99999999}, ["99999999", "no such vertex"]),
    "no such source": (
        {"source": 99999999},
        ["--source 99999999: there is no such vertex; the graph has 4096, 0 to 4095"],
    ),
    "no such source by --set": (
        {"set": "source=4096"},
        ["--set source=4096: there is no such vertex; the graph has 4096, 0 to 4095"],
    ),
    "no such target": (
        {"workload": "dfs", "set": "target=99999999"},
        ["target=99999999", "no such"],
    ),
    "target": (
        {"workload": "dfs", "set": "target=x"},
        ["target=x", "expected none, or a vertex id"],
    ),
    "source": ({"source": "max-degre"}, ["max-degree, random:SEED or a vertex id"]),
    "no trials": ({"trials": 0}, ["--trials 0", "from 1 to 1000"]),
    "negative trials": ({"trials": -1}, ["--trials -1", "from 1 to 1000"]),
    "output of several": ({"trials": 2, "output": "x"}, ["--output takes the output of one trial"]),
    "trace of several": (
        {"source": "1,2", "trace": "x"},
        ["--trace takes the output of one trial", "this run has 2"],
    ),
    "events of several": ({"trials": 2, "events": "x"}, ["--events takes the output of one trial"]),
    "one of the sources": ({"source": "1,2,99999999"}, ["--source 99999999", "no such vertex"]),
    "sources for none": ({"workload": "wcc", "source": "1,2"}, ["wcc has no source"]),
    "source left out": (
        {"source": "3,4,5", "trials": 2},
        ["--trials 2 would leave out some of the 3 vertices that --source names"],
    ),
    "missing source": ({"source": "3,,4"}, ["--source '3,,4': a source is missing"]),
    "source after a comma": ({"source": "3,"}, ["--source '3,': a source is missing"]),
    "empty source": ({"source": ""}, ["--source '': a source is missing"]),
    "two sources": (
        {"source": 3, "set": "source=5"},
        ["--set source=5 and --source 3 name the source twice"],
    ),
    "many sources": (
        {"source": ",".join(map(str, range(1002)))},
        ["--source: 1002 vertices need a trial each, but a run has at most 1000"],
    ),
    "no seed": ({"source": "random:"}, ["--source random:", "random:SEED"]),
    "great seed": ({"source": "random:99999999999999999999"}, ["random:SEED"]),
    "threads": ({"threads": 0}, ["--threads 0", "from 1 to"]),
    "threads in memory": ({"threads": 0, "engine": "in_memory"}, ["--threads 0", "from 1 to"]),
    "many threads": ({"threads": 1000000, "engine": "in_memory"}, ["--threads 1000000"]),
    "depth": ({"depth": 0}, ["--depth 0", "from 1 to"]),
    "no request": ({"max_request": 0}, ["--max-request 0", "from 4096 to"]),
    "great depth": ({"depth": 4000000000}, ["--depth 4000000000", "from 1 to"]),
    "frames": ({"frames": "64X"}, ["--frames 64X", "64K, 512M"]),
    "no intervals": ({"engine": "sync_subgraph:p=0"}, ["p=0", "from 1 to"]),
    "no bins": ({"engine": "binning:bins=0"}, ["bins=0", "from 1 to"]),
    "setting": ({"engine": "async_block:mod=sync"}, ["'mod'", "did you mean 'mode'?"]),
    "no settings": (
        {"engine": "in_memory:x=1"},
        ["engine in_memory takes no parameters, but 'x=1' was given"],
    ),
    "no such setting": ({"engine": "async_block:mode=both"}, ["mode=both", "async, sync"]),
    "early stop": ({"engine": "async_block:early_stop=256"}, ["early_stop=256", "from 0 to 255"]),
    "too far ahead": (
        {"engine": "async_block:ahead=4294967296"},
        ["ahead=4294967296", "from 0 to"],
    ),
    "fault plan": ({"backend": "fault", "fault": "oie@3"}, ["'oie@3'", "eio@N"]),
    "fault without fault": ({"fault": "eio@3"}, ["--backend fault"]),
}


@pytest.mark.parametrize("name", BAD_USE)
def test_bad_use_is_refused_before_anything_starts(runs: Runs, name: str) -> None:
    options, words = BAD_USE[name]
    record, message = runs.fail(2, **options)
    assert record is None, "nothing ran"
    for word in words:
        assert word in message


def every_parameter() -> list[tuple[str, str]]:
    """For every workload that exists, as `outcore list` says."""
    if not BINARY.exists():
        return []
    workloads = json.loads(outcore("list", "--json").stdout)["workloads"]
    return [(w["name"], p["name"]) for w in workloads for p in w["parameters"]]


@pytest.mark.parametrize(("workload", "parameter"), every_parameter())
def test_no_parameter_takes_nonsense(runs: Runs, workload: str, parameter: str) -> None:
    for value in ("nan", "-1", "-0.5", "", "1e400", "0x10"):
        record, message = runs.fail(2, workload=workload, set=f"{parameter}={value}")
        assert record is None, "nothing ran"
        assert (
            f"{parameter}={value}: expected" in message or f"--set source={value}: write" in message
        )


def test_frames_too_small_for_the_engine_are_refused(runs: Runs) -> None:
    record, message = runs.fail(2, frames="4K", threads=2)
    assert "--frames 4096 is too small: 2 threads need a block of 4.0 KiB each" in message
    assert record["outcome"]["status"] == "failed"


@pytest.mark.parametrize("workload", ["spmv", "sssp"])
def test_weights_that_the_graph_has_not_are_refused(runs: Runs, workload: str) -> None:
    record, message = runs.fail(2, workload=workload, set="weights=given")
    assert f"{workload} weights=given: the graph has none; use weights=hashed" in message
    assert record["outcome"]["status"] == "failed"


@pytest.mark.parametrize(
    ("workload", "source", "setting", "told"),
    [
        ("bc", "1", "roots=2", "--source 1: that is one vertex but 2 are wanted; name as many"),
        ("ppr", "1+2+3", "sources=2", "--source 1+2+3: that is 3 vertices but 2 are wanted;"),
        ("ppr", "1+2+1", "sources=3", "--source 1+2+1: 1 is named twice"),
        (
            "ppr",
            "1+4096",
            "sources=2",
            "--source 1+4096: there is no vertex 4096; the graph has 4096",
        ),
        (
            "bfs",
            "1+2",
            None,
            "--source 1+2: those are 2 vertices, but this begins at one; separate",
        ),
    ],
)
def test_sources_of_another_number_are_refused_before_an_engine_is_built(
    runs: Runs, workload: str, source: str, setting: str | None, told: str
) -> None:
    record, message = runs.fail(2, workload=workload, source=source, set=setting)
    assert told in message
    assert record is None, "refused before anything was begun"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "unknown verb 'rnu'; there are: cachesim, check, "),
        (["rnu"], "mean 'run'?"),
        (["generate", "kroneker"], "unknown graph to generate 'kroneker'; there are: kronecker, "),
        (["generate", "grid", "--colums", "3"], "unknown option of grid '--colums'; "),
        (["run", "g", "--sorce=3"], "mean '--source'?"),
        (["--verison"], "mean '--version'?"),
        (["layout", "GRAPH", "--pack", "lpfl"], "mean 'lplf'?"),
        (["layout", "GRAPH", "--preset", "acgrph"], "mean 'acgraph'?"),
        (["layout", "GRAPH", "--codec", "varnt"], "mean 'varint'?"),
        (["export", "GRAPH", "x.sg", "--format", "pairs23"], "mean 'pairs32'?"),
    ],
)
def test_unknown_names_say_what_there_is_and_the_nearest(
    runs: Runs, words: list[str], message: str
) -> None:
    done = outcore(*(runs.graph if word == "GRAPH" else word for word in words), check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert "there are: " in done.stderr


def test_unknown_and_missing_options_exit_with_2(runs: Runs) -> None:
    done = outcore(*runs.words(), "--bogus", check=False)
    assert done.returncode == 2
    assert "--bogus" in done.stderr
    done = outcore(*runs.words(engine=None), check=False)
    assert done.returncode == 2
    assert done.stderr == "outcore: run needs --engine; --help explains them\n"
    done = outcore("run", check=False)
    assert done.returncode == 2
    assert "run needs graph, --engine, --workload; " in done.stderr


def test_a_missing_graph_names_the_verbs_that_make_one(tmp_path: Path) -> None:
    _, message = Runs(tmp_path / "nowhere", tmp_path).fail(3)
    assert "nowhere" in message
    assert "'outcore generate' and 'outcore import'" in message


def test_a_source_that_the_imported_file_does_not_know_is_refused(tmp_path: Path) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("100 7\n")
    runs = Runs(tmp_path / "graph", tmp_path)
    outcore("import", edges, runs.graph, "--symmetric")
    outcore("layout", runs.graph)
    there_are = "there is no such vertex; the graph has 2, with ids from 7 to 100 in its file"
    _, message = runs.fail(2, source=1)
    assert f"--source 1: {there_are}" in message
    _, message = runs.fail(2, workload="dfs", set="target=1")
    assert f"--set target=1: {there_are}" in message


@pytest.mark.parametrize("option", ["record", "output", "trace"])
def test_a_path_that_cannot_be_written_is_told_before_the_run(runs: Runs, option: str) -> None:
    file = runs.folder / "file"
    file.write_text("")
    code = outcore(*runs.words(**{"record": None, option: file / "below"}), check=False)
    assert code.returncode == 2, code.stderr
    assert f"there is no folder {file}; make it" in code.stderr
    code = outcore(*runs.words(**{"record": None, option: runs.folder}), check=False)
    assert code.returncode == 2, code.stderr
    assert "is a folder" in code.stderr
