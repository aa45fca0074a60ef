# SPDX-License-Identifier: Apache-2.0
"""Why one run took longer than another: its edges, times bytes an edge, over bytes a second.

The three are an identity, whatever the engine: time = edges * (bytes / edges) / (bytes / time). So
their ratios multiply to the ratio of the times, and the largest says where to look.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcore_analysis.viewer.words import size_text, time_text, times_text

if TYPE_CHECKING:
    from collections.abc import Sequence

LITTLE = 1.1  # a ratio that is closer to 1 is no difference


@dataclass(frozen=True)
class Account:
    """What a run did, in exact counts, and how long it took from its first work on."""

    name: str
    edges: int  # processed
    bytes: int  # asked for
    seconds: float

    @property
    def complete(self) -> bool:
        """Say whether there is something to divide by."""
        return min(self.edges, self.bytes, self.seconds) > 0


def factors_of(one: Account, other: Account) -> dict[str, float]:
    """Return how many times as long the other takes, by cause; they multiply to the last."""
    per_edge, per_second = one.bytes / one.edges, one.bytes / one.seconds
    return {
        "edges processed": other.edges / one.edges,
        "bytes an edge": other.bytes / other.edges / per_edge,
        "bytes a second": other.bytes / other.seconds / per_second,
        "time": other.seconds / one.seconds,
    }


def sentence_of(one: Account, other: Account) -> str:
    """Say which cause is the largest."""
    factors = factors_of(one, other)
    time = factors.pop("time")
    if 1 / LITTLE < time < LITTLE:
        return f"{one.name} and {other.name} take about as long."
    slow, fast = (other, one) if time > 1 else (one, other)
    # What makes the slower one slow: more edges, more bytes an edge, fewer bytes a second.
    sign = 1 if time > 1 else -1
    weights = {name: sign * math.log(value) for name, value in factors.items()}
    weights["bytes a second"] *= -1
    cause = max(weights, key=lambda name: weights[name])
    much = times_text(math.exp(weights[cause]))
    because = {
        "edges processed": f"it processes {much} the edges",
        "bytes an edge": f"it reads {much} the bytes for an edge",
        "bytes a second": f"the other reads {much} the bytes in a second",
    }
    longer = times_text(max(time, 1 / time))
    begin = f"{slow.name} takes {longer} the time of {fast.name}"
    return f"{begin}, first of all because {because[cause]}."


def why_of(accounts: Sequence[Account]) -> dict[str, Any] | None:
    """Return a table of the causes, and a sentence for each run beside the first."""
    if len(accounts) < 2 or not all(account.complete for account in accounts):
        return None
    first, *others = accounts
    shown = {
        "edges processed": [f"{account.edges:,}" for account in accounts],
        "bytes an edge": [f"{account.bytes / account.edges:,.2f}" for account in accounts],
        "bytes a second": [size_text(account.bytes / account.seconds) for account in accounts],
        "time": [time_text(account.seconds) for account in accounts],
    }
    ratios = [factors_of(first, other) for other in others]
    rows = [
        {"cause": cause, "values": values, "times": [times_text(of[cause]) for of in ratios]}
        for cause, values in shown.items()
    ]
    return {"rows": rows, "sentences": [sentence_of(first, other) for other in others]}
