# SPDX-License-Identifier: Apache-2.0
"""Outcore from Python: graphs that do not fit in memory, run by the program `outcore`.

    import outcore

    graph = outcore.read("edges.csv", "graphs/mine", symmetric=True)
    graph.layout(preset="acgraph")
    values, record = graph.run("pagerank", engine="async_block", memory="512M")
    values.nlargest(10, "value")

`values` is a DataFrame with the columns vertex (as the imported file named it) and value, `record`
the record of the run (configs/schema/run.schema.json). Every option of the command line is a
keyword: `--max-request 4K` is `max_request="4K"`, `--verify` is `verify=True`; `parameters` are
those of the workload, `--set name=value`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Error", "Graph", "Run", "binary", "cachesim", "generate", "open", "read"]


class Error(Exception):
    """What `outcore` refused or failed at, in its own words; `code` is its exit code."""

    def __init__(self, message: str, code: int) -> None:
        """Keep both."""
        super().__init__(message)
        self.code = code


class Run(NamedTuple):
    """What a run gives: a value for each vertex, and its record."""

    values: pd.DataFrame
    record: dict[str, Any]


def binary() -> Path:
    """The program: that of OUTCORE_BINARY, of the package, of the checkout, or of the path."""
    checkout = Path(__file__).resolve().parents[2]
    named = os.environ.get("OUTCORE_BINARY")
    candidates = [Path(named)] if named else []
    candidates += [
        Path(__file__).parent / "bin" / "outcore",
        *(checkout / "build" / preset / "outcore" for preset in ("native", "release")),
    ]
    found = next((path for path in candidates if path.is_file()), None)
    on_path = shutil.which("outcore")
    if found is None and on_path is None:
        raise FileNotFoundError("outcore is not built: make build, or set OUTCORE_BINARY to it")
    return found or Path(str(on_path))


def open(folder: str | os.PathLike[str]) -> Graph:  # noqa: A001
    """The graph in a folder, as `outcore import` and `outcore generate` make it."""
    path = Path(folder)
    if not (path / "graph.json").is_file():
        raise FileNotFoundError(
            f"{path} holds no graph (graph.json); outcore.read(file, folder) makes one"
        )
    return Graph(path)


def read(file: str | os.PathLike[str], folder: str | os.PathLike[str], **options: object) -> Graph:
    """Import a file of edges into a new folder: `outcore import`."""
    _call("import", os.fspath(file), os.fspath(folder), "--json", *_words(options))
    return Graph(Path(folder))


def generate(kind: str, folder: str | os.PathLike[str], **options: object) -> Graph:
    """Make a graph of a kind that papers use in a new folder: `outcore generate`."""
    _call("generate", kind, os.fspath(folder), "--json", *_words(options))
    return Graph(Path(folder))


def cachesim(trace: str | os.PathLike[str], **options: object) -> pd.DataFrame:
    """What other caches would have read of a traced run (`trace=FILE`): `outcore cachesim`."""
    import pandas as pd

    found = _object(_call("cachesim", os.fspath(trace), "--json", *_words(options)))
    return pd.DataFrame(found["rows"]).assign(accesses=found["accesses"])


class Graph:
    """A graph on disk, with its layouts."""

    def __init__(self, folder: Path) -> None:
        """Take the folder for a graph's, unseen."""
        self.folder = folder

    def __repr__(self) -> str:
        """Name the folder."""
        return f"outcore.open({str(self.folder)!r})"

    def inspect(self, **options: object) -> dict[str, Any]:
        """Counts of the graph and of each layout: `outcore inspect`."""
        return _object(_call("inspect", str(self.folder), "--json", *_words(options)))

    def layout(self, **options: object) -> str:
        """Write a layout for engines and return its name: `outcore layout`."""
        made = _object(_call("layout", str(self.folder), "--json", *_words(options)))
        return str(made["name"])

    def plan(self, workload: str, **options: object) -> pd.DataFrame:
        """What each engine would need in memory, a row each: `outcore plan`."""
        import pandas as pd

        words = ["--workload", workload, "--json", *_words(options)]
        return pd.DataFrame(json.loads(_call("plan", str(self.folder), *words)))

    def race(self, workload: str, **options: object) -> pd.DataFrame:
        """Every engine three times, verified, the fastest first: `outcore race`."""
        import pandas as pd

        words = ["--workload", workload, "--json", *_words(options)]
        rows = json.loads(_call("race", str(self.folder), *words))
        for row in rows:
            times = sorted(record["phases"]["run_s"] for record in row["records"])
            row["seconds"] = times[(len(times) - 1) // 2] if times else None
        return pd.DataFrame(rows)

    def run(
        self,
        workload: str,
        *,
        engine: str,
        parameters: Mapping[str, object] | None = None,
        **options: object,
    ) -> Run:
        """Run a workload: `outcore run`. Raises `Error` where it fails, or its answer is wrong."""
        import pandas as pd

        words = ["--engine", engine, "--workload", workload, "--json", *_words(options)]
        for name, value in (parameters or {}).items():
            words += ["--set", f"{name}={value}"]
        with tempfile.TemporaryDirectory(prefix="outcore-") as folder:
            values = Path(folder) / "values.csv"
            record = _object(_call("run", str(self.folder), *words, "--output", str(values)))
            return Run(pd.read_csv(values), record)


def _words(options: Mapping[str, object]) -> Iterator[str]:
    """Options as the command line has them; None and False are left out."""
    for name, value in options.items():
        if value is None or value is False:
            continue
        yield f"--{name.replace('_', '-')}"
        if value is not True:
            yield str(value)


def _call(*words: str) -> str:
    """What the program prints. It says nothing else, but for what goes wrong."""
    done = subprocess.run(
        [str(binary()), *words, "--quiet"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Error(done.stderr.strip().removeprefix("outcore: "), done.returncode)
    return done.stdout


def _object(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def main() -> None:
    """The command `outcore` of an installed package: becomes the program."""
    program = str(binary())
    os.execv(program, [program, *sys.argv[1:]])
