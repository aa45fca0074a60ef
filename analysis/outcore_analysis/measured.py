# SPDX-License-Identifier: Apache-2.0
"""The tables of docs that are made from kept races, so that no number in them was typed.

A table stands between two comments. The first says in YAML what it is made of:

    <!-- table
    records: [grid-k22-bfs, grid-k22-wcc]      names of docs/measured/records, with * for any
    columns: [turns, seconds, read, time over]
    -->
    | ... |
    <!-- end of table -->

With more than one race the first column names the race. `rows` chooses contestants and their
order; `typed` in place of `records` lists the tables of docs/measured that are still typed, and
`beside` has every program beside our published form of it (beside.py), from all of these races.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from outcore_analysis.beside import HEAD, beside
from outcore_analysis.contest.faults import RaceError
from outcore_analysis.contest.kept import Kept, read
from outcore_analysis.stats import Summary
from outcore_analysis.words import ratio_text

Json = dict[str, Any]
Cell = Callable[[Kept, str], str]
DOCS = Path(__file__).resolve().parents[2] / "docs"
RECORDS = DOCS / "measured/records"
MADE_BY = "python -m outcore_analysis measured"
# A comment that is indented is an example.
BEGIN = re.compile(r"^<!-- table$", re.MULTILINE)
BLOCK = re.compile(
    r"^(<!-- table\n(.*?)-->\n)(.*?)^(<!-- end of table -->)$", re.DOTALL | re.MULTILINE
)
# The line between a table's head and its rows.
RULE = re.compile(r"^\|( ?-+:? ?\|)+$", re.MULTILINE)
KEYS = {"records", "columns", "rows", "typed", "beside"}


def _number(value: float) -> str:
    """Return it with three digits, but no more than two behind the point."""
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def _median(key: str, unit: float = 1.0) -> Cell:
    def cell(race: Kept, name: str) -> str:
        found = race.summary(name, key)
        return _number(found.median / unit) if found else ""

    return cell


def _each(key: str) -> Cell:
    return lambda race, name: ", ".join(_number(run[key]) for run in race.good(name) if key in run)


def _over(key: str) -> Cell:
    return lambda race, name: ratio_text(race.over(name, key))


def bound_text(race: Kept, name: str) -> str:
    """Return what bound it, by the median of shares: device 85%, processors 10%."""
    shares = [run["bound"] for run in race.good(name) if "bound" in run]
    if not shares:
        return ""
    parts = {
        part: sorted(share.get(part, 0) for share in shares)[(len(shares) - 1) // 2]
        for part in ("device", "processors", "neither")
        if any(part in share for share in shares)
    }
    return ", ".join(f"{part} {100 * share:.0f}%" for part, share in parts.items())


def _parts(key: str) -> Cell:
    """Return the medians of seconds that have names, such as stages."""

    def cell(race: Kept, name: str) -> str:
        runs = [run[key] for run in race.good(name) if key in run]
        if not runs:
            return ""
        middle = (len(runs) - 1) // 2
        return ", ".join(
            f"{part.removesuffix('_s')} {_number(sorted(run[part] for run in runs)[middle])}"
            for part in runs[0]
        )

    return cell


# By the words of `columns`: the head, in which {over} is who ratios are taken over, and the cell.
COLUMNS: dict[str, tuple[str, Cell]] = {
    "answer": ("answer", lambda race, name: str(race.contestant(name)["verdict"])),
    "turns": ("n", lambda race, name: str(len(race.good(name)) or "")),
    "seconds": ("s", _median("wall_s")),
    "each": ("s, each turn", _each("wall_s")),
    "own": ("own s", _median("own_s")),
    "own each": ("s of the run, each turn", _each("own_s")),
    "processors": ("processor s", _median("processor_s")),
    "read": ("GB read", _median("read_bytes", 1e9)),
    "written": ("GB written", _median("written_bytes", 1e9)),
    "memory": ("MiB", _median("memory_bytes", 2**20)),
    "peak": ("MiB with page cache", _median("peak_bytes", 2**20)),
    "time over": ("time over {over}", _over("wall_s")),
    "processors over": ("processor time over {over}", _over("processor_s")),
    "bytes over": ("bytes over {over}", lambda r, n: _short(r.over(n, "read_bytes"))),
    "peak over": ("memory over {over}", lambda r, n: _short(r.over(n, "peak_bytes"))),
    "bound": ("bound by", bound_text),
    "stages": ("seconds of all workers", _parts("stages")),
    "phases": ("s of phases", _parts("phases")),
}
# A race in which one has no time says why in the first of these columns.
TIMES = ("seconds", "each", "own", "own each")


def _short(found: Summary | None) -> str:
    return f"{found.median:.2f}" if found else ""


def table(races: list[Kept], columns: list[str], rows: list[str] | None = None) -> list[str]:
    """Return the lines of a table in Markdown."""
    several = len(races) > 1
    over = {race.contestant(race.head["over"])["title"] for race in races}
    base = over.pop() if len(over) == 1 else "the first"
    heads = [COLUMNS[column][0].format(over=base) for column in columns]
    lines = [_line([*([""] if several else []), "", *heads])]
    lines.append(_line(["---"] * (len(heads) + 1 + several)))
    for race in races:
        shown = [name for name in rows or race.names if name in race.names]
        for at, name in enumerate(shown):
            first = [race.head["title"] if at == 0 else ""] if several else []
            cells = cells_of(race, name, columns)
            lines.append(_line([*first, race.contestant(name)["title"], *cells]))
    return lines


def cells_of(race: Kept, name: str, columns: list[str]) -> list[str]:
    """Return a contestant's row. Who has no time has the reason, or a bound, in its place."""
    cells = [COLUMNS[column][1](race, name) for column in columns]
    ended, late, least_over = race.ended(name), race.late(name), race.least_over(name)
    if ended:
        at = next((i for i, column in enumerate(columns) if column in TIMES), 0)
        least = min((run["wall_s"] for run in late), default=0.0)
        cells[at] = f"at least {_number(least)}" if late else ended
    if "time over" in columns and least_over is not None:
        cells[columns.index("time over")] = f"at least {_number(least_over)}"
    return cells


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def found(patterns: list[str], folder: Path = RECORDS) -> list[Path]:
    """Return the files of kept races that these names mean, each once."""
    files: dict[Path, None] = {}
    for pattern in patterns:
        files |= dict.fromkeys(sorted(folder.glob(f"{pattern}.jsonl")))
    return list(files)


def with_tables(text: str, place: str, folder: Path = RECORDS, docs: Path = DOCS) -> str:
    """Return a page with all of its generated tables made anew; raise RaceError for a wrong one."""

    def made(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start()) + 1
        lines = _made(match[2], f"{place}:{line}", folder, docs)
        return match[1] + "".join(f"{row}\n" for row in lines) + match[4]

    if len(BEGIN.findall(text)) != len(BLOCK.findall(text)):
        raise RaceError(f"{place}: a table has no '<!-- end of table -->'")
    return BLOCK.sub(made, text)


def _made(words: str, place: str, folder: Path, docs: Path) -> list[str]:
    try:
        asked = yaml.safe_load(words) or {}
    except yaml.YAMLError as error:
        raise RaceError(f"{place}: not YAML: {error}") from None
    if not isinstance(asked, dict) or set(asked) - KEYS:
        raise RaceError(f"{place}: a table has the keys {', '.join(sorted(KEYS))}")
    if "typed" in asked:
        return typed_tables(docs / "measured")
    if "beside" in asked:
        return beside_table([read(path) for path in found([asked["beside"]], folder)])
    if "records" not in asked or "columns" not in asked:
        raise RaceError(f"{place}: a table needs `records` and `columns`")
    unknown = [column for column in asked["columns"] if column not in COLUMNS]
    if unknown:
        known = ", ".join(COLUMNS)
        raise RaceError(f"{place}: no column is called '{unknown[0]}'; there are: {known}")
    absent = [name for name in asked["records"] if "*" not in name and not found([name], folder)]
    if absent:
        raise RaceError(f"{place}: {folder / absent[0]}.jsonl is not there")
    races = [read(path) for path in found(asked["records"], folder)]
    if not races:
        return ["*Not measured yet: no race of this name is kept.*"]
    return table(races, asked["columns"], asked.get("rows"))


def beside_table(races: list[Kept]) -> list[str]:
    """Return every program beside our published form of it."""
    rows = [one.cells() for one in beside(races)]
    return [_line(row) for row in ([*HEAD], ["---"] * len(HEAD), *rows)]


def typed_tables(folder: Path) -> list[str]:
    """Return a table that counts, page by page, tables that are generated and that are typed."""
    lines = [_line(["page", "generated", "typed"]), _line(["---"] * 3)]
    for path in sorted(folder.glob("*.md")):
        if path.name == "README.md":
            continue
        text = path.read_text(encoding="utf-8")
        generated = len(BLOCK.findall(text))
        typed = len(RULE.findall(BLOCK.sub("", text)))
        lines.append(_line([f"[{path.name}]({path.name})", str(generated), str(typed)]))
    return lines


def pages(docs: Path = DOCS) -> list[Path]:
    """Return all pages of docs that have generated tables."""
    every = sorted(docs.rglob("*.md"))
    return [path for path in every if BEGIN.search(path.read_text(encoding="utf-8"))]


def stale(docs: Path = DOCS) -> dict[Path, str]:
    """Return the pages whose tables are not those of the records, with their text as it should be.

    The list of typed tables counts the others, so its page is made from what is there.
    """
    made = {}
    for path in pages(docs):
        text = path.read_text(encoding="utf-8")
        fresh = with_tables(text, str(path), docs / "measured/records", docs)
        if fresh != text:
            made[path] = fresh
    return made
