# SPDX-License-Identifier: Apache-2.0
"""Since when each claim has been judged as it is judged now.

A verdict is worth more if the claim existed before the records. For each claim,
configs/claims/since.json has a digest of everything that decides its verdict, and the commit that
introduced this digest. `python -m outcore_analysis artifact` writes that file from git's history,
so the page needs no git. A claim that was changed since then and has no commit yet counts as
younger than any record.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from outcore_analysis.yamllines import ConfigError

Json = dict[str, Any]
FILE = "since.json"
FOLDER = "configs/claims"
# What decides a verdict; a claim's other words may be corrected without making it younger.
JUDGED_BY = (
    *("expression", "direction", "paper_value", "no_number", "unit", "tolerance", "partly"),
    *("covers", "share", "not_testable"),
)


@dataclass(frozen=True)
class Since:
    """When a claim came to be judged as it is now, and by which commit."""

    date: str = ""
    commit: str = ""
    # It differs from every commit's version.
    uncommitted: bool = False

    def is_after(self, time: str) -> bool:
        """Tell whether the claim is younger than something that was started at this time."""
        if self.uncommitted:
            return True
        if not (self.date and time):
            return False
        return _instant(self.date) > _instant(time)


UNDATED = Since()


@dataclass(frozen=True)
class Dates:
    """The file since.json; empty if there is none, as beside claims of one's own."""

    entries: Json
    known: bool

    def since(self, name: str, judged: str) -> Since:
        """Return when this claim came to have this digest."""
        if not self.known:
            return UNDATED
        entry = self.entries.get(name, {})
        if entry.get("judged") != judged or not entry.get("commit"):
            return Since(uncommitted=True)
        return Since(entry["date"], entry["commit"])


def read_dates(folder: Path) -> Dates:
    """Return the dates of the claims in a folder."""
    path = folder / FILE
    if not path.is_file():
        return Dates({}, known=False)
    return Dates(json.loads(path.read_text(encoding="utf-8")), known=True)


def judged_part(claim: Mapping[str, Any], conditions: Mapping[str, Any]) -> str:
    """Return a digest of what decides a verdict; line breaks in the expression do not count."""
    kept: Json = {key: claim[key] for key in JUDGED_BY if key in claim}
    if "expression" in kept:
        kept["expression"] = " ".join(kept["expression"].split())
    text = json.dumps([kept, dict(conditions)], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def dates_from_git(root: Path) -> Json:
    """Return what since.json should say: the claims as they are, dated by their files' history."""
    found: Json = {}
    # A length of its own: git's grows with the repository, and differs between two clones of it.
    log = _git(root, "log", "--reverse", "--abbrev=12", "--format=%h %aI", "--", FOLDER)
    for line in log.splitlines():
        commit, date = line.split()
        for name, judged in _digests(_files_of(root, commit)).items():
            if found.get(name, {}).get("judged") != judged:
                found[name] = {"judged": judged, "date": date, "commit": commit}
    today = _digests(
        path.read_text(encoding="utf-8") for path in sorted((root / FOLDER).glob("*.yaml"))
    )
    nothing: Json = {"date": "", "commit": ""}
    return {
        name: found[name] if found.get(name, {}).get("judged") == judged
        else {"judged": judged} | nothing
        for name, judged in sorted(today.items())
    }  # fmt: skip


def write_dates(root: Path) -> None:
    """Bring since.json up to date."""
    text = json.dumps(dates_from_git(root), indent=1) + "\n"
    (root / FOLDER / FILE).write_text(text, encoding="utf-8")


def _files_of(root: Path, commit: str) -> list[str]:
    names = _git(root, "ls-tree", "--name-only", commit, f"{FOLDER}/").splitlines()
    return [_git(root, "show", f"{commit}:{name}") for name in names if name.endswith(".yaml")]


def _digests(texts: Any) -> dict[str, str]:
    digests: dict[str, str] = {}
    for text in texts:
        document = yaml.load(text, Loader=yaml.CSafeLoader)
        conditions = document.get("conditions", {})
        digests |= {c["id"]: judged_part(c, conditions) for c in document["claims"]}
    return digests


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise ConfigError(f"{root}: git cannot tell when claims were written: {error}") from error
    return done.stdout


def _instant(time: str) -> datetime:
    found = datetime.fromisoformat(time)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
