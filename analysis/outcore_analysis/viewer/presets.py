# SPDX-License-Identifier: Apache-2.0
"""Presets: files of configs/viewer, each with its runs, their page, and a claim that is judged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from outcore_analysis.events import read_events
from outcore_analysis.prepare import options_of, run_binary
from outcore_analysis.viewer import account_of, shown_of, write_shown
from outcore_analysis.viewer.words import times_text
from outcore_analysis.yamllines import ConfigError, check, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = dict[str, Any]
INDEX = Path(__file__).with_name("index.html.j2")


def read_presets(config: Mapping[str, Any], graphs: Mapping[str, Any]) -> dict[str, Json]:
    """Return all presets of a configuration, by name; raise ConfigError for impossible ones."""
    return {Path(file).stem: read_preset(file, graphs) for file in config.get("viewer", [])}


def read_preset(file: str, graphs: Mapping[str, Any]) -> Json:
    """Return a preset that has been checked."""
    document = load_yaml(file)
    check(document, "viewer")
    value: Json = document.value
    faults = []
    if value["graph"] not in graphs:
        faults.append(f"{document.place(['graph'])}: no graph is called '{value['graph']}'")
    for part in ("of", "over"):
        if (run := value["claim"][part]["run"]) > len(value["runs"]):
            place = document.place(["claim", part, "run"])
            faults.append(f"{place}: there is no run {run}: {len(value['runs'])} are given")
    if faults:
        raise ConfigError("\n".join(faults))
    return value


def layout_name(choices: Json) -> str:
    """Return a name that no other choices have."""
    text = json.dumps(choices, sort_keys=True)
    words = "-".join(str(value) for value in choices.values())
    return f"{words}-{hashlib.sha256(text.encode()).hexdigest()[:4]}"


def run_words(preset: Json, run: Json) -> list[str]:
    """Return the options of `outcore run` for one of a preset's runs."""
    options = ",".join(f"{name}={value}" for name, value in run.get("options", {}).items())
    words = ["--engine", run["engine"] + (f":{options}" if options else "")]
    words += ["--workload", preset["workload"], "--layout", layout_name(run["layout"])]
    for name, value in preset.get("parameters", {}).items():
        words += ["--source", str(value)] if name == "source" else ["--set", f"{name}={value}"]
    words += ["--frames", preset.get("frames", "6%"), "--threads", str(preset.get("threads", 2))]
    for name in ("device", "dilation"):
        words += [f"--{name}", str(preset[name])] if name in preset else []
    words += ["--depth", str(run["depth"])] if "depth" in run else []
    return words


def count_of(run: Json, what: str) -> float:
    """Return a count of a run of the page; 0 if the run does not tell it."""
    if what == "optimum":
        return float(run["optimum_bytes"] or 0)
    return float(getattr(account_of(run), what))


def verdict_of(claim: Json, runs: Sequence[Json]) -> Json:
    """Judge a claim by what the runs did."""
    of, over = (
        count_of(runs[claim[part]["run"] - 1], claim[part]["what"]) for part in ("of", "over")
    )
    if not of or not over:
        return {
            "says": claim["says"],
            "verdict": "cannot be judged",
            "measured": "a count is missing",
        }
    holds = claim.get("at_least", 0) <= of / over <= claim.get("at_most", float("inf"))
    bounds = [
        f"{words} {claim[key]:g}"
        for key, words in (("at_least", "at least"), ("at_most", "at most"))
        if key in claim
    ]
    name = {part: f"{claim[part]['what']} of run {claim[part]['run']}" for part in ("of", "over")}
    return {
        "says": claim["says"],
        "verdict": "holds here" if holds else "does not hold here",
        "measured": f"{name['of']} over {name['over']}: {times_text(of / over)}, "
        f"expected {' and '.join(bounds)}",
    }


def show(preset: Json, binary: str, folder: str, page: Path, lock: Path | None) -> None:
    """Make a preset's layouts and runs, its page, and beside the page what the index says of it."""
    kept = page.with_suffix("")
    kept.mkdir(parents=True, exist_ok=True)
    events = []
    for n, run in enumerate(preset["runs"], 1):
        name = layout_name(run["layout"])
        if not (Path(folder) / "layouts" / name / "layout.json").exists():
            layout = [binary, "layout", folder, *options_of(run["layout"]), "--name", name]
            run_binary(layout, lock)
        events.append(kept / f"{n}.events")
        record = ["--events", str(events[-1]), "--record", str(kept / f"{n}.json")]
        run_binary([binary, "run", folder, *run_words(preset, run), *record], lock)
    named = [run.get("name", "") for run in preset["runs"]]
    shown = shown_of([read_events(file) for file in events], preset["title"], named)
    claim = verdict_of(preset["claim"], shown["runs"])
    shown |= {"question": preset["question"], "claim": claim}
    write_shown(shown, page)
    told = {
        **{"page": page.name, "title": preset["title"], "question": preset["question"]},
        **{"claim": claim, "why": (shown["why"] or {}).get("sentences", [])},
    }
    page.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def write_index(pages: Sequence[Path], out: Path) -> None:
    """Write the page that leads to those of the presets."""
    told = [json.loads(page.with_suffix(".json").read_text(encoding="utf-8")) for page in pages]
    template = jinja2.Template(INDEX.read_text(encoding="utf-8"), autoescape=True)
    out.write_text(template.render(pages=told), encoding="utf-8")
