# SPDX-License-Identifier: Apache-2.0
"""What ends a race, and what only keeps a contestant out of it."""

from __future__ import annotations

from outcore_analysis.faults import ToldError


class RaceError(ToldError):
    """A race that cannot be held."""

    before = "outcore: "


class RightsError(RaceError):
    """The operating system does not let us measure as asked."""

    code = 4


class InterruptedRaceError(RaceError):
    """The user stopped the race; the records so far are kept."""

    code = 130


class UnracedError(Exception):
    """A contestant that cannot take part; the message says why, and what to do."""
