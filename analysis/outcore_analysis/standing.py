# SPDX-License-Identifier: Apache-2.0
"""How the claims stand, in one line and in counts.

Verdicts about modelled devices, and those that the set-up decides in advance, are counted
separately from measured ones.
"""

from __future__ import annotations

from collections.abc import Iterable

from outcore_analysis.claims import JUDGED, VERDICTS, Contradiction, Verdict
from outcore_analysis.figures.tables import NOTHING
from outcore_analysis.words import measured_text, paper_text

APART = {"modelled": "on modelled devices", "by construction": "by construction"}


def standing(verdicts: list[Verdict]) -> str:
    """Return the line that a page begins with: how many statements are judged, and how."""
    judged = [verdict for verdict in verdicts if verdict.judged]
    measured = [verdict for verdict in judged if verdict.kind == "measured"]
    line = f"{len(measured)} of {len(verdicts)} statements judged"
    line += f": {_outcomes(measured)}." if measured else "."
    apart = [
        f"{len(those)} {words} ({_outcomes(those)})"
        for kind, words in APART.items()
        if (those := [verdict for verdict in judged if verdict.kind == kind])
    ]
    return f"{line} Counted apart: {'; '.join(apart)}." if apart else line


def waiting(verdicts: list[Verdict]) -> str:
    """Return how many statements have no verdict."""
    return ", ".join(
        f"{number} {name}"
        for name in VERDICTS[len(JUDGED) :]
        if (number := sum(verdict.verdict == name for verdict in verdicts))
    )


def forms(verdicts: Iterable[Verdict]) -> str:
    """Return how the statements that compare engines stand in both forms; empty if none does."""
    both = [v for v in verdicts if v.published and v.judged and v.published.judged]
    published = [v.published for v in both if v.published]
    if not both:
        return ""
    one = len(both) == 1
    return (
        f"{len(both)} statement{'' if one else 's'} that compare{'s' if one else ''} engines "
        f"{'is' if one else 'are'} judged in both forms. As the papers' programs have their knobs: "
        f"{_outcomes(published)}. In our best form: {_outcomes(both)}."
    )


def counts(verdicts: Iterable[Verdict]) -> dict[str, str]:
    """Return a row of the table of verdicts; what is counted separately has columns of its own."""
    listed = list(verdicts)
    row = {name: _number(v.verdict == name and _in_table(v) for v in listed) for name in VERDICTS}
    for kind, words in APART.items():
        row[words] = _number(v.judged and v.kind == kind for v in listed)
    return row


def marks(verdict: Verdict) -> list[tuple[str, str]]:
    """Return what a reader has to know beside a verdict: a word, and what it means."""
    claim, found = verdict.claim, []
    if claim.modelled:
        found.append(("modelled", "measured on a model of a device, not on a device"))
    if claim.by_construction:
        found.append(("by construction", claim.by_construction))
    if verdict.indicative:
        found.append(("indicative", "fewer than three trials of a time or a rate"))
    if verdict.later:
        found.append(("added later", "the claim, as judged here, is younger than its records"))
    return found


def contradiction_text(found: Contradiction) -> str:
    """Return what both papers say about one number, and what was measured here."""
    first, second = found.verdicts
    sides = [f"{v.claim.paper} ({v.claim.place}) says {paper_text(v)}" for v in (first, second)]
    return (
        f"Two papers contradict each other on one number: {' and '.join(sides)}. "
        f"Here it is {measured_text(first)}."
    )


def _outcomes(verdicts: list[Verdict]) -> str:
    return ", ".join(f"{sum(v.verdict == name for v in verdicts)} {name}" for name in JUDGED)


def _in_table(verdict: Verdict) -> bool:
    return verdict.kind == "measured" or not verdict.judged


def _number(flags: Iterable[bool]) -> str:
    return str(sum(flags) or NOTHING)
