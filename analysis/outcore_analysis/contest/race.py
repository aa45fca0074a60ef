# SPDX-License-Identifier: Apache-2.0
"""The race: everyone in turn, in another order each time, within the same limits.

Nothing of a contestant's failure ends the race: it is a result. What is measured is kept after
every turn, so an interrupted race has the records so far.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcore_analysis.contest import record as records
from outcore_analysis.contest import turn
from outcore_analysis.contest.answers import Answers
from outcore_analysis.contest.asked import Asked
from outcore_analysis.contest.contestant import FOLDER, Contestant
from outcore_analysis.contest.conversion import Converted, convert
from outcore_analysis.contest.faults import RaceError, UnracedError
from outcore_analysis.contest.limits import make_group
from outcore_analysis.contest.record import OURS
from outcore_analysis.contest.turn import Limits
from outcore_analysis.yamllines import validator

Json = dict[str, Any]
# Who was ended by a limit would be again, and would only make the race longer.
LEAVES = ("out_of_memory", "killed")


@dataclass
class Entrant:
    """One that takes part: we (without a contestant) or they."""

    name: str
    contestant: Contestant | None = None
    version: str | None = None
    converted: Converted | None = None
    unraced: str = ""  # why it does not take part
    left: bool = False  # it takes no further turns
    records: list[Json] = field(default_factory=list)

    @property
    def good(self) -> list[Json]:
        """Return the records of the turns that went well."""
        return [found for found in self.records if found["outcome"]["status"] == "ok"]

    @property
    def verdict(self) -> str:
        """Return what the race says of it."""
        if self.unraced:
            return "unraced"
        wrong = [found for found in self.records if found["outcome"]["exit_code"] == 5]
        if any(found["outcome"]["status"] == "failed" for found in wrong):
            return "answers differ"
        if not self.good:
            return self.records[-1]["outcome"]["status"] if self.records else "unraced"
        by = {found["raced"]["compared"] for found in self.good}
        if by == {"values"}:
            return "right"
        return "counts agree" if by == {"counts"} else "not compared"

    @property
    def reason(self) -> str:
        """Say what went wrong; empty where nothing did."""
        if self.unraced:
            return self.unraced
        failed = [found for found in self.records if found["outcome"]["status"] != "ok"]
        return "; ".join(
            f"turn {found['raced']['turn']}: {found['outcome']['reason']}" for found in failed[:3]
        )


@dataclass
class Race:
    """One race, and what came of it."""

    asked: Asked
    settings: Mapping[str, str] = field(default_factory=dict)  # where programs are
    descriptions: Path = FOLDER
    tell: Callable[[str], None] = lambda _: None
    started_at: str = field(default_factory=records.now)
    finished: bool = False
    entrants: list[Entrant] = field(default_factory=list)

    def run(self) -> None:
        """Enter everyone, then race; keep the records whatever ends it."""
        described = [
            Contestant.read(name, self.settings, self.descriptions)
            for name in dict.fromkeys(self.asked.contestants)
        ]
        self._check_limit()
        self.entrants = [Entrant(OURS)]
        self._keep()
        answers = Answers(self.asked)
        for contestant in described:
            self.entrants.append(self._enter(contestant))
        for number in range(1, self.asked.turns + 1):
            for place, entrant in enumerate(order_of(self.entrants, number), 1):
                if entrant.unraced or entrant.left:
                    continue
                self.tell(f"turn {number} of {self.asked.turns}: {entrant.name}")
                self._take_turn(entrant, number, place, answers)
                self._keep()
        self.finished = True
        self._keep()

    def _check_limit(self) -> None:
        """Refuse a limit that cannot be set, before anything is converted."""
        group = make_group(self.asked.memory)
        if group:
            group.remove()

    @property
    def work(self) -> Path:
        """Return the folder beside the graph for exported and converted graphs."""
        graph = Path(self.asked.graph)
        return graph.with_name(f"{graph.name}.contestants")

    def _enter(self, contestant: Contestant) -> Entrant:
        entrant = Entrant(contestant.asked, contestant)
        try:
            values = self.asked.placeholders(contestant.calls_by_number)
            contestant.workload(self.asked.workload, values)
            self.work.mkdir(exist_ok=True)
            entrant.version = contestant.version(self.work)
            self.tell(f"{contestant.name}: its graph")
            entrant.converted = convert(
                contestant,
                Path(self.asked.binary),
                Path(self.asked.graph),
                self.work,
                self.asked.facts["checksum"],
                values,
            )
        except UnracedError as error:
            entrant.unraced = str(error)
        except OSError as error:
            entrant.unraced = f"its graph cannot be made: {error}"
        return entrant

    def _take_turn(self, entrant: Entrant, number: int, place: int, answers: Answers) -> None:
        with tempfile.TemporaryDirectory(prefix="turn-", dir=self._scratch()) as name:
            scratch = Path(name)
            temperature = turn.drop_page_cache() if self.asked.cold else "warm"
            run = self._theirs if entrant.contestant else self._ours
            try:
                document, taken, own, compared = run(entrant, scratch, answers)
            except UnracedError as error:  # its program went away
                entrant.unraced = str(error)
                return
        records.with_turn(document, taken, entrant.name, number, place, temperature, own, compared)
        fault = next(iter(validator("run").iter_errors(document)), None)
        if fault is not None:
            raise RaceError(f"the record of {entrant.name} is none: {fault.message[:200]}")
        entrant.records.append(document)
        entrant.left = document["outcome"]["status"] in LEAVES

    def _scratch(self) -> Path:
        folder = self.work / "scratch"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _ours(
        self, entrant: Entrant, scratch: Path, answers: Answers
    ) -> tuple[Json, turn.Turn, float | None, str | None]:
        values = scratch / ("values.csv" if self.asked.named else "values.npy")
        command = self.asked.run(values, scratch / "run.json")
        taken = turn.run(command, scratch, Limits(self.asked.memory, self.asked.seconds))
        form = values.suffix.removeprefix(".")
        compared = answers.of_values(entrant.name, values, form, False, scratch)
        document = records.of_ours(self.asked, scratch / "run.json", command, taken, compared)
        if document["outcome"]["status"] == "ok":
            answers.summary = document["answer"]["summary"]
        own = (document.get("phases") or {}).get("run_s")
        return document, taken, own, compared.how if taken.went_well else None

    def _theirs(
        self, entrant: Entrant, scratch: Path, answers: Answers
    ) -> tuple[Json, turn.Turn, float | None, str | None]:
        contestant, converted = entrant.contestant, entrant.converted
        assert contestant is not None and converted is not None
        asked = self.asked
        filled = asked.placeholders(contestant.calls_by_number) | converted.placeholders()
        described = contestant.workload(asked.workload, filled)
        ending = described.get("values", {}).get("format", "txt")
        filled |= {"scratch": scratch, "answer": scratch / f"answer.{ending}"}
        command = contestant.command(described["command"], filled)
        answers.forget(contestant, filled)
        limits = Limits(asked.memory, asked.seconds)
        taken = turn.run(command, scratch, limits, contestant.environment(filled))
        printed = f"{taken.output}\n{taken.errors}"
        times = contestant.times(asked.workload, printed)
        compared = answers.of(contestant, filled, printed) if taken.went_well else None
        document = records.of_theirs(
            asked, contestant.name, command, entrant.version, taken, times, compared,
            contestant.settings(filled), contestant.numbers(printed),
        )  # fmt: skip
        return document, taken, times.get("run"), compared.how if compared else None

    def document(self) -> Json:
        """Return the record of the whole race."""
        return {
            "record_version": 1,
            "asked": self.asked.of_record(),
            "graph": self.asked.facts,
            "machine": self.asked.machine,
            "build": self.asked.build,
            "started_at": self.started_at,
            "finished": self.finished,
            "contestants": [_told(entrant) for entrant in self.entrants],
            "records": [found for entrant in self.entrants for found in entrant.records],
        }

    def _keep(self) -> None:
        if self.asked.record:
            records.write(Path(self.asked.record), self.document())

    def clean(self) -> None:
        """Remove what turns left; exported and converted graphs stay for other races."""
        shutil.rmtree(self.work / "scratch", ignore_errors=True)


def order_of(entrants: list[Entrant], turn_number: int) -> list[Entrant]:
    """Return who goes when: everyone once, beginning one later in each turn, every second reversed.

    A program may leave the device busy, so it is not always followed by the same one.
    """
    first = (turn_number - 1) % len(entrants)
    turned = entrants[first:] + entrants[:first]
    return turned if turn_number % 2 else turned[:1] + turned[:0:-1]


def _told(entrant: Entrant) -> Json:
    value = entrant.contestant.value if entrant.contestant else {}
    return {
        "name": entrant.name,
        "title": entrant.contestant.title if entrant.contestant else "Outcore",
        "version": entrant.version,
        "licence": value.get("licence", "Apache-2.0"),
        "reference": value.get("reference", ""),
        "limits": value.get("limits", []),
        "verdict": entrant.verdict,
        "reason": entrant.reason,
        "conversion": entrant.converted.record if entrant.converted else None,
    }


def read_asked(text: str) -> Asked:
    """Return what the binary asks for."""
    return Asked.of(json.loads(text))
