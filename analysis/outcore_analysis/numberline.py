# SPDX-License-Identifier: Apache-2.0
"""The number line of a claim's card.

The bar is the paper's value or range; the dot with a line is our value with its interval. The
darker band is what counts as reproduced, the lighter band what counts as partly.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup, escape

from outcore_analysis.claims import Claim, Verdict
from outcore_analysis.words import format_value, measured_text, paper_text

WIDTH, HEIGHT, MARGIN = 320, 44, 8
BAND_TOP, BAND_HEIGHT = 8, 16
MIDDLE = BAND_TOP + BAND_HEIGHT / 2
# If the largest number is this factor above the smallest, the line is logarithmic.
WIDE = 5


def number_line(verdict: Verdict) -> Markup:
    """Return the drawing as SVG; empty if there is no value."""
    found, claim = verdict.value, verdict.claim
    if found is None:
        return Markup("")
    ours = [end for end in (found.low, found.median, found.high) if end is not None]
    low, high, logarithmic = _ends(claim, ours)
    x = _scale(low, high, logarithmic)
    parts = [_band(claim, claim.partly, x, "partly"), _band(claim, claim.tolerance, x, "within")]
    parts.append(_line(x(claim.paper_low), x(claim.paper_high), "paper"))
    parts.append(_line(x(min(ours)), x(max(ours)), "ours"))
    parts.append(f'<circle class="ours" cx="{x(found.median):.1f}" cy="{MIDDLE}" r="4"/>')
    for value, anchor in ((low, "start"), (high, "end")):
        text = escape(format_value(value, "percent" if claim.unit == "percent" else ""))
        parts.append(
            f'<text x="{x(value):.1f}" y="{HEIGHT - 4}" text-anchor="{anchor}">{text}</text>'
        )
    told = escape(f"Paper: {paper_text(verdict)}. Here: {measured_text(verdict)}.")
    return Markup(
        f'<svg class="numberline" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{told}">'
        f"<title>{told}</title>{''.join(parts)}</svg>"
    )


def _ends(claim: Claim, ours: list[float]) -> tuple[float, float, bool]:
    """Return the smallest and the largest number of the line, and whether it is logarithmic."""
    bands = [*claim.band(claim.tolerance), *claim.band(claim.partly)]
    shown = [*ours, claim.paper_low, claim.paper_high, *(v for v in bands if math.isfinite(v))]
    least, greatest = min(shown), max(shown)
    if claim.share:
        return min(0.0, least), 1.0, False
    if least > 0 and greatest / least > WIDE:
        return least / 1.15, greatest * 1.15, True
    room = 0.1 * (greatest - least) or 0.1 * abs(greatest)
    return least - room, greatest + room, False


def _scale(low: float, high: float, logarithmic: bool) -> Callable[[float], float]:
    of = math.log if logarithmic else float

    def x(value: float) -> float:
        inside = min(max(value, low), high)
        return MARGIN + (WIDTH - 2 * MARGIN) * (of(inside) - of(low)) / (of(high) - of(low))

    return x


def _band(claim: Claim, factor: float, x: Callable[[float], float], name: str) -> str:
    low, high = claim.band(factor)
    left, right = x(low), x(high)
    return (
        f'<rect class="{name}" x="{left:.1f}" y="{BAND_TOP}" width="{max(right - left, 1):.1f}" '
        f'height="{BAND_HEIGHT}"/>'
    )


def _line(left: float, right: float, name: str) -> str:
    """Return a horizontal line with a small upright at each end."""
    reach = 9 if name == "paper" else 3
    ends = "".join(f"M{at:.1f} {MIDDLE - reach}V{MIDDLE + reach}" for at in (left, right))
    return f'<path class="{name}" d="M{left:.1f} {MIDDLE}H{right:.1f}{ends}"/>'
