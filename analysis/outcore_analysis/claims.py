# SPDX-License-Identifier: Apache-2.0
"""Claims to verdicts.

A claim's value is measured by its expression, and its verdict follows from two bands around the
paper's number, both fixed in the claim's file:

    reproduced       the value, and its whole interval if there is one, lie in the band `tolerance`
    partly           otherwise, if the value lies in that band or in the wider band `partly`
    not reproduced   otherwise
    not testable here, not run   no value can be had; the reason says why

The band of a factor f around the paper's values [a, b] is [a / f, b * f] for direction `about`,
everything from a / f for `at_least`, and everything up to b * f for `at_most`.

What nothing here can tell is *not testable here*, for a reason from the closed list of the schema,
and that of at most a quarter of a paper's statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pandas as pd

from outcore_analysis.expressions import (
    Evaluation,
    ExpressionError,
    NoRecordsError,
    check_expression,
)
from outcore_analysis.stats import Summary, summarise
from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
COPIED = ["id", "place", "statement", "measure", "direction", "tolerance", "partly"]
UNTESTABLE_SHARE = 0.25
VERDICTS = ("reproduced", "partly", "not reproduced", "not testable here", "not run")


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, from a file that the claims schema checked."""

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

    def holds(self, value: float, factor: float) -> bool:
        """Whether a value lies in the band of this factor."""
        from_below = self.direction == "at_most" or value >= self.paper_low / factor
        from_above = self.direction == "at_least" or value <= self.paper_high * factor
        return from_below and from_above


@dataclass(frozen=True)
class Verdict:
    """What our records say of a claim."""

    claim: Claim
    verdict: str
    reason: str
    value: Summary | None
    records: tuple[str, ...]


def read_claims(files: Iterable[str]) -> list[Claim]:
    """All claims of the files, checked; ids are unique."""
    claims: dict[str, Claim] = {}
    for file in files:
        document = load_yaml(file)
        check(document, "claims")
        for i, item in enumerate(document.value["claims"]):
            place = document.place(["claims", i])
            if item["id"] in claims:
                raise ConfigError(f"{place}: claim '{item['id']}' stands twice")
            claims[item["id"]] = _claim(document, item, place)
        _check_untestable(document)
    return list(claims.values())


def _claim(document: Document, item: Json, place: str) -> Claim:
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
    if claim.expression:
        try:
            check_expression(claim.expression, claim.conditions)
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


def judge(claim: Claim, tables: dict[str, pd.DataFrame]) -> Verdict:
    """Evaluates one claim; an expression that is wrong raises ExpressionError with its id."""
    if claim.not_testable:
        return Verdict(claim, "not testable here", claim.not_testable, None, ())
    evaluation = Evaluation(tables, claim.conditions)
    try:
        value = summarise(evaluation.value(claim.expression))
    except NoRecordsError as error:
        return Verdict(claim, "not run", str(error), None, ())
    except ExpressionError as error:
        raise ExpressionError(f"claim {claim.id}: {error}") from error
    verdict, reason = _verdict(claim, value)
    return Verdict(claim, verdict, reason, value, tuple(sorted(evaluation.used)))


def _verdict(claim: Claim, value: Summary) -> tuple[str, str]:
    points = [value.median, *(end for end in (value.low, value.high) if end is not None)]
    if all(claim.holds(point, claim.tolerance) for point in points):
        return "reproduced", ""
    if claim.holds(value.median, claim.tolerance):
        return "partly", "the interval reaches beyond the tolerance"
    if claim.holds(value.median, claim.partly):
        return "partly", f"beyond the tolerance, within a factor of {claim.partly:g}"
    return "not reproduced", ""


def verdict_document(verdict: Verdict) -> Json:
    """A verdict as plain data."""
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
    }
