# SPDX-License-Identifier: Apache-2.0
"""The race viewer: one HTML file that replays the events of two to four runs on one clock.

The page's program is viewer.html, built from viewer/ in the repository (npm run build). The built
file is kept here: to make a page needs no Node.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcore_analysis.events import Events, read_events
from outcore_analysis.faults import ToldError
from outcore_analysis.viewer.drawing import drawn_graph
from outcore_analysis.viewer.pack import packed_run
from outcore_analysis.viewer.why import Account, why_of
from outcore_analysis.viewer.words import size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = Path(__file__).with_name("viewer.html")
MOST_RUNS = 4
RUNS = re.compile(r'(<script type="application/json" id="runs">).*?(</script>)', re.DOTALL)


class ViewerError(ToldError):
    """Runs that cannot be shown on one page; the message says why."""


def graph_of(events: Events) -> tuple[str, str]:
    """Return what tells graphs apart, and the graph's name."""
    graph = events.header.get("graph") or {}
    return str(graph.get("checksum", "")), str(graph.get("name", "?"))


def check_together(runs: Sequence[Events]) -> None:
    """Refuse runs that say nothing beside each other."""
    if not 1 <= len(runs) <= MOST_RUNS:
        raise ViewerError(f"found {len(runs)} runs; a page shows 1 to {MOST_RUNS}")
    first = runs[0]
    for other in runs[1:]:
        if graph_of(first)[0] != graph_of(other)[0]:
            raise ViewerError(
                f"{other.path} is a run over graph {graph_of(other)[1]}, {first.path} over "
                f"{graph_of(first)[1]}, or over another version of it: times, blocks and bytes of "
                "different graphs cannot be compared; give runs over one graph"
            )


def same_answer(runs: Sequence[Events]) -> str:
    """Say whether the runs gave one answer."""
    workloads = {run.header["asked"]["workload"] for run in runs}
    digests = [(run.end or {}).get("digest") for run in runs]
    if len(runs) == 1:
        return ""
    if len(workloads) > 1:
        return f"Different workloads ({', '.join(sorted(workloads))}): the answers differ."
    if any(digest is None for digest in digests):
        return "One of the runs did not end, so there is no answer to compare."
    if len(set(digests)) == 1:
        return "The runs gave the same answer (digest)."
    return "The digests of the answers differ: they are not exact, or one of the runs is wrong."


def account_of(run: dict[str, Any]) -> Account:
    """Return what a packed run did, and in how long; nothing of a run without its end."""
    ended = run["status"] == "ok"
    return Account(
        run["name"], run["processed_edges"] * ended, run["asked_bytes"], run["end_us"] / 1e6
    )


def accounts_of(runs: Sequence[dict[str, Any]]) -> list[Account]:
    """Return the runs' accounts; a perfect cache's bytes come at the first run's rate."""
    accounts = [account_of(run) for run in runs]
    rate = accounts[0].bytes / max(accounts[0].seconds, 1e-9)
    return [
        replace(account, seconds=account.bytes / rate) if run["perfect"] and rate else account
        for account, run in zip(accounts, runs, strict=True)
    ]


def shown_of(runs: Sequence[Events], title: str = "", names: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a page holds of these runs; one without a name is named by its engine."""
    check_together(runs)
    asked = runs[0].header["asked"]
    called = [name or own for name, own in zip_longest(names, names_of(runs))]
    packed = [packed_run(run, name) for run, name in zip(runs, called, strict=True)]
    return {
        "title": title or f"{asked['workload']} on {graph_of(runs[0])[1]}",
        "same": same_answer(runs),
        "graph": drawn_graph(runs[0]),
        "why": why_of(accounts_of(packed)),
        "runs": packed,
    }


def html_of(shown: dict[str, Any], program: Path = PROGRAM) -> str:
    """Return the page that shows it."""
    data = json.dumps(shown).replace("</", "<\\/")
    return RUNS.sub(lambda m: m[1] + data + m[2], program.read_text(encoding="utf-8"), count=1)


def page_of(runs: Sequence[Events], title: str = "") -> str:
    """Return the page of these runs."""
    return html_of(shown_of(runs, title))


def names_of(runs: Sequence[Events]) -> list[str]:
    """Name each run by its engine; where that leaves two alike, by what else differs."""
    asked = [run.header["asked"] for run in runs]

    def words(one: dict[str, Any]) -> dict[str, str]:
        settings = ",".join(f"{k}={v}" for k, v in sorted(one.get("settings", {}).items()))
        return {
            "engine": one["engine"] + (f":{settings}" if settings else ""),
            "workload": str(one["workload"]),
            "layout": str(one["layout"]),
            "backend": str(one["backend"]),
            "device": str(one.get("device") or "the disk"),
            "frames": f"frames {size_text(one.get('frames_bytes') or 0)}",
            "threads": f"{one['threads']} threads",
            "depth": f"depth {one['depth']}",
        }

    all_words = [words(one) for one in asked]
    engines = [one["engine"] for one in all_words]
    if len(set(engines)) == len(engines):
        return engines
    differ = [key for key in all_words[0] if len({one[key] for one in all_words}) > 1]
    names = [", ".join(one[key] for key in dict.fromkeys(["engine", *differ])) for one in all_words]
    if len(set(names)) < len(names):
        return [f"{name} ({n})" for n, name in enumerate(names, 1)]
    return names


def write_page(files: Sequence[Path], out: Path, title: str = "") -> None:
    """Read the events of the files and write their page."""
    write_shown(shown_of([read_events(file) for file in files], title), out)


def write_shown(shown: dict[str, Any], out: Path, program: Path = PROGRAM) -> None:
    """Write the page that shows it."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(html_of(shown, program), encoding="utf-8")
    except OSError as error:
        raise ViewerError(f"{out}: cannot be written: {error.strerror}") from error
