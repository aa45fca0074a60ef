# SPDX-License-Identifier: Apache-2.0
"""`import outcore`, and the program packed with its libraries."""

import os
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import outcore as program

from .conftest import BINARY, ROOT, Runs, outcore, read_record


@pytest.fixture(autouse=True)
def this_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTCORE_BINARY", str(BINARY))


def test_a_run_gives_a_frame_and_the_record(runs: Runs) -> None:
    graph = program.open(runs.graph)
    values, record = graph.run(
        "kcore", engine="concurrent", layout="firstfit", memory="512M", parameters={"k": 3}
    )
    assert list(values.columns) == ["vertex", "value"]
    assert len(values) == record["graph"]["vertices"] == 4096
    assert values["value"].sum() == record["answer"]["summary"]["in_core"] > 0
    assert record["asked"]["memory_bytes"] == 512 << 20
    by_hand = runs.run(workload="kcore", set="k=3")
    assert record["answer"]["digest"] == by_hand["answer"]["digest"]
    path = runs.folder / "kept.json"
    graph.run("bfs", engine="in_memory", layout="csr", verify=True, record=path)
    assert read_record(path)["answer"]["verified"]["passed"]


def test_names_of_the_file_are_those_of_the_frame(tmp_path: Path) -> None:
    (tmp_path / "links.csv").write_text("from,to\nx.org,y.org\ny.org,z.org\nu.org,v.org\n")
    graph = program.read(tmp_path / "links.csv", tmp_path / "g", ids="string", symmetric=True)
    assert graph.layout(preset="cave") == "cave"
    values = graph.run("wcc", engine="concurrent").values
    of = dict(zip(values["vertex"], values["value"], strict=True))
    assert set(of) == {"x.org", "y.org", "z.org", "u.org", "v.org"}
    assert of["x.org"] == of["z.org"] != of["u.org"]
    assert graph.inspect()["vertices"] == 5


def test_a_graph_is_generated_and_its_trace_replayed(tmp_path: Path) -> None:
    graph = program.generate("grid", tmp_path / "grid", rows=32, columns=64)
    assert graph.inspect()["vertices"] == 32 * 64
    with pytest.raises(program.Error, match="--force"):
        program.generate("grid", tmp_path / "grid", rows=32, columns=64)
    layout = graph.layout(preset="csr")
    trace = tmp_path / "bfs.oct"
    record = graph.run("bfs", engine="concurrent", layout=layout, frames="1M", trace=trace).record
    replayed = program.cachesim(trace, policy="opt,lru", sizes="50%,1M")
    assert list(replayed["policy"]) == ["opt", "opt", "lru", "lru"]
    assert set(replayed["accesses"]) == {sum(of["blocks"] for of in record["rounds"])}
    # What holds everything reads each block once.
    blocks = record["layout"]["facts"]["blocks"]
    assert set(replayed[replayed["size_bytes"] == 1 << 20]["misses"]) == {blocks}


def test_plans_and_races_are_frames(runs: Runs) -> None:
    graph = program.open(str(runs.graph))
    plan = graph.plan("bfs", frames="1M")
    assert {"engine", "layout", "bytes", "verdict"} <= set(plan.columns)
    assert pd.isna(plan.set_index(["engine", "layout"])["bytes"]).sum() < len(plan)


def test_errors_are_the_programs_own_words(runs: Runs, tmp_path: Path) -> None:
    graph = program.open(runs.graph)
    with pytest.raises(program.Error, match="did you mean 'bfs'") as caught:
        graph.run("bsf", engine="concurrent")
    assert caught.value.code == 2
    assert not str(caught.value).startswith("outcore: ")
    with pytest.raises(FileNotFoundError, match="holds no graph"):
        program.open(tmp_path)


def test_a_packed_program_needs_nothing_of_its_machine_but_the_c_library(tmp_path: Path) -> None:
    place = tmp_path / "a place"
    subprocess.run([ROOT / "scripts" / "pack", BINARY, place], check=True, timeout=120)
    packed = place / "bin" / "outcore"
    linked = subprocess.run(["ldd", packed], capture_output=True, text=True, check=True).stdout
    for line in linked.splitlines():
        name, _, path = line.strip().partition(" => ")
        if not path or name.startswith(("libc.so", "libm.so")):
            continue
        assert Path(path.split(" (")[0]).resolve().parent == (place / "lib").resolve(), name
    licences = {path.name for path in (place / "share/doc/outcore/licences").iterdir()}
    assert {"libfmt9", "zlib1g", "libstdc++6", "nlohmann-json3-dev", "LGPL-2.1"} <= licences
    environment = {name: value for name, value in os.environ.items() if name != "OUTCORE_DEVICES"}
    outcore("generate", "grid", "--rows", 8, "--columns", 8, tmp_path / "grid")
    outcore("layout", tmp_path / "grid", "--pack", "csr")
    words = ["run", str(tmp_path / "grid"), "--engine", "concurrent", "--workload", "bfs"]
    words += ["--device", "optane", "--dilation", "18000", "--backend", "mem"]
    done = subprocess.run(
        [packed, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "reached 64 of 64 vertices" in done.stdout and "modelled optane" in done.stdout


def test_the_tarball_has_what_a_shell_looks_for(tmp_path: Path) -> None:
    """Of each verb a manual page, and completion for three shells."""
    subprocess.run([ROOT / "scripts" / "dist", tmp_path], check=True, timeout=120)
    (tarball,) = tmp_path.iterdir()
    place = tmp_path / tarball.name.removesuffix(".tar.gz")
    subprocess.run(["tar", "-C", tmp_path, "-xzf", tarball], check=True, timeout=60)
    pages = {page.stem for page in (place / "share" / "man" / "man1").iterdir()}
    verbs = set(re.findall(r"^  ([a-z]+)  ", outcore("help").stdout, re.MULTILINE))
    assert pages == {"outcore"} | {f"outcore-{verb}" for verb in verbs}
    assert {"run", "race", "import"} < verbs
    for path in ("bash-completion/completions/outcore", "zsh/site-functions/_outcore"):
        assert "outcore" in (place / "share" / path).read_text()
    assert (place / "share" / "fish" / "vendor_completions.d" / "outcore.fish").exists()
    version = [place / "bin" / "outcore", "--version"]
    assert subprocess.run(version, capture_output=True, text=True, check=True).stdout == (
        outcore("--version").stdout
    )
