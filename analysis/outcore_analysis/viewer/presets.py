# SPDX-License-Identifier: Apache-2.0
"""Presets: files of configs/viewer, each with its runs, their page, and a claim that is judged."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from outcore_analysis.claims import Claim, read_claims
from outcore_analysis.events import Events, read_events
from outcore_analysis.prepare import options_of, run_binary
from outcore_analysis.traces import read_trace
from outcore_analysis.viewer import ViewerError, account_of, shown_of, write_shown
from outcore_analysis.viewer.perfect import perfect_run
from outcore_analysis.viewer.play import PROGRAM as PLAY
from outcore_analysis.viewer.play import played_of
from outcore_analysis.viewer.words import times_text
from outcore_analysis.words import format_value
from outcore_analysis.yamllines import ConfigError, check, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = dict[str, Any]
OWN_PRESET = "configs/viewer/own/one-knob-yours.yaml"  # of the graph that own_graph names
INDEX = Path(__file__).with_name("index.html.j2")


def preset_files(config: Mapping[str, Any]) -> list[str]:
    """Return the files of all presets of a configuration, that of the reader's own graph first."""
    return [OWN_PRESET] * bool(config.get("own_graph")) + list(config.get("viewer", []))


def read_presets(config: Mapping[str, Any], graphs: Mapping[str, Any]) -> dict[str, Json]:
    """Return all presets of a configuration, by name; raise ConfigError for impossible ones."""
    files = preset_files(config)
    claims = {claim.id: claim for claim in read_claims(config.get("claims", []))} if files else {}
    return {Path(file).stem: read_preset(file, graphs, claims) for file in files}


def read_preset(
    file: str, graphs: Mapping[str, Any], claims: Mapping[str, Claim] | None = None
) -> Json:
    """Return a preset that has been checked; its paper's claim is written out."""
    document = load_yaml(file)
    check(document, "viewer")
    value: Json = document.value
    runs = value["runs"]
    faults = []
    if value["graph"] not in graphs:
        faults.append(f"{document.place(['graph'])}: no graph is called '{value['graph']}'")
    for part in ("of", "over"):
        if (run := value["claim"][part]["run"]) > len(runs):
            place = document.place(["claim", part, "run"])
            faults.append(f"{place}: there is no run {run}: {len(runs)} are given")
    for n, run in enumerate(runs):
        of = run.get("perfect_cache_of", 0)
        if of > n or (of and "engine" not in runs[of - 1]):
            place = document.place(["runs", n, "perfect_cache_of"])
            faults.append(f"{place}: run {of} is none that is run before this one")
    if "paper" in value:
        claim = (claims or {}).get(value["paper"])
        if claim is None:
            faults.append(f"{document.place(['paper'])}: no claim is called '{value['paper']}'")
        else:
            value["paper"] = quote_of(claim)
    if faults:
        raise ConfigError("\n".join(faults))
    return value


def quote_of(claim: Claim) -> Json:
    """Return what a page quotes of a paper."""
    words = {"of": f"{claim.paper}, {claim.place}", "says": claim.statement}
    return {"id": claim.id, "unit": claim.unit} | words


def judged_of(quote: Json, verdicts: Sequence[Path]) -> Json:
    """Return the quote with its verdict, of the files of verdicts the newest that has one."""
    newest = sorted(verdicts, key=lambda path: path.stat().st_mtime, reverse=True)
    found = [
        verdict
        for path in newest
        for verdict in json.loads(path.read_text(encoding="utf-8"))
        if verdict["id"] == quote["id"] and verdict["value"]
    ]
    if not found:
        return quote | {"verdict": "not judged in this folder", "measured": "it has no records yet"}
    value = format_value(found[0]["value"]["median"], quote["unit"])
    return quote | {"verdict": found[0]["verdict"], "measured": f"{value} in the records here"}


def layout_name(choices: Json) -> str:
    """Return a name that no other choices have."""
    text = json.dumps(choices, sort_keys=True)
    words = "-".join(str(value) for value in choices.values())
    return f"{words}-{hashlib.sha256(text.encode()).hexdigest()[:4]}"


def frames_words(preset: Json, raw_bytes: int) -> str:
    """Return the frames of every run, over a graph of so many bytes of edges."""
    frames = str(preset.get("frames", "6%"))
    least = preset.get("least_frames", 0)
    small = frames.endswith("%") and float(frames[:-1]) / 100 * raw_bytes < least
    return str(least) if small else frames


def run_words(preset: Json, run: Json, raw_bytes: int) -> list[str]:
    """Return the options of `outcore run` for one of a preset's runs."""
    options = ",".join(f"{name}={value}" for name, value in run.get("options", {}).items())
    words = ["--engine", run["engine"] + (f":{options}" if options else "")]
    words += ["--workload", preset["workload"], "--layout", layout_name(run["layout"])]
    for name, value in preset.get("parameters", {}).items():
        words += ["--source", str(value)] if name == "source" else ["--set", f"{name}={value}"]
    frames = frames_words(preset, raw_bytes)
    words += ["--frames", frames, "--threads", str(preset.get("threads", 2))]
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


def make_run(
    preset: Json, number: int, binary: str, folder: str, kept: Path, lock: Path | None
) -> Events:
    """Make the layout and the run of that number, from 1; return its events."""
    run = preset["runs"][number - 1]
    name = layout_name(run["layout"])
    if not (Path(folder) / "layouts" / name / "layout.json").exists():
        layout = [binary, "layout", folder, *options_of(run["layout"]), "--name", name]
        run_binary(layout, lock)
    files = {"events": "events", "record": "json"} | (
        {"trace": "oct"} if preset.get("play") else {}
    )
    written = [word for n, f in files.items() for word in (f"--{n}", str(kept / f"{number}.{f}"))]
    facts = json.loads((Path(folder) / "graph.json").read_text(encoding="utf-8"))
    words = run_words(preset, run, 4 * facts["edges"])
    run_binary([binary, "run", folder, *words, *written], lock)
    return read_events(kept / f"{number}.events")


def make_runs(
    preset: Json, binary: str, folder: str, kept: Path, lock: Path | None
) -> list[Events]:
    """Return the events of all runs, those of perfect caches among them."""
    kept.mkdir(parents=True, exist_ok=True)
    runs: list[Events] = []
    for number, run in enumerate(preset["runs"], 1):
        if "engine" in run:
            runs.append(make_run(preset, number, binary, folder, kept, lock))
            continue
        perfect = perfect_run(runs[run["perfect_cache_of"] - 1])
        if perfect is None:
            raise ViewerError(
                f"run {run['perfect_cache_of']}: its events do not tell in which order it used its "
                "blocks, so there is no perfect cache for it"
            )
        runs.append(perfect)
    return runs


def show(
    preset: Json,
    binary: str,
    folder: str,
    page: Path,
    lock: Path | None,
    verdicts: Sequence[Path] = (),
) -> None:
    """Make a preset's layouts and runs, its page, and beside the page what the index says of it."""
    kept = page.with_suffix("")
    runs = make_runs(preset, binary, folder, kept, lock)
    named = [run.get("name", "OPT" * ("engine" not in run)) for run in preset["runs"]]
    shown = shown_of(runs, preset["title"], named)
    said: Json = {
        "question": preset["question"],
        "claim": verdict_of(preset["claim"], shown["runs"]),
        "paper": judged_of(preset["paper"], verdicts) if "paper" in preset else None,
    }
    if preset.get("play"):
        write_shown(played_of(read_trace(kept / "1.oct"), preset["title"]) | said, page, PLAY)
    else:
        write_shown(shown | said, page)
    why = (shown["why"] or {}).get("sentences", [])
    told = {"page": page.name, "title": preset["title"], "why": why} | said
    page.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def write_index(pages: Sequence[Path], out: Path) -> None:
    """Write the page that leads to those of the presets."""
    told = [json.loads(page.with_suffix(".json").read_text(encoding="utf-8")) for page in pages]
    template = jinja2.Template(INDEX.read_text(encoding="utf-8"), autoescape=True)
    out.write_text(template.render(pages=told), encoding="utf-8")
