# SPDX-License-Identifier: Apache-2.0
"""What is wrong with what a benchmark was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcore_analysis.faults import ToldError

if TYPE_CHECKING:
    from pathlib import Path


class GraphalyticsError(ToldError):
    """What is wrong: the file, the line, what was found, what was expected."""

    @classmethod
    def at(cls, file: Path, line: int, found: str, expected: str) -> GraphalyticsError:
        """Return the fault of a line of a file; line 0 is the whole file."""
        place = f"{file}:{line}" if line else str(file)
        return cls(f"{place}: found {found}, expected {expected}")
