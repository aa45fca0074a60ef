# SPDX-License-Identifier: Apache-2.0
"""What people expect of any command line: help, silence, JSON, completion, manual pages."""

import json
import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import BINARY, Runs, outcore

VERBS = [
    *("cachesim", "check", "completion", "export", "freeze", "generate", "import", "ingest"),
    *("inspect", "layout", "list", "man", "plan", "probe", "query", "race", "run", "stream"),
    *("symmetrise", "trace", "verify"),
]


def told(*words: object, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A call that is not quiet, unless the environment says so."""
    rest = {name: value for name, value in os.environ.items() if name != "OUTCORE_QUIET"}
    command = [str(BINARY), *map(str, words)]
    return subprocess.run(
        command, env=rest | environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("words", [[], ["help"], ["--help"]])
def test_verbs_are_listed(words: list[str]) -> None:
    shown = outcore(*words).stdout
    for verb in VERBS:
        assert f"\n  {verb} " in shown


def test_help_of_a_verb_is_its_own() -> None:
    assert outcore("help", "run").stdout == outcore("run", "--help").stdout
    assert outcore("help", "generate", "grid").stdout == outcore("generate", "grid", "-h").stdout
    done = outcore("help", "rum", check=False)
    assert done.returncode == 2 and "did you mean 'run'?" in done.stderr


def test_what_is_listed_fits_a_terminal() -> None:
    shown = [outcore(verb, "--help").stdout for verb in VERBS] + [outcore("list", "all").stdout]
    lines = [line for text in shown for line in text.splitlines()]
    assert [line for line in lines if len(line) > 120] == []
    assert max(map(len, lines)) > 100, "and uses it"


def test_the_version_is_told_in_each_way() -> None:
    shown = outcore("--version").stdout
    assert shown.startswith("outcore 0.")
    assert shown == outcore("-V").stdout == outcore("version").stdout


def test_every_verb_that_does_something_has_json(kronecker: Path, tmp_path: Path) -> None:
    """All but those whose output is for another program already."""
    for verb in sorted({*VERBS} - {"completion", "man", "generate", "stream"}):
        assert "--json" in outcore(verb, "--help").stdout, verb
    grid = tmp_path / "grid"
    made = json.loads(
        outcore("generate", "grid", "--rows", 4, "--columns", 5, grid, "--json").stdout
    )
    assert (made["graph"], made["vertices"], made["edges"]) == (str(grid), 20, 62)
    layout = json.loads(outcore("layout", grid, "--preset", "cave", "--json").stdout)
    assert (layout["name"], layout["choices"]["pack"]) == ("cave", "firstfit")
    assert layout["layout"] == str(grid / "layouts" / "cave")
    checked = json.loads(outcore("check", grid, "--json").stdout)
    assert checked["graph"] == str(grid) and any("layout cave" in line for line in checked["held"])
    file = tmp_path / "grid.el"
    written = json.loads(outcore("export", grid, file, "--json").stdout)
    assert written["bytes"] == file.stat().st_size
    refused = outcore("export", grid, "-", "--format", "el", "--json", check=False)
    assert refused.returncode == 2 and "name a file" in refused.stderr


def test_making_and_writing_say_what_was_done(tmp_path: Path) -> None:
    grid = tmp_path / "grid"
    said = outcore("generate", "grid", "--rows", 4, "--columns", 5, grid).stdout
    assert said.startswith(f"{grid}: 20 vertices and 62 edges, symmetric; ")
    assert outcore("export", grid, tmp_path / "g.el").stdout.startswith(f"{tmp_path / 'g.el'}: ")
    assert outcore("export", grid, "-", "--format", "el").stdout.count("\n") == 62


def test_a_run_says_first_what_it_needs(runs: Runs) -> None:
    """On stderr, in one line, with every part; and whether it fits."""
    done = told(*runs.words(frames="1M"))
    (line,) = done.stderr.splitlines()
    assert line.startswith("concurrent on firstfit needs at least ")
    for part in ("frames 1.0 MiB", "program ", "index "):
        assert part in line
    fits = told(*runs.words(frames="1M", memory="512M"))
    assert fits.stderr.rstrip().endswith("; in 512.0 MiB it fits")
    tight = told(*runs.words(frames="16M", memory="20M", workload="pagerank"))
    assert "; in 20.0 MiB it " in tight.stderr.splitlines()[0]


def test_what_a_plan_says_of_a_run_is_what_plan_says(runs: Runs) -> None:
    (line,) = told(*runs.words(frames="1M", workload="wcc")).stderr.splitlines()
    rows = json.loads(
        outcore("plan", runs.graph, "--workload", "wcc", "--frames", "1M", "--json").stdout
    )
    row = next(r for r in rows if (r["engine"], r["layout"]) == ("concurrent", "firstfit"))
    named = set(row["parts"])
    assert {part for part in named if f"{part} " in line} >= {"frames", "index", "program"}


@pytest.mark.parametrize("quietly", [["--quiet"], ["-q"], []])
def test_quiet_is_quiet(runs: Runs, quietly: list[str]) -> None:
    environment = {} if quietly else {"OUTCORE_QUIET": "1"}
    done = told(*runs.words(), *quietly, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "  answer " in done.stdout
    failed = told(*runs.words(workload="nothing"), *quietly, **environment)
    assert failed.returncode == 2 and failed.stderr.startswith("outcore: ")


def test_the_environment_stands_for_options(runs: Runs) -> None:
    """And is seen in the record's command, which a shell can run again."""
    told(*runs.words(frames=None), OUTCORE_FRAMES="2M", OUTCORE_THREADS="3", OUTCORE_BACKEND="mem")
    asked = runs.record()["asked"]
    assert (asked["frames_bytes"], asked["threads"], asked["backend"]) == (2 << 20, 3, "mem")
    settings = ["OUTCORE_BACKEND=mem", "OUTCORE_FRAMES=2M", "OUTCORE_THREADS=3"]
    assert asked["command"][:3] == settings
    told(*runs.words(frames="1M"), OUTCORE_FRAMES="2M")
    assert runs.record()["asked"]["frames_bytes"] == 1 << 20, "the command line wins"
    refused = told(*runs.words(), OUTCORE_MEMORY="many")
    assert refused.returncode == 2 and "many" in refused.stderr


def on_a_terminal(*words: str, **environment: str) -> bytes:
    """What stderr gets where it is a terminal."""
    near, far = pty.openpty()
    process = subprocess.Popen(
        [str(BINARY), *words],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=far,
    )
    process.wait(timeout=60)
    os.close(far)
    said = os.read(near, 4096)
    os.close(near)
    return said


def test_errors_are_red_on_a_terminal_unless_colour_is_refused() -> None:
    assert b"\033[31moutcore:" in on_a_terminal("rum")
    assert b"\033" not in on_a_terminal("rum", NO_COLOR="1")
    assert "\033" not in outcore("rum", check=False).stderr


def completed(*words: str, folder: Path | None = None) -> set[str]:
    """What bash offers for the last word."""
    script = """
        source <("$0" completion bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _outcore
        printf '%s\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "-c", script, str(BINARY), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_verbs_options_and_names(kronecker: Path) -> None:
    assert completed("outcore", "r") == {"race", "run"}
    assert completed("outcore", "") >= {*VERBS, "help"}
    assert {"--engine", "--workload", "--quiet"} <= completed("outcore", "run", "g", "--")
    assert completed("outcore", "run", "g", "--eng") == {"--engine"}
    listed = json.loads(outcore("list", "engines", "--json").stdout)["engines"]
    names = {entry["name"] for entry in listed}
    assert completed("outcore", "run", "g", "--engine", "") == names
    assert completed("outcore", "generate", "k") == {"kronecker"}
    layouts = {path.name for path in (kronecker / "layouts").iterdir()}
    assert completed("outcore", "run", str(kronecker), "--layout", "") == layouts
    assert completed("outcore", "run", "") == set(), "files, as bash knows them"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_theirs(shell: str, tmp_path: Path) -> None:
    script = tmp_path / f"outcore.{shell}"
    script.write_text(outcore("completion", shell).stdout)
    assert "--engine" in script.read_text() or "-l engine" in script.read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", script], check=True, timeout=60)


def test_fish_completes(tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    script = tmp_path / "outcore.fish"
    script.write_text(outcore("completion", "fish").stdout)
    command = f"source {script}; complete -C 'outcore run g --engine async'"
    environment = os.environ | {"HOME": str(tmp_path)}
    done = subprocess.run(
        ["fish", "-c", command], env=environment, capture_output=True, text=True, timeout=60
    )
    assert "async_block" in done.stdout


def test_an_unknown_shell_is_named() -> None:
    done = outcore("completion", "bsh", check=False)
    assert done.returncode == 2 and "did you mean 'bash'?" in done.stderr


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_manual_pages_are_read_without_a_complaint(verb: str) -> None:
    page = outcore("man", *([verb] if verb else [])).stdout
    assert page.startswith(".TH ")
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("no man here")
    done = subprocess.run(
        ["man", "--warnings", "-l", "-"],
        input=page,
        env=os.environ | {"MANWIDTH": "100", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    assert ("--quiet" if verb else "OUTCORE_MEMORY") in done.stdout
    assert "EXIT STATUS" in done.stdout


def test_lists_by_kind(kronecker: Path) -> None:
    overview = outcore("list").stdout
    header = next(line for line in overview.splitlines() if line.split()[:1] == ["workload"])
    row = next(line for line in overview.splitlines() if line.split()[:1] == ["dfs"])
    runs = dict(zip(header.split()[1:], row.split()[1:], strict=True))
    assert runs["concurrent"] == "yes" and runs["sync_subgraph"] == "-"
    engines = json.loads(outcore("list", "engines", "--json").stdout)
    assert set(engines) == {"engines"}
    assert set(json.loads(outcore("list", "layouts", "--json").stdout)) == {
        *("codecs", "numbers", "packs", "places", "presets"),
    }
    workloads = json.loads(outcore("list", "workloads", "--json").stdout)["workloads"]
    for workload in workloads:
        named = {name for name, yes in runs.items() if yes == "yes"}
        if workload["name"] == "dfs":
            assert set(workload["engines"]) == named
    assert "--set iterations=10" in outcore("list", "workloads").stdout
    done = outcore("list", "engine", check=False)
    assert done.returncode == 2 and "did you mean 'engines'?" in done.stderr


def test_an_engine_that_cannot_names_those_that_can(runs: Runs) -> None:
    _, message = runs.fail(2, engine="sync_subgraph", workload="dfs", layout=None)
    assert "it does not offer drive" in message and "; these can: " in message
    assert "concurrent" in message


@pytest.mark.parametrize(
    ("words", "starts"),
    [
        ("--version", 1),
        ("list engines", 1),
        ("run GRAPH --engine async_block --workload bfs", 1),
        ("run GRAPH --engine in_memory --workload bfs", 2),
    ],
)
def test_only_what_uses_openmp_starts_twice(words: str, starts: int, kronecker: Path) -> None:
    asked = words.replace("GRAPH", str(kronecker)).split()
    done = told(*asked, LD_DEBUG="statistics")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("total startup time in dynamic loader") == starts
