# SPDX-License-Identifier: Apache-2.0
"""`outcore probe`: its document, what it leaves behind (nothing), what it refuses."""

import json
import signal
import subprocess
import time
import tomllib
from pathlib import Path

import jsonschema
import pytest

from .conftest import BINARY, ROOT, outcore

SCHEMA = json.loads((ROOT / "configs" / "schema" / "probe.schema.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder on a disk; skips if there is none, with the probe's own reason."""
    below = ROOT / "build" / "test-files"
    below.mkdir(parents=True, exist_ok=True)
    folder = below / tmp_path.name
    folder.mkdir(exist_ok=True)
    return folder


def test_the_document_is_what_the_schema_says(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "local.toml"
    words = ["probe", folder, "--seconds", 3, "--size", "64M", "--json", "--output", path]
    done = outcore(*words, check=False)
    if done.returncode != 0 and "refuses O_DIRECT" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    document = tomllib.loads(path.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert json.loads(done.stdout) == document
    assert not list(folder.iterdir()), "the scratch file is gone"
    rates = {
        row["concurrency"]: row["mb_per_s"]
        for row in document["rates"]
        if (row["pattern"], row["bytes"]) == ("random", 4096)
    }
    assert document["read"]["t_rr_mb_per_s"] == max(rates.values())
    powers = [rates[1 << i] for i in range(8)]
    assert document["read"]["t_sr_mb_per_s"] > 0, "measured, however short the time"
    assert document["cost"]["busy"]["kb_us"] > 0
    assert rates[document["read"]["k_r"]] >= 0.899 * max(powers)
    assert document["probe"]["file_bytes"] == 64 << 20
    sizes = [4096 << 2 * i for i in range(5)]
    written = [(row["bytes"], row["concurrency"]) for row in document["writes"]]
    assert written == [(size, depth) for size in sizes for depth in (1, 4, 16)]
    assert [row["bytes"] for row in document["commits"]] == sizes
    folder.rmdir()


def test_ctrl_c_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "local.toml"
    words = [str(BINARY), "probe", str(folder), "--size", "64M", "--output", str(output)]
    with subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    assert process.returncode != 0
    assert not list(folder.iterdir())
    assert not output.exists(), "a result appears whole or not at all"
    folder.rmdir()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/nowhere"], "/nowhere is no folder; name one on the device"),
        (["/proc"], "/proc lies on proc, which is on no device of this machine"),
        (["/", "--seconds", "0"], "--seconds 0: expected a number from 3"),
        (["/", "--seconds", "nan"], "--seconds nan: expected a number from 3"),
        (["/", "--size", "64X"], "--size 64X"),
        (["/", "--size", "1M"], "--size 1.0 MiB: expected at least 64.0 MiB"),
    ],
)
def test_what_cannot_be_measured_is_refused(words: list[str], message: str, tmp_path: Path) -> None:
    done = outcore("probe", *words, "--output", tmp_path / "local.toml", check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "devices").glob("*.toml")))
def test_device_files_are_what_their_schema_says(path: Path) -> None:
    name = "probe" if path.stem == "local" else "device"
    schema = json.loads((ROOT / "configs" / "schema" / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(tomllib.loads(path.read_text()))
