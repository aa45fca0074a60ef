# SPDX-License-Identifier: Apache-2.0
"""Make graphs, layouts, streams and stores, and replay traces, with the outcore binary."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import struct
import subprocess
import time
from pathlib import Path
from typing import Any

from outcore_analysis.faults import ToldError
from outcore_analysis.ingestion import INGEST, engine_of
from outcore_analysis.locks import held

Json = dict[str, Any]


class StepError(ToldError):
    """The binary refused a step; the message is the binary's own."""


def options_of(values: Json) -> list[str]:
    """Return {"scale": 18, "symmetric": True} as command line options."""
    words: list[str] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if value is not False:
            words += [option] if value is True else [option, str(value)]
    return words


def run_binary(command: list[str], lock: Path | None = None) -> str:
    """Return what the binary prints; raise StepError with its message if it refuses."""
    print("running:", " ".join(command), flush=True)
    try:
        with held(lock) as inherited:
            return subprocess.run(
                command, check=True, capture_output=True, text=True, pass_fds=inherited
            ).stdout
    except subprocess.CalledProcessError as error:
        raise StepError(str(error.stderr).strip() or f"exit code {error.returncode}") from error


def make_graph(
    binary: str,
    recipe: Json,
    folder: str,
    stamp: Path,
    source: str = "",
    lock: Path | None = None,
) -> None:
    """Make the container `folder` by its recipe; `stamp` then holds the recipe and the seconds.

    A container that was made by another recipe, or that has no stamp, is made again, and what was
    made of it is removed. `source` is the file that is imported; `lock` is the device's.
    """
    options = options_of(recipe.get("options", {}))
    if "generate" in recipe:
        command = [binary, "generate", recipe["generate"], *options, folder]
    else:
        command = [binary, "import", source, folder, *options]
    if Path(folder).exists():
        command.append("--force")
        # The binary would refuse a folder that holds files which are not the container's.
        for of_the_old_graph in ("streams", "stores"):
            shutil.rmtree(Path(folder) / of_the_old_graph, ignore_errors=True)
    start = time.monotonic()
    run_binary(command, lock)
    seconds = round(time.monotonic() - start, 3)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    for old in _stamps(stamp.parent, Path(folder).name):
        old.unlink()  # the container no longer fits the stamps of older recipes
    document = {"recipe": recipe, "seconds": seconds}
    stamp.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def make_layout(
    binary: str, folder: str, name: str, choices: Json, facts: Path, lock: Path | None = None
) -> None:
    """Build one layout of a container and keep what it says of itself in `facts`."""
    command = [binary, "layout", folder, *options_of(choices), "--name", name]
    home = Path(folder) / "layouts" / name
    if home.exists():
        command.append("--force")
    run_binary(command, lock)
    graph = json.loads((Path(folder) / "graph.json").read_text(encoding="utf-8"))
    layout = json.loads((home / "layout.json").read_text(encoding="utf-8"))
    sizes = {path.name: path.stat().st_size for path in sorted(home.iterdir()) if path.is_file()}
    document: Json = {"container": folder, "name": name, "graph": graph, "layout": layout}
    document |= {"file_bytes": sizes, "graph_seconds": _graph_seconds(Path(folder))}
    _write_facts(facts, document)


def make_stream(
    binary: str, folder: str, name: str, choices: Json, facts: Path, lock: Path | None = None
) -> None:
    """Write the edges of a container in the order in which they are to arrive."""
    stream = Path(folder) / "streams" / f"{name}.ocs"
    stream.parent.mkdir(exist_ok=True)
    how = {key: value for key, value in choices.items() if key != "kind"}
    command = [binary, "stream", choices["kind"], folder, str(stream), *options_of(how)]
    run_binary([*command, "--force"], lock)
    _write_facts(facts, {"container": str(stream), "bytes": stream.stat().st_size})


def make_store(
    binary: str, folder: str, name: str, choices: Json, facts: Path, lock: Path | None = None
) -> None:
    """Make a store of a stream; `choices` is what an experiment says of the store.

    If it is to be `killed`, its process is, when everything is acknowledged and before the last of
    it is written as a run.
    """
    store = Path(folder) / "stores" / name
    shutil.rmtree(store, ignore_errors=True)
    store.parent.mkdir(exist_ok=True)
    stream = Path(folder) / "streams" / f"{choices['stream']}.ocs"
    settings = {"medium": "ssd"} | choices.get("settings", {})
    command = [binary, INGEST, str(stream), "--store", str(store)]
    command += ["--engine", engine_of("evolving", settings), "--quiet"]
    if choices.get("killed"):
        _ingest_and_kill(command, lock)
    else:
        run_binary([*command, "--compact"] if choices.get("compact") else command, lock)
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    _write_facts(facts, {"container": str(store), "bytes": size})


def _ingest_and_kill(command: list[str], lock: Path | None) -> None:
    """Kill the process of an ingestion when its whole stream is acknowledged.

    It reads the stream from a pipe that stays open, so it waits for more; and it is killed then.
    """
    stream = Path(command[2])
    updates = ocs_updates(stream)
    reading, writing = os.pipe()
    words = [*command[:2], "-", "--format", "ocs", "--ack", str(writing), *command[3:]]
    print("running, and killing:", " ".join(words), flush=True)
    with (
        held(lock) as inherited,
        subprocess.Popen(
            words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[*inherited, writing]
        ) as process,
    ):
        os.close(writing)
        assert process.stdin is not None
        assert process.stderr is not None
        with stream.open("rb") as pages, contextlib.suppress(BrokenPipeError):
            shutil.copyfileobj(pages, process.stdin)
            process.stdin.flush()
        with os.fdopen(reading) as lines:
            last = next((n for line in lines if (n := int(line)) >= updates), 0)
        process.kill()
        if last < updates:
            raise StepError(process.stderr.read().decode(errors="replace").strip())


def ocs_updates(stream: Path) -> int:
    """Return how many updates a stream has: those before its last page and those of it."""
    with stream.open("rb") as file:
        file.seek(-4096, os.SEEK_END)
        first, _, count = struct.unpack_from("<QIH", file.read(32), 16)  # log_page.h
    return int(first + count - 1)


def _write_facts(facts: Path, document: Json) -> None:
    facts.parent.mkdir(parents=True, exist_ok=True)
    facts.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _graph_seconds(folder: Path) -> float | None:
    """Return how long making the container took; None if no stamp says so."""
    for stamp in _stamps(folder.parent / ".recipes", folder.name):
        seconds: float | None = json.loads(stamp.read_text(encoding="utf-8")).get("seconds")
        return seconds
    return None


def _stamps(folder: Path, graph: str) -> list[Path]:
    """Return the stamps of a graph, and none of a graph whose name begins as this one's does."""
    found = folder.glob(f"{graph}-*.json")
    return [path for path in found if re.fullmatch("[0-9a-f]+", path.stem[len(graph) + 1 :])]


def replay(binary: str, record: Path, policies: list[str], sizes: list[str], out: Path) -> None:
    """Replay the trace of a run; if the run left none, `out` says why."""
    run = json.loads(record.read_text(encoding="utf-8"))
    document: Json = {"status": "ok", "reason": "", "run": run, "cachesim": None}
    if run["outcome"]["status"] != "ok" or not run.get("trace"):
        document |= {
            "status": "not run",
            "reason": run["outcome"]["reason"] or "the run left no trace",
        }
    else:
        trace = str(record.with_suffix(".oct"))
        command = [binary, "cachesim", trace, "--policy", ",".join(policies)]
        try:
            answer = run_binary([*command, "--sizes", ",".join(sizes), "--json"])
            document["cachesim"] = json.loads(answer)
        except StepError as error:
            document |= {"status": "failed", "reason": str(error)}
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
