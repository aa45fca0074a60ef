# SPDX-License-Identifier: Apache-2.0
"""The built binary, small graphs made by it, and runs whose records are always checked."""

import ctypes
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
BINARY = Path(os.environ.get("OUTCORE_BINARY", ROOT / "build" / "release" / "outcore")).absolute()
# Plans on stderr are their own tests'; probes are those of a test's folder, not of this checkout.
os.environ.update(OUTCORE_QUIET="1", OUTCORE_DEVICES="configs/devices")
# For what is shown on a terminal only.
TALKING = {name: value for name, value in os.environ.items() if name != "OUTCORE_QUIET"}
SCHEMA = json.loads((ROOT / "configs" / "schema" / "run.schema.json").read_text())

DRIVEN = ["cdlp", "dfs", "lcc", "one-hop", "random-walk", "two-hop"]  # they ask list by list


def engine_traits() -> dict[str, Any]:
    """Return what the binary says of each engine that reads lists; nothing if it is not built."""
    if not BINARY.exists():
        return {}
    told = subprocess.run([BINARY, "list", "--json"], check=True, capture_output=True, timeout=120)
    traits = {entry["name"]: entry["traits"] for entry in json.loads(told.stdout)["engines"]}
    return {name: of for name, of in traits.items() if of["reads"] == "lists"}


TRAITS = engine_traits()
ENGINES = sorted(TRAITS)


def engines_for(workload: str, pack: str | None = None) -> list[str]:
    """Return the engines that can run it; with a pack, on a layout of that pack."""
    return [
        engine
        for engine in ENGINES
        if (TRAITS[engine]["drive"] or workload not in DRIVEN)
        and (pack is None or TRAITS[engine]["pack"] in (None, pack))
    ]


def plainest_layout(engine: str) -> str:
    """Return the plainest layout that the engine reads, by its pack's name."""
    traits = TRAITS.get(engine.split(":")[0])
    return (traits and traits["pack"]) or "firstfit"


# PageRank that takes half an hour: its frames hold two thirds of the graph `kronecker`, so every
# round reads, and every request is answered after 10 ms.
ENDLESS_ROUNDS = {
    "workload": "pagerank",
    "set": "iterations=100000",
    "frames": "256K",
    "backend": "fault",
    "fault": "delay:10",
    "record": None,
}


def outcore(*words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the binary; with `check`, an exit code other than 0 fails the test."""
    command = [str(BINARY), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert not check or done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done


def read_record(path: Path) -> Any:
    """Return the record in `path`, which must follow the schema."""
    record = json.loads(path.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(record)
    return record


@dataclass
class Runs:
    """Runs of one graph; each leaves its record in `folder`."""

    graph: Path
    folder: Path

    def words(self, **options: object) -> list[str]:
        """Return the command line: None leaves an option out, True is a flag, a list repeats it."""
        asked: dict[str, object] = {
            "engine": "concurrent",
            "workload": "bfs",
            "layout": plainest_layout(str(options.get("engine", "concurrent"))),
            "record": self.folder / "record.json",
            **options,
        }
        words = ["run", str(self.graph)]
        for name, value in asked.items():
            if value is True:
                words.append(f"--{name.replace('_', '-')}")
            elif value is not None:
                for one in value if isinstance(value, list) else [value]:
                    words += [f"--{name.replace('_', '-')}", str(one)]
        return words

    def run(self, **options: object) -> Any:
        """Run, which must end well, and return the record."""
        outcore(*self.words(**options))
        return self.record()

    def record(self) -> Any:
        """Return the record that the last run left."""
        return read_record(self.folder / "record.json")

    def fail(self, code: int, **options: object) -> tuple[Any, str]:
        """Run, which must end with `code`; return its record, if it left one, and its message."""
        done = outcore(*self.words(**options), check=False)
        assert done.returncode == code, done.stderr
        assert done.stderr.count("\n") == 1, "a failure is told in one line"
        path = self.folder / "record.json"
        return (read_record(path) if path.exists() else None), done.stderr


def graph_with_anothers_layout(folder: Path) -> Path:
    """A symmetric graph whose layout, firstfit, is of another graph of the same size."""
    graph, other = folder / "mixed", folder / "other"
    for seed, made in enumerate([graph, other]):
        outcore("generate", "kronecker", "--scale", 8, "--seed", seed, "--symmetric", made)
        outcore("layout", made)
    shutil.rmtree(graph / "layouts" / "firstfit")
    shutil.copytree(other / "layouts" / "firstfit", graph / "layouts" / "firstfit")
    return graph


def sealed(manifest: Any) -> Any:
    """The manifest with the seal that outcore would give it."""
    rest = {name: value for name, value in manifest.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    hashing = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    hashing.restype, hashing.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
    return {**rest, "seal": f"xxh3:{hashing(text, len(text)):016x}"}


def disguise_layout(graph: Path) -> None:
    """Makes the layout say that it is of this graph. All its checksums are right."""
    path = graph / "layouts" / "firstfit" / "layout.json"
    of_graph = json.loads((graph / "graph.json").read_text())
    manifest = {**json.loads(path.read_text()), "graph": of_graph}
    path.write_text(json.dumps(sealed(manifest)))


@pytest.fixture(scope="session", autouse=True)
def binary() -> None:
    """Skip tests that need the binary if it is not built."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built: make build")


@pytest.fixture(scope="session")
def kronecker(tmp_path_factory: pytest.TempPathFactory, binary: None) -> Path:
    """A symmetric graph of 4096 vertices with two layouts."""
    graph = tmp_path_factory.mktemp("graphs") / "kronecker"
    outcore("generate", "kronecker", "--scale", 12, "--symmetric", graph)
    outcore("layout", graph, "--pack", "firstfit")
    outcore("layout", graph, "--pack", "csr")
    return graph


@pytest.fixture(scope="session")
def directed(tmp_path_factory: pytest.TempPathFactory, binary: None) -> Path:
    """A directed graph of 256 vertices with one layout."""
    graph = tmp_path_factory.mktemp("graphs") / "directed"
    outcore("generate", "kronecker", "--scale", 8, graph)
    outcore("layout", graph, "--pack", "firstfit")
    return graph


@pytest.fixture
def runs(kronecker: Path, tmp_path: Path) -> Runs:
    """Runs of `kronecker`."""
    return Runs(kronecker, tmp_path)
