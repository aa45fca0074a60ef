# SPDX-License-Identifier: Apache-2.0
"""Numbers for people, as the page's program writes them (viewer/src/text.js)."""

from __future__ import annotations


def size_text(size: float) -> str:
    """Return a size in decimal units."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"


def time_text(seconds: float) -> str:
    """Return a time in seconds, or in milliseconds if it is short."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def times_text(ratio: float) -> str:
    """Return a ratio as so many times."""
    digits = 0 if ratio >= 9.95 else 1 if ratio >= 0.95 else 2
    return f"{ratio:,.{digits}f} times"
