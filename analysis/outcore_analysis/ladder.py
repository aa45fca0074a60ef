# SPDX-License-Identifier: Apache-2.0
"""Ladders: from one configuration of an engine to another, one knob at a time.

An engine of an experiment may have `ladder` in place of lists of settings, options and layouts:

    ladder:
      - {says: as published, settings: {form: published}}
      - {says: any worker does anything, settings: {roles: any}}
      - {says: requests of 64 KB, options: {max-request: 64K}}
      - {says: by degree, layout: csr-degree}

Each step changes what it names and keeps what the steps before it changed, so a rung of the ladder
is a configuration, and what it differs in from the rung below is what its idea is worth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outcore_analysis.forms import is_published

if TYPE_CHECKING:
    from outcore_analysis.plan import Cell

Json = dict[str, Any]
# What a step may change; an experiment has lists of these where it has no ladder.
CHANGED = ("settings", "options")


@dataclass(frozen=True)
class Rung:
    """A configuration of an engine, and in words the step that led to it."""

    says: str
    layout: str
    backend: str | None
    settings: Json
    options: Json

    def is_of(self, cell: Cell) -> bool:
        """Tell whether the cell is of this configuration."""
        mine = (self.layout, self.settings, self.options)
        # A cell names no backend that is the usual one, but the published form may have another.
        usual = cell.backend is None and not is_published(self.settings)
        return mine == (cell.layout, cell.settings, cell.options) and (
            usual or cell.backend == self.backend
        )


def rungs(spec: Json) -> list[Rung]:
    """Return the rungs of an engine's ladder, from the first to the last; none without one."""
    found: list[Rung] = []
    layout, backend = spec.get("layouts", [""])[0], None
    settings: Json = {}
    options: Json = {}
    for step in spec.get("ladder", []):
        layout, backend = step.get("layout", layout), step.get("backend", backend)
        settings, options = settings | step.get("settings", {}), options | step.get("options", {})
        found.append(Rung(step["says"], layout, backend, settings, options))
    return found


def unrolled(spec: Json) -> Iterator[Json]:
    """Yield the engine once for each rung, as it would be written without a ladder."""
    if "ladder" not in spec:
        yield spec
        return
    rest = {key: value for key, value in spec.items() if key != "ladder"}
    for rung in rungs(spec):
        one = rest | {"layouts": [rung.layout]}
        one |= {"settings": [rung.settings], "options": [rung.options]}
        yield one | ({"backend": [rung.backend]} if rung.backend else {})


def sets_of(spec: Json, key: str) -> list[Json]:
    """Return all sets of settings, or of options, that an engine is run with."""
    if "ladder" in spec:
        return [getattr(rung, key) for rung in rungs(spec)]
    found: list[Json] = spec.get(key, [{}])
    return found
