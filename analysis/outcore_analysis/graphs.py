# SPDX-License-Identifier: Apache-2.0
"""The catalogue of graphs: what each entry means, where its file comes from, how large it will be.

An entry is generated, imported from a file, or fetched. The folder in the environment variable
OUTCORE_DATA takes precedence over any address: it may hold the file under the address's own name,
or the same graph in the entry's `local` form.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from outcore_analysis.faults import ToldError
from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
# Generators that always store each edge in both directions.
ALWAYS_SYMMETRIC = {"barabasi-albert", "small-world", "grid", "comb", "band", "tree", "cliques"}
ALWAYS_SYMMETRIC |= {"geometric", "islands"}
SYMMETRIC_OPTIONS = ("symmetric", "symmetrised")
# Defaults of `outcore generate`, for options that an entry leaves out.
DEFAULTS = {
    "scale": 16,
    "vertices": 65536,
    "rows": 1024,
    "columns": 1024,
    "spine": 1000,
    "tooth": 999,
    "width": 8,
    "cliques": 4096,
    "left": 32768,
    "right": 32768,
    "islands": 100000,
}
# Vertices of a clique, and of an island.
SIZES = {"cliques": 16, "islands": 2}
DEGREES = {"barabasi-albert": 8, "hostweb": 14, "islands": 8}
DEGREE = 16


class FetchError(ToldError):
    """A file cannot be had, or is not the expected one."""


@dataclass(frozen=True)
class Source:
    """One file from which a graph is imported."""

    name: str
    url: str
    sha256: str | None


def read_graphs(files: Iterable[str]) -> tuple[Json, list[Document]]:
    """Return all entries of these files by name, and the files; a name occurs once."""
    entries: Json = {}
    documents = []
    for file in files:
        document = load_yaml(file)
        check(document, "graphs")
        for name in document.value:
            if name in entries:
                raise ConfigError(f"{document.place([name])}: graph '{name}' is in two files")
        entries |= document.value
        documents.append(document)
    return entries, documents


def own_graph(config: Mapping[str, Any]) -> Json:
    """Return the entry of the graph that a call names by its file alone; empty if it names none."""
    file = config.get("own_graph")
    if not file:
        return {}
    options = {"symmetric": True}
    return {"yours": {"title": Path(file).name, "import": str(file), "options": options}}


def data_folder() -> Path | None:
    """Return the user's folder of files, if one is named."""
    named = os.environ.get("OUTCORE_DATA")
    return Path(named) if named else None


def _in_data(name: str) -> Path | None:
    folder = data_folder()
    found = folder / name if folder else None
    return found if found and found.is_file() else None


def sources(entry: Json) -> list[Source]:
    """Return the files of a fetched graph, the one to import first; empty for others."""
    local = entry.get("local")
    if local and _in_data(local["file"]):
        return [Source(local["file"], "", local.get("sha256"))]
    return [
        Source(file["url"].rsplit("/", 1)[1], file["url"], file.get("sha256"))
        for file in entry.get("fetch", [])
    ]


def recipe_of(entry: Json) -> Json:
    """What determines a graph's content: its part of a cell's hash.

    A user's own file is included by its hash, so an edited edge list is another graph.
    """
    kept: Json = {key: entry[key] for key in ("generate", "import", "options") if key in entry}
    if "import" in entry:
        kept["sha256"] = file_digest(import_path(entry))
    files = sources(entry)
    if files:
        # Without the address: the same file from another mirror is the same graph.
        kept["files"] = [{"name": f.name, "sha256": f.sha256 or _local_digest(f)} for f in files]
        if not files[0].url:
            kept["options"] = entry["local"].get("options", {})
    return kept


def _local_digest(source: Source) -> str | None:
    """Return the hash of a file in OUTCORE_DATA; None if the file comes from an address."""
    local = None if source.url else _in_data(source.name)
    return file_digest(str(local)) if local else None


def file_digest(path: str) -> str | None:
    """SHA-256 of a file's bytes; None if the file does not exist, which the import will report."""
    if not Path(path).is_file():
        return None
    state = Path(path).stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@cache
def _digest(path: str, size: int, modified: int) -> str:
    """Read each state of the file once per process."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def import_path(entry: Json) -> str:
    """Return the file that is imported for a graph, from OUTCORE_DATA if it is there."""
    named = str(entry["import"])
    return str(_in_data(named) or named)


def is_symmetric(recipe: Json) -> bool:
    """Tell whether each edge is stored in both directions."""
    options = recipe.get("options", {})
    return recipe.get("generate") in ALWAYS_SYMMETRIC or any(
        options.get(name) is True for name in SYMMETRIC_OPTIONS
    )


def vertices_of(entry: Json) -> int | None:
    """How many vertices a graph will have; None if that is unknown before it exists."""
    kind = entry.get("generate")
    if kind is None:
        stated: int | None = entry.get("vertices")
        return stated
    options = _options(entry)
    if kind in ("kronecker", "rmat"):
        return int(2 ** options["scale"])
    if kind == "grid":
        return int(options["rows"] * options["columns"])
    if kind == "comb":
        return int(options["spine"] * (options["tooth"] + 1))
    if kind == "cliques":
        return int(options["cliques"] * options["size"])
    if kind == "bipartite":
        return int(options["left"] + options["right"])
    islands = options["islands"] * options["size"] if kind == "islands" else 0
    return int(options["vertices"] + islands)


def _options(entry: Json) -> Json:
    """Return the options of a generator, with its defaults."""
    kind = entry["generate"]
    own = {"size": SIZES.get(kind), "degree": DEGREES.get(kind, DEGREE)}
    given: Json = entry.get("options", {})
    return DEFAULTS | own | given


def edges_of(entry: Json) -> int | None:
    """At most how many directed edges it will have; None if unknown."""
    vertices = vertices_of(entry)
    kind = entry.get("generate")
    if kind is None or vertices is None:
        stated: int | None = entry.get("edges")
        return stated and stated * (2 if entry.get("options", {}).get("symmetric") else 1)
    options = _options(entry)
    each = {
        "grid": 4,
        "comb": 2,
        "tree": 2,
        "band": 2 * options["width"],
        # The two ends of a chain's link are among the vertices.
        "cliques": (options["size"] or 0) + 1,
        # A point has its whole disk around it; rounding the radius adds a little.
        "geometric": 2 * options["degree"],
    }
    if kind in each:
        return int(each[kind] * vertices)
    sources = options["left"] if kind == "bipartite" else vertices
    doubled = is_symmetric(entry) and kind != "small-world"
    return int(sources * options["degree"] * (2 if doubled else 1))


def fetch(name: str, url: str, sha256: str | None, out: Path) -> str:
    """Put a file at `out`, from OUTCORE_DATA or else its address; return its SHA-256.

    Raises FetchError if it cannot be had or has another hash; then `out` does not exist.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    local = _in_data(name)
    if local:
        print(f"{name}: from {local}")
        out.unlink(missing_ok=True)
        out.symlink_to(local.resolve())
    else:
        _download(name, url, out)
    with out.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 is not None and found != sha256:
        out.unlink()
        raise FetchError(f"{name}: its SHA-256 is {found}, and {sha256} was expected")
    if sha256 is None:
        print(f"{name}: sha256: {found} (write it into the catalogue, and it is checked)")
    return found


def _download(name: str, url: str, out: Path) -> None:
    beside = out.with_name(out.name + ".part")
    print(f"{name}: from {url}", flush=True)
    try:
        with urllib.request.urlopen(url) as answer, beside.open("wb") as file:
            shutil.copyfileobj(answer, file)
    except (OSError, ValueError) as error:
        beside.unlink(missing_ok=True)
        raise FetchError(
            f"{name}: {url} cannot be fetched: {error}; put the file into a folder and name that "
            "folder in OUTCORE_DATA"
        ) from error
    beside.replace(out)
