# SPDX-License-Identifier: Apache-2.0
"""From claims to verdicts.

A claim's expression measures its value. The verdict follows from two bands around the paper's
number, both fixed in the claim's file:

    reproduced       the value, and its whole interval if there is one, are in the band `tolerance`
    partly           otherwise, if the value is in that band or in the wider band `partly`
    not reproduced   otherwise
    not testable here, not run   there can be no value; the reason says why

The band of a factor f around the paper's values [a, b] is [a / f, b * f] for direction `about`,
everything from a / f for `at_least`, and everything up to b * f for `at_most`. A share, whose unit
is percent, is judged in points instead: its band of p points is [a - p, b + p], in percent. A
factor would allow 75% of the number for a share of 75%, and nothing for one of 1%. A number that
the paper measured has direction `about`. The other two are for what the paper itself states as a
bound ("over 80%", "fewer than 7 bytes") and for comparisons without a number.

Conditions that a value must meet before it is judged:

    every ...        a claim about every graph or workload names in `covers` those that it needs at
                     least; if one of them is missing, the claim is not run
    a share          a `share` of a whole is at most 1; a greater one is a fault of the measurement,
                     so the claim is not run
    a time or rate   on fewer than three trials it is at best partly, and marked indicative

Three kinds of verdicts are marked and counted separately: about a value of a modelled device
(`modelled`), about a value that the set-up fixes whatever the engine does (`by_construction`), and
on records that are older than the claim (`later`).

A claim that compares engines is judged twice, with both in the form that is our best and with both
in the published form (forms.py): the second verdict stands beside the first and is counted
separately.

A claim about which nothing here can say anything is *not testable here*, for one of the reasons in
the schema. At most a quarter of a paper's statements may be.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from outcore_analysis.expressions import (
    Evaluation,
    ExpressionError,
    NoRecordsError,
    asks_for_a_model,
    check_expression,
    columns_of,
    compares_engines,
)
from outcore_analysis.forms import BEST, PUBLISHED
from outcore_analysis.since import UNDATED, Since, judged_part, read_dates
from outcore_analysis.stats import LEAST_TRIALS, Summary, summarise
from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
COPIED = ["id", "place", "statement", "measure", "direction", "tolerance", "partly"]
UNTESTABLE_SHARE = 0.25
VERDICTS = ("reproduced", "partly", "not reproduced", "not testable here", "not run")
JUDGED = VERDICTS[:3]
# Columns that are times, or are divided by one: they differ by chance between trials.
TIMED = ("seconds", "_s", "_rate", "_ns_per_edge", "cpu_share", "device_share", "sustained_share")
# By how much a share may be above 1, because of rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, from a file that was checked by the claims schema."""

    id: str
    paper: str
    place: str
    statement: str
    measure: str
    expression: str
    direction: str
    paper_low: float
    paper_high: float
    unit: str
    tolerance: float
    partly: float
    not_testable: str | None
    no_number: bool = False
    conditions: Mapping[str, Any] = field(default_factory=dict)
    covers: Mapping[str, list[Any]] = field(default_factory=dict)
    share: bool = False
    by_construction: str = ""
    why_not: str = ""
    first_form: Mapping[str, str] = field(default_factory=dict)
    since: Since = UNDATED

    @property
    def modelled(self) -> bool:
        """Tell whether any of its runs are on a modelled device."""
        return bool(self.expression) and asks_for_a_model(self.expression, self.conditions)

    @property
    def in_both_forms(self) -> bool:
        """Tell whether it compares engines, and so has a verdict for each form of them."""
        asked = self.expression if not self.not_testable else ""
        return bool(asked) and compares_engines(asked, self.conditions)

    @property
    def timed(self) -> bool:
        """Tell whether its value is made from times or rates, and not from counts."""
        return any(column.endswith(TIMED) for column in columns_of(self.expression))

    @property
    def in_points(self) -> bool:
        """Tell whether its tolerances are percentage points, not factors."""
        return self.unit == "percent"

    def band(self, tolerance: float) -> tuple[float, float]:
        """Return the smallest and the largest value of this tolerance's band; a share ends at 1."""
        if self.in_points:
            low, high = self.paper_low - tolerance / 100, self.paper_high + tolerance / 100
        else:
            low, high = self.paper_low / tolerance, self.paper_high * tolerance
        low = -math.inf if self.direction == "at_most" else low
        high = math.inf if self.direction == "at_least" else high
        return low, min(high, 1 + ROUNDING) if self.share else high

    def within(self, tolerance: float) -> str:
        """Return in words how far this tolerance reaches from the paper's number."""
        if self.in_points:
            return f"{tolerance:g} point{'s' * (tolerance != 1)}"
        return f"a factor of {tolerance:g}"

    def holds(self, value: float, tolerance: float) -> bool:
        """Tell whether a value is in the band of this tolerance."""
        low, high = self.band(tolerance)
        return low <= value <= high


@dataclass(frozen=True)
class Verdict:
    """What our records say about a claim."""

    claim: Claim
    verdict: str
    reason: str
    value: Summary | None
    records: tuple[str, ...]
    # Fewer than three trials of a time or a rate.
    indicative: bool = False
    # The claim, as it is judged, is younger than a record that it uses.
    later: bool = False
    # For a claim that was changed: what its first form gives, a value or why there is none.
    first_form: Summary | str = ""
    # For a claim that compares engines: the verdict with them in their published form.
    published: Verdict | None = None

    @property
    def judged(self) -> bool:
        """Tell whether there is a value to judge."""
        return self.verdict in JUDGED

    @property
    def kind(self) -> str:
        """Return with which verdicts it is counted: measured, modelled or by construction."""
        if self.claim.by_construction:
            return "by construction"
        return "modelled" if self.claim.modelled else "measured"


def read_claims(files: Iterable[str]) -> list[Claim]:
    """Read all claims of the files and check them; ids are unique."""
    claims: dict[str, Claim] = {}
    for file in files:
        document = load_yaml(file)
        check(document, "claims")
        dates = read_dates(Path(file).parent)
        for i, item in enumerate(document.value["claims"]):
            place = document.place(["claims", i])
            if item["id"] in claims:
                raise ConfigError(f"{place}: claim '{item['id']}' occurs twice")
            judged = judged_part(item, document.value.get("conditions", {}))
            since = dates.since(item["id"], judged)
            claims[item["id"]] = _claim(document, item, place, since)
        _check_untestable(document)
    return list(claims.values())


def _claim(document: Document, item: Json, place: str, since: Since) -> Claim:
    number = item["paper_value"]
    low, high = number if isinstance(number, list) else (number, number)
    claim = Claim(
        paper=document.value["paper"],
        paper_low=low,
        paper_high=high,
        unit=item.get("unit", ""),
        expression=item.get("expression", ""),
        not_testable=item.get("not_testable"),
        no_number=item.get("no_number", False),
        conditions=document.value.get("conditions", {}),
        covers=item.get("covers", {}),
        share=item.get("share", False),
        by_construction=item.get("by_construction", ""),
        why_not=item.get("why_not", ""),
        first_form=item.get("first_form", {}),
        since=since,
        **{key: item[key] for key in COPIED},
    )
    if claim.partly < claim.tolerance:
        raise ConfigError(f"{place}: `partly` is narrower than `tolerance`")
    if claim.no_number and number != 1:
        raise ConfigError(f"{place}: a comparison without a number has `paper_value: 1`")
    if bool(claim.expression) == bool(claim.not_testable):
        raise ConfigError(
            f"{place}: claim '{claim.id}' needs either an expression or a reason why it is "
            "not_testable"
        )
    if claim.share and claim.paper_high > 1:
        raise ConfigError(f"{place}: a share of a whole is at most 1, and the paper's is not")
    for expression in (claim.expression, claim.first_form.get("expression", "")):
        if not expression:
            continue
        try:
            check_expression(expression, claim.conditions)
        except ExpressionError as error:
            raise ConfigError(f"{place}: claim '{claim.id}': {error}") from error
    return claim


def _check_untestable(document: Document) -> None:
    items = document.value["claims"]
    untestable = [item["id"] for item in items if "not_testable" in item]
    if len(untestable) > UNTESTABLE_SHARE * len(items):
        raise ConfigError(
            f"{document.place(['claims'])}: {len(untestable)} of {len(items)} claims are said "
            f"to be not testable, and a quarter may be: {', '.join(untestable)}"
        )


def measure(
    claim: Claim, tables: dict[str, pd.DataFrame], measured: bool = True, form: str = BEST
) -> tuple[list[float], set[str]]:
    """Return a claim's value in each trial, and the records that it uses.

    If nothing was `measured`, the tables have what was asked, and any number elsewhere. Raises
    NoRecordsError if there is no value to judge, ExpressionError if the expression is wrong; both
    say why.
    """
    evaluation = Evaluation(tables, claim.conditions, measured, form)
    values = evaluation.value(claim.expression)
    lacking = evaluation.uncovered(claim.covers) if claim.covers else ""
    if lacking:
        raise NoRecordsError(
            f"it is about every {' and '.join(claim.covers)}, and these runs lack {lacking}"
        )
    if claim.share and max(values) > 1 + ROUNDING:
        raise NoRecordsError(
            f"{100 * max(values):.3g}% of a whole is impossible: the numerator is not a part of "
            "the denominator"
        )
    return values, evaluation.used


def judge(claim: Claim, tables: dict[str, pd.DataFrame]) -> Verdict:
    """Evaluate one claim; an expression that is wrong raises ExpressionError with its id."""
    verdict = _judge(claim, tables, BEST)
    if claim.in_both_forms:
        # Why the best form differs from the paper is not why the published one does.
        verdict = replace(verdict, published=_judge(replace(claim, why_not=""), tables, PUBLISHED))
    return verdict


def _judge(claim: Claim, tables: dict[str, pd.DataFrame], form: str) -> Verdict:
    if claim.not_testable:
        return Verdict(claim, "not testable here", claim.not_testable, None, ())
    try:
        values, used = measure(claim, tables, form=form)
    except NoRecordsError as error:
        return Verdict(claim, "not run", str(error), None, ())
    except ExpressionError as error:
        raise ExpressionError(f"claim {claim.id}: {error}") from error
    value = summarise(values)
    verdict, reason = _verdict(claim, value, values)
    indicative = claim.timed and value.trials < LEAST_TRIALS
    if indicative and verdict == "reproduced":
        trials = f"{value.trials} trial{'s' * (value.trials > 1)}"
        verdict, reason = "partly", f"{trials} of a time or a rate: {LEAST_TRIALS} are needed"
    return Verdict(
        claim,
        verdict,
        reason,
        value,
        tuple(sorted(used)),
        indicative,
        later=claim.since.is_after(_first_start(tables["runs"], used)),
        first_form=_first_form(claim, tables),
    )


def _first_form(claim: Claim, tables: dict[str, pd.DataFrame]) -> Summary | str:
    if not claim.first_form:
        return ""
    evaluation = Evaluation(tables, claim.conditions)
    try:
        return summarise(evaluation.value(claim.first_form["expression"]))
    except NoRecordsError as error:
        return str(error)


def _verdict(claim: Claim, value: Summary, values: list[float]) -> tuple[str, str]:
    # With too few trials for an interval all of them count, so that fewer do not pass more easily.
    ends = values if value.low is None or value.high is None else [value.low, value.high]
    if all(claim.holds(point, claim.tolerance) for point in [value.median, *ends]):
        return "reproduced", ""
    if claim.holds(value.median, claim.tolerance):
        return "partly", "the interval reaches beyond the tolerance"
    if claim.holds(value.median, claim.partly):
        return "partly", f"beyond the tolerance, within {claim.within(claim.partly)}"
    return "not reproduced", claim.why_not


def _first_start(runs: pd.DataFrame, records: set[str]) -> str:
    """Return when the first of these records was started; a replay is as old as its run."""
    names = {record.replace(".replay.json", ".json") for record in records}
    return min(runs[runs["record"].isin(names)]["started_at"].dropna(), default="")


@dataclass(frozen=True)
class Contradiction:
    """Two papers that state different things about one number."""

    verdicts: tuple[Verdict, Verdict]


def contradictions(verdicts: Iterable[Verdict]) -> list[Contradiction]:
    """Return claims of two papers with the same expression that no value satisfies together."""
    judged = [verdict for verdict in verdicts if verdict.judged]
    return [
        Contradiction((first, second))
        for first, second in itertools.combinations(judged, 2)
        if first.claim.paper != second.claim.paper
        and _same_number(first.claim, second.claim)
        and not _agree(first.claim, second.claim)
    ]


def _same_number(one: Claim, other: Claim) -> bool:
    return (
        one.expression.split() == other.expression.split()
        and dict(one.conditions) == dict(other.conditions)
    )  # fmt: skip


def _agree(one: Claim, other: Claim) -> bool:
    """Tell whether there is a value that reproduces both."""
    low = max(claim.band(claim.tolerance)[0] for claim in (one, other))
    high = min(claim.band(claim.tolerance)[1] for claim in (one, other))
    return low <= high


def verdict_document(verdict: Verdict) -> Json:
    """Return a verdict as plain data; `published` has that on the published form, or none."""
    published = verdict.published
    return {
        "id": verdict.claim.id,
        "paper": verdict.claim.paper,
        "place": verdict.claim.place,
        "statement": verdict.claim.statement,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "value": asdict(verdict.value) if verdict.value else None,
        "paper_value": [verdict.claim.paper_low, verdict.claim.paper_high],
        "direction": verdict.claim.direction,
        "records": list(verdict.records),
        "kind": verdict.kind,
        "indicative": verdict.indicative,
        "later": verdict.later,
        "since": verdict.claim.since.date,
        "published": published
        and {
            "verdict": published.verdict,
            "reason": published.reason,
            "value": asdict(published.value) if published.value else None,
            "records": list(published.records),
        },
    }
