# SPDX-License-Identifier: Apache-2.0
"""Imports and exports as users see them: from pipes, killed, refused, over existing files."""

import gzip
import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import BINARY, TALKING, outcore


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text of some megabytes, which takes a while to import."""
    source = random.Random(1)
    path = tmp_path_factory.mktemp("edges") / "edges.wel"
    with path.open("w") as file:
        for _ in range(300_000):
            file.write(f"{source.randrange(9000)} {source.randrange(9000)} {source.random():.3f}\n")
    return path


def kill_later_and_later(result: Path, *words: object) -> None:
    """Kill later and later until the result exists; then it must be complete."""
    seconds = 0.001
    killed = 0
    while not result.exists():
        with subprocess.Popen([str(BINARY), *map(str, words)]) as process:
            time.sleep(seconds)
            process.kill()
        assert process.returncode in (0, -signal.SIGKILL), "what was left is in the way"
        killed += process.returncode != 0
        seconds *= 1.5
    assert killed > 0


def test_a_killed_import_leaves_nothing_under_the_graphs_name(edges: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    kill_later_and_later(graph, "import", edges, graph, "--memory", "1M")
    outcore("check", graph)
    assert [path.name for path in tmp_path.iterdir()] == ["graph"]


def test_a_killed_export_leaves_nothing_under_the_files_name(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    outcore("export", tmp_path / "graph", tmp_path / "whole.adj")
    kill_later_and_later(tmp_path / "x.adj", "export", tmp_path / "graph", tmp_path / "x.adj")
    assert (tmp_path / "x.adj").read_bytes() == (tmp_path / "whole.adj").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph", "whole.adj", "x.adj"]


def export_to_pipe(*words: object) -> "subprocess.CompletedProcess[bytes]":
    """`outcore export` with these arguments, and what it wrote to its standard output."""
    command = [str(BINARY), "export", *map(str, words)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False)


def test_the_standard_output_gets_the_same_bytes_as_a_file(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    for name in ("el", "sg", "adj"):
        outcore("export", tmp_path / "graph", tmp_path / f"x.{name}")
        done = export_to_pipe(tmp_path / "graph", "-", "--format", name)
        assert done.returncode == 0, done.stderr
        assert done.stdout == (tmp_path / f"x.{name}").read_bytes()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["graph", "x.adj", "x.el", "x.sg"]


def test_the_standard_output_has_no_ending_to_go_by(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    done = export_to_pipe(tmp_path / "graph", "-")
    assert done.returncode == 2
    assert b"the standard output: its ending means no format; give --format" in done.stderr
    assert done.stdout == b""


def test_weights_are_shown_and_come_back(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    assert "directed, weighted" in outcore("inspect", tmp_path / "graph").stdout
    outcore("export", tmp_path / "graph", tmp_path / "x.wel")
    outcore("import", tmp_path / "x.wel", tmp_path / "again")
    for name in ("out.targets", "out.weights", "in.weights"):
        assert (tmp_path / "graph" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_refusals_name_the_line_and_exit_with_bad_input(tmp_path: Path) -> None:
    (tmp_path / "a.wel").write_text("0 1 2\n1 0 nan\n")
    done = outcore("import", tmp_path / "a.wel", tmp_path / "graph", check=False)
    assert done.returncode == 3
    assert "a.wel:2: found 'nan', expected a weight (a finite number)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.wel"]


def test_existing_results_are_replaced_only_with_force(tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n")
    outcore("import", tmp_path / "a.el", tmp_path / "graph")
    (tmp_path / "b.el").write_text("0 1\n1 0\n")
    words = ("import", tmp_path / "b.el", tmp_path / "graph")
    done = outcore(*words, check=False)
    assert done.returncode == 2
    assert "--force" in done.stderr
    assert "1 edges" in outcore("inspect", tmp_path / "graph").stdout
    outcore(*words, "--force")
    assert "2 edges" in outcore("inspect", tmp_path / "graph").stdout


def test_force_replaces_graphs_only(tmp_path: Path) -> None:
    (tmp_path / "a.el").write_text("0 1\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "precious").write_text("")
    for target in ("home", "a.el"):
        done = outcore("import", tmp_path / "a.el", tmp_path / target, "--force", check=False)
        assert done.returncode == 2
        assert f"{target} is not replaced: it is no folder with a graph.json" in done.stderr
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["precious"]


@pytest.mark.parametrize(
    ("target", "code", "message"),
    [
        ("a.el/graph", 4, "a.el/graph.pending: cannot create the folder: Not a directory"),
        ("", 2, "a folder to be made has no name"),
        ("closed/graph", 4, "closed/graph: Permission denied (errno 13)"),
        ("shut/graph", 4, "shut/graph.pending: cannot create the folder: Permission denied"),
    ],
)
def test_places_that_no_graph_can_have(
    tmp_path: Path, target: str, code: int, message: str
) -> None:
    """Run as nobody if we are root, who may write everywhere."""
    (tmp_path / "a.el").write_text("0 1\n")
    (tmp_path / "closed").mkdir(mode=0o000)
    (tmp_path / "shut").mkdir(mode=0o555)
    words = [BINARY, "import", tmp_path / "a.el", tmp_path / target if target else ""]
    nobody = 65534 if os.geteuid() == 0 else None
    if nobody is not None:
        open_up(tmp_path)
    try:
        done = subprocess.run(
            words, user=nobody, group=nobody, capture_output=True, text=True, check=False
        )
    except PermissionError:
        pytest.skip("nobody may not run the binary here")
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def open_up(folder: Path) -> None:
    """Let other users pass to `folder`, which pytest makes for its own user alone."""
    for parent in folder.parents[:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    folder.chmod(0o755)


def test_a_limit_of_file_sizes_is_an_error_like_a_full_disk(edges: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["prlimit", "--fsize=100000", str(BINARY), "import", str(edges), str(tmp_path / "graph")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "File too large" in done.stderr
    assert not list(tmp_path.iterdir())


def import_from(stdin: bytes, *words: object) -> subprocess.CompletedProcess[bytes]:
    """Run `outcore import -` with these bytes as its standard input."""
    command = [str(BINARY), "import", "-", *map(str, words)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)


def test_the_standard_input_gives_the_same_graph_as_the_file(edges: Path, tmp_path: Path) -> None:
    outcore("import", edges, tmp_path / "graph")
    text = edges.read_bytes()
    for name, stdin in {"plain": text, "packed": gzip.compress(text, 1)}.items():
        done = import_from(stdin, tmp_path / name, "--format", "wel", "--memory", "4M")
        assert done.returncode == 0, done.stderr
        for file in ("out.offsets", "out.targets", "out.weights", "in.targets"):
            assert (tmp_path / name / file).read_bytes() == (tmp_path / "graph" / file).read_bytes()
        outcore("check", tmp_path / name)


def test_a_shells_process_substitution_and_redirection(edges: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    for command in (
        f"{BINARY} import <(cat {edges}) {graph} --format wel --force",
        f"{BINARY} import - {graph} --format wel --force < {edges}",
    ):
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "300000 edges" in outcore("inspect", graph).stdout.replace(",", "")


@pytest.mark.parametrize(
    ("stdin", "words", "code", "message"),
    [
        (b"0 1\n1 x\n", ["--format", "el"], 3, "standard input:2: found 'x', expected a vertex id"),
        (b"", [], 3, "standard input: found no edges"),
        (b"\0\1\2\3", [], 3, "standard input: found bytes that are no text"),
        (b"0 9\n", [], 3, "save it to a file and import the file"),
        (b"x", ["--format", "sg"], 2, "standard input: can be read only once, but sg is read"),
        (b"123456789", ["--format", "pairs32"], 3, "standard input at offset 8: found 1 bytes"),
    ],
)
def test_what_a_pipe_cannot_give_is_refused(
    stdin: bytes, words: list[str], code: int, message: str, tmp_path: Path
) -> None:
    done = import_from(stdin, tmp_path / "graph", *words)
    assert done.returncode == code
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_terminal_is_no_graph(tmp_path: Path) -> None:
    terminal, other_end = pty.openpty()
    command = [str(BINARY), "import", "-", str(tmp_path / "graph")]
    done = subprocess.run(command, stdin=other_end, capture_output=True, check=False, timeout=60)
    os.close(terminal)
    os.close(other_end)
    assert done.returncode == 2
    assert b"a terminal here; expected a graph through a pipe" in done.stderr


def test_progress_of_a_pipe_has_a_rate_and_no_total(tmp_path: Path) -> None:
    terminal, other_end = pty.openpty()
    command = [str(BINARY), "import", "-", str(tmp_path / "graph"), "--format", "el"]
    # An import that shows nothing would be fed until the disk is full.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=other_end, env=TALKING) as process:
        os.close(other_end)
        assert process.stdin is not None
        shown = b""
        os.set_blocking(terminal, False)
        deadline = time.monotonic() + 60
        while not (line := re.search(rb"importing: [^\r]*bytes/s", shown)):
            assert time.monotonic() < deadline, shown
            process.stdin.write(b"1 2\n" * 100_000)
            time.sleep(0.05)
            try:
                shown += os.read(terminal, 4096)
            except BlockingIOError:
                continue
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    os.close(terminal)
    assert re.fullmatch(rb"importing: \d+\.\d M bytes, \d+\.\d M bytes/s", line[0])


PEAK_OF = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


@pytest.mark.parametrize(("memory", "threads"), [(64, 2), (64, 7), (40, 2)])
def test_memory_stays_within_its_bound_through_a_pipe(
    memory: int, threads: int, tmp_path: Path
) -> None:
    words = bytearray(random.Random(2).randbytes(4 << 20))
    words[2::4] = bytes(byte & 3 for byte in words[2::4])
    words[3::4] = bytes(len(words) // 4)
    # Started by a small process, because memory from before exec counts in a child's peak.
    command = [sys.executable, "-c", PEAK_OF, str(BINARY), "import", "-", str(tmp_path / "graph")]
    command += ["--format", "pairs32", "--memory", f"{memory}M"]
    command += ["--threads", str(threads)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(24):
            process.stdin.write(words)
        process.stdin.close()
        peak_kb = int(process.stdout.read().split()[-1])
    assert process.returncode == 0
    assert peak_kb <= memory << 10
    assert "12582912 edges" in outcore("inspect", tmp_path / "graph").stdout.replace(",", "")
