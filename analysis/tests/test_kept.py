# SPDX-License-Identifier: Apache-2.0
"""Races that are kept, and the tables of docs that are made of them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from outcore_analysis.__main__ import main
from outcore_analysis.contest import kept
from outcore_analysis.contest.faults import RaceError
from outcore_analysis.contest.kept import Kept
from outcore_analysis.measured import BLOCK, COLUMNS, found, pages, stale, table, with_tables
from outcore_analysis.yamllines import schema
from raced import race_record

Json = dict[str, Any]
TABLE = "<!-- table\nrecords: [{}]\ncolumns: [{}]\n-->\n{}<!-- end of table -->\n"


def some(**changed: Any) -> Kept:
    return kept.of_race(race_record(**changed), "BFS", "M7")


def test_every_kept_race_is_one_and_all_take_less_than_a_megabyte() -> None:
    files = found(["*"])
    assert files
    for path in files:
        kept.read(path)
    assert sum(path.stat().st_size for path in files) < 10**6


def test_the_tables_of_docs_are_those_of_the_records() -> None:
    assert stale() == {}, "python -m outcore_analysis measured"


def test_every_kept_race_is_in_a_table() -> None:
    """Otherwise nobody would notice that it is wrong."""
    blocks = [BLOCK.findall(path.read_text()) for path in pages()]
    asked = [yaml.safe_load(block[1]) for page in blocks for block in page]
    named = found([name for one in asked for name in one.get("records", [])])
    assert set(found(["*"])) == set(named)


def test_a_race_is_kept_in_a_line_a_run_and_read_again(tmp_path: Path) -> None:
    race = some()
    kept.write(race, tmp_path / "r.jsonl")
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert len(lines) == 1 + len(race_record()["records"])
    assert kept.read(tmp_path / "r.jsonl") == race
    assert race.head["title"] == "BFS"
    assert race.runs[0]["processor_s"] == 3.0
    assert "/" not in json.dumps([one["command"] for one in race.head["contestants"]])


def test_ratios_are_paired_by_turn() -> None:
    race = some(ours=[1.0, 2.0, 4.0], theirs=[2.0, 4.0, 8.0])
    over = race.over("toy", "wall_s")
    assert over is not None
    assert (over.median, over.low, over.high, over.trials) == (2.0, 2.0, 2.0, 3)
    assert race.over("ours", "wall_s") is None
    assert race.summary("toy", "wall_s") is not None


def test_phases_that_a_program_tells_are_kept_and_shown(tmp_path: Path) -> None:
    document = race_record(theirs=[2.0, 2.0, 2.0])
    told = [record for record in document["records"] if record["raced"]["contestant"] == "toy"]
    for seconds, record in enumerate(told, 1):
        record["external"] = {"phases": {"load_s": float(seconds), "run_s": 0.5}}
    kept.write(kept.of_race(document, "BFS", "M7"), tmp_path / "r.jsonl")
    rows = table([kept.read(tmp_path / "r.jsonl")], ["phases"])
    assert rows[2:] == ["| `grid` on csr |  |", "| Toy | load 2.00, run 0.50 |"]


def test_a_turn_that_is_left_out_counts_nowhere() -> None:
    race = some(ours=[1.0, 1.0], theirs=[2.0, 9.0])
    race.head["left_out"] = {"2": "something else ran"}
    assert [run["turn"] for run in race.good("toy")] == [1]
    assert [run["turn"] for run in race.good("ours")] == [1]


@pytest.mark.parametrize(
    ("verdict", "status", "told"),
    [
        ("answers differ", "ok", "answers differ"),
        ("killed", "killed", "killed"),
        ("out_of_memory", "out_of_memory", "out of memory"),
        ("unraced", None, "unraced"),
    ],
)
def test_who_has_no_time_says_why_in_its_place(verdict: str, status: str | None, told: str) -> None:
    race = some(verdict=verdict, status=status)
    lines = table([race], ["turns", "seconds", "time over"])
    assert lines[-1] == f"| Toy |  | {told} |  |"


def test_a_turn_that_the_limit_of_time_ended_is_a_bound() -> None:
    race = some(ours=[2.0], theirs=[400.0], verdict="killed", status="killed")
    race.runs[-1]["reason"] = "still running after 400 s"
    lines = table([race], ["answer", "turns", "seconds", "own", "time over"])
    assert lines[-1] == "| Toy | killed |  | at least 400 |  | at least 200 |"
    race.runs[0]["status"] = "failed"
    assert table([race], ["seconds", "time over"])[-1] == "| Toy | at least 400 |  |"


def test_every_column_can_be_shown() -> None:
    head, _, ours, theirs = table([some()], list(COLUMNS))
    assert head.count("|") == ours.count("|") == theirs.count("|")
    assert "device 25%, processors 50%, neither 25%" in ours
    assert "time over `grid` on csr" in head


def test_several_races_are_named_and_rows_are_chosen() -> None:
    lines = table([some(), some()], ["seconds"], ["toy"])
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["BFS", "BFS"]
    assert all("Toy" in line for line in lines[2:])


def test_runs_of_one_question_are_a_race_of_engines(tmp_path: Path) -> None:
    ours = race_record()["records"][:3]
    other = json.loads(json.dumps(ours[0]))
    other["asked"] |= {"engine": "binning", "settings": {"roles": "fixed"}}
    race = kept.of_runs([*ours, other], "BFS")
    assert race.names == ["grid on csr", "binning:roles=fixed on csr"]
    assert [run["turn"] for run in race.good("grid on csr")] == [1, 2, 3]
    assert race.head["over"] == "grid on csr"
    other["asked"]["workload"] = "wcc"
    with pytest.raises(RaceError, match="another race"):
        kept.of_runs([*ours, other], "BFS")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    kept.write(some(), tmp_path / "measured/records/one.jsonl")
    page = tmp_path / "measured/page.md"
    page.write_text("# Page\n\n" + TABLE.format("one", "seconds", "") + "\nafter\n")
    return tmp_path


def test_a_stale_table_is_found_made_anew_and_then_is_fresh(docs: Path) -> None:
    page = docs / "measured/page.md"
    (fresh,) = stale(docs).items()
    assert fresh[0] == page
    assert "| Toy | 2.00 |" in fresh[1] and fresh[1].endswith("\nafter\n")
    page.write_text(fresh[1])
    assert stale(docs) == {}
    page.write_text(fresh[1].replace("2.00", "1.99"))
    assert set(stale(docs)) == {page}, "a number was typed"
    kept.write(some(theirs=[3.0, 3.0, 3.0]), docs / "measured/records/one.jsonl")
    assert "| Toy | 3.00 |" in stale(docs)[page]


def test_typed_tables_are_counted(docs: Path) -> None:
    (docs / "measured/page.md").write_text(
        TABLE.format("one", "seconds", "") + "\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n"
    )
    (docs / "measured/README.md").write_text("<!-- table\ntyped: all\n-->\n<!-- end of table -->\n")
    assert "| [page.md](page.md) | 1 | 1 |" in stale(docs)[docs / "measured/README.md"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.format("two", "seconds", ""), r"page.md:3: .*two.jsonl is not there"),
        (TABLE.format("one", "colour", ""), r"page.md:3: no column is called 'colour'; there are"),
        (TABLE.format("one", "seconds", "").replace("columns", "rows"), "needs `records` and"),
        (TABLE.format("one", "seconds", "").replace("records", "race"), "a table has the keys"),
        (TABLE.format("one", "[", ""), "not YAML"),
        ("<!-- table\nrecords: [one]\n-->\n", "has no '<!-- end of table -->'"),
    ],
)
def test_a_wrong_table_names_its_line(docs: Path, text: str, message: str) -> None:
    with pytest.raises(RaceError, match=message):
        with_tables(f"# Page\n\n{text}", "page.md", docs / "measured/records", docs)


def test_races_that_are_not_held_yet_may_be_named_by_a_pattern(docs: Path) -> None:
    text = with_tables(TABLE.format("two-*", "seconds", ""), "p", docs / "measured/records", docs)
    assert "Not measured yet" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines[:2], "{"], r"r.jsonl:3: not JSON"),
        (lambda lines: [*lines[:1], '{"of": "toy", "turn": 0, "status": "ok"}'], "r.jsonl:2: 0 is"),
        (lambda lines: [*lines[:1], '{"of": "x", "turn": 1, "status": "ok"}'], "a run of 'x'"),
        (lambda lines: ["{}", *lines[1:]], r"r.jsonl:1: 'version' is a required"),
        (lambda _: [], "r.jsonl:1: 'version' is a required"),
    ],
)
def test_a_damaged_file_names_its_line(tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "r.jsonl"
    kept.write(some(), path)
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
    with pytest.raises(RaceError, match=message):
        kept.read(path)


def test_keeping_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "race.json").write_text(json.dumps(race_record()))
    out = tmp_path / "kept/one.jsonl"
    assert main(["keep", str(tmp_path / "race.json"), "--out", str(out), "--machine", "M7"]) == 0
    assert kept.read(out).head["machine"] == "M7"
    assert main(["measured", "--check"]) == 0
    assert capsys.readouterr().err == ""


def test_the_schema_names_every_key_of_a_run() -> None:
    keys = set(schema("kept")["properties"]["runs"]["items"]["properties"])
    assert {key for run in some().runs for key in run} <= keys
