# SPDX-License-Identifier: Apache-2.0
"""Answers are compared before times are shown.

A file of values, one a vertex, goes through the workload's own verifier (outcore verify): levels,
the partition into components, the core, the two invariants of a maximal set, ranks within the
tolerance that the verifier states. Numbers that a program only prints are compared with those of an
answer of ours that passed.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcore_analysis.contest.asked import Asked
from outcore_analysis.contest.contestant import Contestant

Json = dict[str, Any]
WRONG = 5  # the exit code for a wrong answer


@dataclass(frozen=True)
class Compared:
    """What came of it: a status, and the reason where it is not `ok`."""

    how: str | None  # values, counts, None: not at all
    reason: str = ""
    exit_code: int = 0
    answer: Json | None = None  # as in a record

    @property
    def differs(self) -> bool:
        """Tell whether there is an answer, and it is another one."""
        return self.exit_code == WRONG


@dataclass
class Answers:
    """The answers of one race. The same values of one contestant are verified once."""

    asked: Asked
    summary: Json | None = None  # of an answer of ours that passed
    seen: dict[tuple[str, str], Compared] = field(default_factory=dict)

    def of_values(
        self, name: str, values: Path, form: str, by_number: bool, scratch: Path
    ) -> Compared:
        """Have a file of values verified."""
        if not values.is_file():
            return Compared("values", f"it ended well and wrote no answer ({values.name})", 3)
        with values.open("rb") as file:
            key = (name, hashlib.file_digest(file, "sha256").hexdigest())
        if key not in self.seen:
            self.seen[key] = self._verify(name, values, form, by_number, scratch)
        return self.seen[key]

    def _verify(
        self, name: str, values: Path, form: str, by_number: bool, scratch: Path
    ) -> Compared:
        record = scratch / "verified.json"
        command = [self.asked.binary, "verify", self.asked.graph, *self.asked.question()]
        command += ["--values", str(values), "--format", form, "--engine", name]
        command += ["--record", str(record)] + (["--numbers"] if by_number else [])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3, WRONG) or not record.is_file():
            why = done.stderr.strip() or f"outcore verify ended with {done.returncode}"
            return Compared(None, why, done.returncode or 1)
        document: Json = json.loads(record.read_text(encoding="utf-8"))
        answer = document.get("answer")
        if answer is not None:
            answer["output"] = None  # the file is gone with its turn
        return Compared(
            "values", document["outcome"]["reason"], document["outcome"]["exit_code"], answer
        )

    def of_counts(self, contestant: Contestant, printed: str) -> Compared:
        """Compare the numbers that a contestant prints."""
        found = contestant.counts(self.asked.workload, printed)
        if not found:
            return Compared(None)
        if self.summary is None:
            return Compared(None, "")
        for name, number in found.items():
            if number is None:
                return Compared("counts", f"it did not print '{name}' as described", 3)
            if name not in self.summary:
                there = ", ".join(self.summary)
                why = f"'{name}' is not in our summary, which has: {there}"
                return Compared(None, why, 2)
            if number != self.summary[name]:
                why = f"it says {name} {number:g}, and ours says {self.summary[name]}"
                return Compared("counts", why, WRONG)
        return Compared("counts", answer=None)

    def of(self, contestant: Contestant, filled: Mapping[str, object], printed: str) -> Compared:
        """Compare whatever the contestant gives."""
        described = contestant.value["workloads"][self.asked.workload].get("values")
        if described is None:
            return self.of_counts(contestant, printed)
        return self.of_values(
            contestant.name,
            _place(contestant, described, filled),
            described["format"],
            contestant.calls_by_number,
            Path(str(filled["scratch"])),
        )

    def forget(self, contestant: Contestant, filled: Mapping[str, object]) -> None:
        """Remove the values of an earlier turn, from a program that writes beside its graph."""
        described = contestant.value["workloads"][self.asked.workload].get("values")
        if described is not None:
            _place(contestant, described, filled).unlink(missing_ok=True)


def _place(contestant: Contestant, described: Json, filled: Mapping[str, object]) -> Path:
    return Path(contestant.fill([described.get("file", "{answer}")], filled)[0])
