# SPDX-License-Identifier: Apache-2.0
"""Races in compact form, one line a run, as docs/measured/records keeps them.

Each line of a file is a JSON object. The first, the head, says which programs ran, on which graph
and machine; each of the others is one run. configs/schema/kept.schema.json has every key. This is
what tables need of a record, in a hundredth of its size.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcore_analysis.contest.faults import RaceError
from outcore_analysis.contest.record import OURS
from outcore_analysis.contest.turn import LATE
from outcore_analysis.stats import Summary, paired_ratios, summarise
from outcore_analysis.yamllines import validator

Json = dict[str, Any]
# Verdicts after which a time means something, if some turn went well.
COMPARED = ("right", "counts agree", "not compared")


@dataclass(frozen=True)
class Kept:
    """One race."""

    head: Json
    runs: list[Json] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Return everyone who was to take part, in order."""
        return [one["name"] for one in self.head["contestants"]]

    def contestant(self, name: str) -> Json:
        """Return what the race says of one of them."""
        found: Json = next(one for one in self.head["contestants"] if one["name"] == name)
        return found

    def good(self, name: str) -> list[Json]:
        """Return its runs that count: they ended well, and the answer is not another one."""
        if self.contestant(name)["verdict"] not in COMPARED:
            return []
        left_out = self.head.get("left_out", {})
        return [
            run
            for run in self.runs
            if run["of"] == name and run["status"] == "ok" and str(run["turn"]) not in left_out
        ]

    def summary(self, name: str, key: str) -> Summary | None:
        """Return median and interval of a number of its runs; None where they have none."""
        found = [run[key] for run in self.good(name) if run.get(key) is not None]
        return summarise(found) if found else None

    def over(self, name: str, key: str, base: str | None = None) -> Summary | None:
        """Return that number over the base's, paired by turn."""
        base = base or self.head["over"]
        if name == base or base not in self.names:
            return None
        by_turn = {run["turn"]: run.get(key) for run in self.good(base)}
        both = [
            (run[key], by_turn[run["turn"]])
            for run in self.good(name)
            if run.get(key) is not None and by_turn.get(run["turn"])
        ]
        return summarise(paired_ratios(*zip(*both, strict=True))) if both else None

    def late(self, name: str) -> list[Json]:
        """Return its runs that their limit of time ended; none if another one ended well."""
        runs = [run for run in self.runs if run["of"] == name]
        late = [run for run in runs if run.get("reason", "").startswith(LATE)]
        return [] if self.good(name) else late

    def least_over(self, name: str) -> float | None:
        """Return how many times as long as the base it takes at least, by its late turns."""
        by_turn = {run["turn"]: run["wall_s"] for run in self.good(self.head["over"])}
        late = [run for run in self.late(name) if run["turn"] in by_turn]
        return min((run["wall_s"] / by_turn[run["turn"]] for run in late), default=None)

    def ended(self, name: str) -> str:
        """Return why it has no time, in a word or two; empty where it has one."""
        if self.good(name):
            return ""
        verdict = str(self.contestant(name)["verdict"])
        if verdict in COMPARED:
            others = [run["status"] for run in self.runs if run["of"] == name]
            verdict = others[-1] if others else "unraced"
        return verdict.replace("_", " ")


def read(path: Path) -> Kept:
    """Read a kept race; raise RaceError, with the line, if it is none."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise RaceError(f"{path}:{number}: not JSON: {error}") from None
    head, runs = (rows[0], rows[1:]) if rows else ({}, [])
    for fault in validator("kept").iter_errors({"head": head, "runs": runs}):
        at = list(fault.absolute_path)
        number = int(at[1]) + 2 if at[:1] == ["runs"] and len(at) > 1 else 1
        raise RaceError(f"{path}:{number}: {fault.message[:200]}")
    kept = Kept(head, runs)
    for number, run in enumerate(runs, 2):
        if run["of"] not in kept.names:
            raise RaceError(
                f"{path}:{number}: a run of '{run['of']}', and line 1 names {', '.join(kept.names)}"
            )
    return kept


def write(kept: Kept, path: Path) -> None:
    """Write it, one line a run."""
    lines = [json.dumps(row, ensure_ascii=False) for row in (kept.head, *kept.runs)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def of_race(document: Mapping[str, Any], title: str = "", machine: str = "") -> Kept:
    """Return a race's record (race.schema.json) in compact form."""
    asked, graph = document["asked"], document["graph"]
    theirs = {one["name"]: one for one in document["contestants"]}
    head = {
        "version": 1,
        "title": title or f"{graph['name']}, {asked['workload']}",
        "held_by": "outcore race",
        **_where(document, machine),
        "workload": asked["workload"],
        "parameters": asked["parameters"],
        "threads": asked["threads"],
        "memory_bytes": asked["memory"],
        "over": OURS,
        "contestants": [_contestant(one, document["records"]) for one in theirs.values()],
    }
    ours = f"`{asked['ours']['engine']}` on {asked['ours']['layout']}"
    head["contestants"][0]["title"] = ours
    return Kept(head, [_turn(record) for record in document["records"]])


def of_runs(records: Iterable[Mapping[str, Any]], title: str, machine: str = "") -> Kept:
    """Return records of runs of one question in compact form; engines with settings race."""
    runs: list[Json] = []
    contestants: dict[str, Json] = {}
    document: Mapping[str, Any] | None = None
    for record in records:
        asked = record["asked"]
        document = document or record
        if (record["graph"], asked["workload"]) != (
            document["graph"],
            document["asked"]["workload"],
        ):
            raise RaceError(f"{title}: records of another graph or workload are another race")
        name = _configuration(asked)
        turn = sum(run["of"] == name for run in runs) + 1
        verdict = "right" if _passed(record) else "not compared"
        contestants.setdefault(
            name,
            {
                "name": name,
                "title": f"`{name.replace(' on ', '` on ')}",
                "version": None,
                "command": _without_folders(asked["command"]),
                "verdict": verdict,
                "reason": "",
            },
        )
        runs.append(_run(record, name, turn))
    if document is None:
        raise RaceError(f"{title}: no records")
    asked = document["asked"]
    head = {
        "version": 1,
        "title": title,
        "held_by": "outcore run",
        **_where(document, machine),
        "workload": asked["workload"],
        "parameters": asked["parameters"] or {},
        "threads": asked["threads"],
        "memory_bytes": asked["memory_bytes"],
        "over": next(iter(contestants)),
        "contestants": list(contestants.values()),
    }
    return Kept(head, runs)


def _contestant(one: Mapping[str, Any], records: list[Json]) -> Json:
    command: list[str] = next(
        (r["asked"]["command"] for r in records if r["raced"]["contestant"] == one["name"]), []
    )
    told = {key: one[key] for key in ("name", "title", "version")}
    return told | {
        "command": _without_folders(command) or None,
        "verdict": one["verdict"],
        "reason": one["reason"],
    }


def _without_folders(command: list[str]) -> str:
    """Return a command as others would write it: where things lie on this machine is left out."""
    return " ".join(word.rstrip("/").rsplit("/", 1)[-1] for word in command)


def _where(document: Mapping[str, Any], machine: str) -> Json:
    graph, found = document["graph"], document["machine"]
    return {
        "graph": {key: graph[key] for key in ("name", "vertices", "edges", "symmetric")},
        "machine": machine or f"{found.get('cpu') or 'not named'}, {found['cores']} cores",
        "commit": document["build"]["git_commit"],
        "started_at": document["started_at"],
    }


def _configuration(asked: Mapping[str, Any]) -> str:
    """Return `engine:a=1,b=2 on layout`."""
    settings = ",".join(f"{k}={v}" for k, v in (asked.get("settings") or {}).items())
    engine = f"{asked['engine']}:{settings}" if settings else asked["engine"]
    return f"{engine} on {asked['layout']}"


def _passed(record: Mapping[str, Any]) -> bool:
    verified = (record.get("answer") or {}).get("verified") or {}
    return bool(verified.get("passed"))


def _turn(record: Mapping[str, Any]) -> Json:
    raced = record["raced"]
    memory = raced["memory"]
    return _known(
        {
            "of": raced["contestant"],
            "turn": raced["turn"],
            **_outcome(record),
            "temperature": raced["temperature"],
            "wall_s": raced["wall_s"],
            "own_s": raced["own_s"],
            "processor_s": raced["user_s"] + raced["system_s"],
            "read_bytes": raced["read_bytes"],
            "written_bytes": raced["written_bytes"],
            "memory_bytes": memory["anonymous_bytes"],
            "peak_bytes": memory["peak_bytes"],
            "compared": raced["compared"],
            "bound": _bound(record),
            "phases": _seconds((record.get("external") or {}).get("phases")),
        }
    )


def _run(record: Mapping[str, Any], name: str, turn: int) -> Json:
    phases, io = record.get("phases") or {}, record.get("io") or {}
    return _known(
        {
            "of": name,
            "turn": turn,
            **_outcome(record),
            "temperature": (record.get("start") or {}).get("temperature"),
            "wall_s": phases.get("total_s"),
            "own_s": phases.get("run_s"),
            "read_bytes": io.get("kernel_bytes"),
            "written_bytes": io.get("kernel_written_bytes"),
            "memory_bytes": (record.get("memory") or {}).get("peak_rss_bytes"),
            "bound": _bound(record),
            "stages": _seconds(record.get("stages")),
        }
    )


def _seconds(parts: Mapping[str, Any] | None) -> Json:
    return {key: _rounded(value) for key, value in (parts or {}).items()}


def _outcome(record: Mapping[str, Any]) -> Json:
    outcome = record["outcome"]
    return {"status": outcome["status"], "reason": outcome["reason"]}


def _bound(record: Mapping[str, Any]) -> Json | None:
    """Return for which shares of its time a run of ours was bound by what."""
    bound = record.get("bound")
    if not bound or not bound["seconds"]:
        return None
    parts = {name: (bound.get(name) or {}).get("seconds") for name in ("device", "processors")}
    parts |= {"neither": bound["neither_s"]}
    return {k: round(v / bound["seconds"], 3) for k, v in parts.items() if v is not None}


def _known(run: Json) -> Json:
    """Leave out what is not known, and digits that mean nothing."""
    return {key: _rounded(value) for key, value in run.items() if value not in (None, "", {})}


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
