# SPDX-License-Identifier: Apache-2.0
"""The two forms of an engine: the published one, and our best.

The setting `form=published` gives an engine the knobs of the program that its paper comes with
(engines/published_form.h). An experiment with `forms: [best, published]` runs its engines in both
forms, and a claim that compares engines has a verdict for each: what the paper's design gives, and
what our best gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
BEST, PUBLISHED = "best", "published"
SETTING = {"form": PUBLISHED}
# The program whose knobs an engine has in its published form; other engines have one form only.
PROGRAMS = {
    "async_block": "ACGraph",
    "binning": "Blaze",
    "chunk_mmap": "ChunkGraph",
    "concurrent": "CAVE",
    "grid": "GridGraph",
    "psw": "GraphChi",
    "sync_subgraph": "LUMOS",
}


def is_published(settings: Mapping[str, Any]) -> bool:
    """Tell whether an engine's settings ask for its published form."""
    return settings.get("form") == PUBLISHED


def with_forms(experiment: Json) -> Json:
    """Return an experiment whose `settings` have a set for each form that it asks for.

    An engine without a published form keeps its settings; so does one with a ladder, which leads
    from one form to the other.
    """
    if PUBLISHED not in experiment.get("forms", []):
        return experiment
    engines = {
        engine: spec if "ladder" in spec or engine not in PROGRAMS else _in_both(spec)
        for engine, spec in experiment["engines"].items()
    }
    return experiment | {"engines": engines}


def _in_both(spec: Json) -> Json:
    settings = spec.get("settings", [{}])
    return spec | {"settings": [*settings, *(one | SETTING for one in settings)]}


def in_form(form: str, filters: Mapping[str, Any], said: Mapping[str, Any]) -> Json:
    """Return the filters of an expression's runs, for runs of a form.

    `said` are those that the expression itself names. A file's condition on the backend does not
    hold in the published form, which has its own.
    """
    changed = dict(filters)
    if form == PUBLISHED and filters.get("engine") in PROGRAMS:
        if isinstance(options := filters.get("options"), str):
            changed["options"] = " ".join(sorted([*options.split(), f"form={PUBLISHED}"]))
        if "backend" not in said:
            changed.pop("backend", None)
            changed["backend_asked"] = False
    return changed
