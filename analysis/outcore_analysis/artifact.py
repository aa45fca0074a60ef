# SPDX-License-Identifier: Apache-2.0
"""docs/AE.md: the artifact appendix, generated from claims and experiments so that it stays true.

The experiments' files state the minutes; the disk is estimated from the graphs' recipes. Targets
are described as if planned engines existed; the build tells which claims wait for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from outcore_analysis.claims import Claim, read_claims
from outcore_analysis.coverage import Answer, answers
from outcore_analysis.forms import PUBLISHED
from outcore_analysis.graphs import edges_of, vertices_of
from outcore_analysis.inventory import Inventory, inventory
from outcore_analysis.plan import PROFILES, Cell, Experiment, Plan, all_plans
from outcore_analysis.yamllines import ConfigError

Json = dict[str, Any]
MIB = 1 << 20
# The canonical lists of a container: a target per edge, an offset per vertex.
EDGE_BYTES, VERTEX_BYTES = 4, 8
# A layout: its blocks with their free space, its index and checksums; edge lists hold both ends.
LAYOUT_EDGE_BYTES, LAYOUT_VERTEX_BYTES, EDGE_PACK_BYTES = 4.2, 12, 12
# An update of a stream; in a store, two directions of it and the log.
STREAM_BYTES, STORE_BYTES = 8.2, 18

HEAD = """\
# Artifact appendix

Made by `python -m outcore_analysis artifact` from `configs/claims` and `configs/experiments`; a
test keeps it so.

## A.1 Abstract

Outcore runs the execution models of five papers on out-of-core graph processing over one storage
layer and one set of algorithms, and tests each quantitative statement of the papers on its own
measurements. A statement is an expression over tables of run records, with a direction and a
tolerance; its verdict is *reproduced*, *partly*, *not reproduced*, *not testable here* or *not
run*, on one page that opens offline. Most statements were written before anything was measured, and
some were changed since: the column *since* below, and each card of the page, say when a statement
came to be judged as it is. The page marks those that are younger than its records.

## A.2 Check-list

- Algorithms: breadth-first search, components, k-core, PageRank in three forms, personalised
  PageRank, shortest paths, independent sets, betweenness, radii, depth-first search, random walks
- Program: C++20 (`outcore`), Python 3.11 (`analysis/`), Snakemake 9
- Data: generated (`configs/graphs/generated.yaml`), and published graphs
  (`configs/graphs/catalogue.yaml`)
- Run-time environment: Debian 12, or any Linux with its packages; root only to install them
- Hardware: 2 cores, 8 GiB of memory, an SSD with O_DIRECT; nothing else at work on it
- Metrics: seconds end to end and of the algorithm alone (never mixed), bytes requested, bytes that
  the kernel read, resident memory, bytes of files
- Output: `results/report/index.html`; beside it records, tables (CSV, Parquet), figures (PDF, PNG,
  CSV)
- Licence: Apache-2.0

## A.3 Installation

```
make setup build      # Debian packages, .venv, build/release/outcore
```

## A.4 Workflow

```
.venv/bin/snakemake smoke                        # does everything work? tiny graphs
.venv/bin/snakemake                              # quick: the default
.venv/bin/snakemake acgraph-fig8                 # one figure: a target of the tables below
.venv/bin/snakemake full                         # everything
.venv/bin/snakemake full --config paper=acgraph  # one paper
```

Each target leaves its page in `results/<target>/report/index.html` (that of quick is
`results/report/index.html`; at the scale of the profile full, a figure's is
`results/full/<target>/report/index.html`). A call that was ended, by whatever means, goes on when
it is called again. `configs/README.md` explains every key.

Minutes are of the runs, with the start of each, and were measured once, `quick` and `full` each as
a whole, on two cores and an SSD that gives 0.5 GB/s in requests of 4 KB; `full` ran beside other
work, and takes less alone; `cave-fig14b` was measured by itself, since. Engines that are still to
come will add theirs. To make graphs and layouts and to draw takes `full` another three. Disk is
estimated from above, for graphs and their layouts, which targets share: edges before duplicates are
dropped, codecs as if they saved nothing, and the layouts of engines that are still to come. `full`
took 4.9 GB of it.
"""

TARGETS = """\
Runs, minutes and disk are those of the profile full: `snakemake TARGET --config profile=full`. A
target with minutes under *quick* is part of that profile too, and `snakemake TARGET` makes it at
that scale, with its page in `results/TARGET/report/index.html`.
"""

NOTES = """\
## A.6 What to expect

A claim that compares engines has two verdicts, each with its own numbers: with the engines in our
best form, and with them as the papers' programs have their knobs (`form=published`). Only the first
is counted in the page's table.

A verdict can differ from ours where the device or the number of cores does; the page shows both
numbers, the interval of ours, and the records behind it. With fewer than three trials there is no
interval: a time or a rate is then at best *partly*, and marked *indicative*. With three to five the
interval is their whole range. Layouts are made once, so every verdict on the time that one takes is
indicative. A claim of *every* graph or workload is *not run* until those that it names have run.
Engines that a build does not have are listed as missing with that reason; their claims are *not
run*. A run that was to finish and did not fails the target, after its page is written.

Runs on modelled devices ({modelled}) need a machine on which nothing else
works: a run whose requests came late, because the real device or a processor was busy, is refused,
and its claims are *not run*, with that reason. On two quiet cores all 57 runs of `cave-fig14b` and
of BFS on `sata` held the pace of their device: at most 0.4% of a run's requests were late and 3.7%
were overslept, where 5% may be. Beside compilers on both cores most runs at low depth are refused.
A refused run stays refused, as any record does: to measure again choose another `campaign`, and if
the machine was quiet a greater `dilation`.

## A.7 Customisation

[configs/README.md](../configs/README.md) adds an experiment or a graph,
[analysis/README.md](../analysis/README.md) a column, a figure or a claim.
"""


def appendix(config: Json) -> str:
    """Return the whole file."""
    plans = all_plans(config)
    largest = {e.name: e for profile in PROFILES for e in plans[profile].experiments}
    recipes = plans["full"].recipes
    claims = read_claims(config["claims"])
    found = answers(claims, list(largest.values()))
    published = answers(
        [claim for claim in claims if claim.in_both_forms], list(largest.values()), PUBLISHED
    )
    waiting = _waiting(claims, found, list(largest.values()), _build(config))
    parts = [HEAD, "### Profiles\n", _profiles(plans), "\n### Targets\n"]
    parts += [TARGETS, _targets(largest.values(), recipes, plans["quick"])]
    parts.append(
        "\n## A.5 Claims\n\nBy paper: where the statement stands, what it says, the target that"
    )
    parts.append("answers it, its minutes and its disk, and since when it is judged as it is.")
    for paper in dict.fromkeys(claim.paper for claim in claims):
        of_paper = [claim for claim in claims if claim.paper == paper]
        parts.append(f"\n### {paper}\n\n{_counts(of_paper, found, waiting, published)}\n")
        parts.append("| claim | place | statement | target | minutes | disk | since |")
        parts.append("| --- | --- | --- | --- | --- | --- | --- |")
        parts += [
            _row(claim, found[claim.id], waiting.get(claim.id, ""), largest, recipes)
            for claim in of_paper
        ]
    modelled = [f"`{e.name}`" for e in largest.values() if any(cell.device for cell in e.wanted)]
    return "\n".join([*parts, "", NOTES.format(modelled=", ".join(modelled))])


def _build(config: Json) -> Inventory:
    build = inventory(config["binary"])
    if build is None:
        raise ConfigError(f"{config['binary']} says which engines there are; make it: make build")
    return build


def _waiting(
    claims: list[Claim], found: dict[str, Answer], experiments: list[Experiment], build: Inventory
) -> dict[str, str]:
    """Return the claims that a target cannot answer yet, and what this build lacks for them."""
    there = [
        replace(e, wanted=[cell for cell in e.wanted if _is_there(cell, build)])
        for e in experiments
    ]
    now = answers(claims, there)
    return {
        name: now[name].reason
        for name, answer in found.items()
        if answer.experiments and not now[name].experiments
    }


def _is_there(cell: Cell, build: Inventory) -> bool:
    return not build.lacks(cell.engine, cell.workload, cell.backend)


def _counts(
    claims: list[Claim],
    found: dict[str, Answer],
    waiting: dict[str, str],
    published: dict[str, Answer],
) -> str:
    wait = sum(claim.id in waiting for claim in claims)
    answered = sum(bool(found[claim.id].experiments) for claim in claims) - wait
    untestable = sum(claim.not_testable is not None for claim in claims)
    both = sum(claim.id in published and bool(published[claim.id].experiments) for claim in claims)
    rest = len(claims) - answered - wait - untestable
    return (
        f"{len(claims)} claims: {answered} with a target, {wait} with one whose engines are still "
        f"to come, {untestable} not testable here, {rest} whose experiments come with their "
        f"engines. {both} compare engines and are judged in both forms of them."
    )


def _row(
    claim: Claim, answer: Answer, waits: str, experiments: dict[str, Experiment], recipes: Json
) -> str:
    chosen = [experiments[name] for name in answer.experiments]
    if claim.not_testable:
        target, minutes, disk = f"not testable here: {claim.not_testable}", "", ""
    elif not chosen:
        target, minutes, disk = f"none yet: {answer.reason}", "", ""
    else:
        target = " ".join(f"`{e.name}`" for e in chosen) + (f", not yet: {waits}" if waits else "")
        minutes, disk = _minutes(chosen), _mib(disk_bytes(chosen, recipes))
    cells = [f"`{claim.id}`", claim.place, claim.statement.strip(), target, minutes, disk]
    cells.append(claim.since.date[:10])
    return _line(cells)


def _line(cells: list[str]) -> str:
    safe = [cell.replace("|", "/") for cell in cells]
    return f"| {' | '.join(safe)} |"


def _minutes(experiments: Iterable[Experiment]) -> str:
    return f"{sum(e.minutes or 0 for e in experiments):g}"


def _mib(size: float) -> str:
    return f"{size / MIB:,.0f} MiB"


def disk_bytes(experiments: Iterable[Experiment], recipes: Json) -> int:
    """Return the most that the graphs of these experiments and all that is made of them take.

    Whole bytes are added: in a sum of fractions the order would show.
    """
    pairs: dict[tuple[str, str], Json] = {}
    for experiment in experiments:
        for graph in experiment.graphs:
            how = experiment.layouts | experiment.streams | experiment.stores
            pairs |= {(graph, name): choices for name, choices in how.items()}
    size = 0
    for graph in {graph for graph, _ in pairs}:
        edges, vertices = edges_of(recipes[graph]) or 0, vertices_of(recipes[graph]) or 0
        size += EDGE_BYTES * edges + VERTEX_BYTES * vertices
        for (of, _), choices in pairs.items():
            if of == graph and "kind" in choices:
                size += round(STREAM_BYTES * choices.get("factor", 2) * edges)
            elif of == graph and "stream" in choices:
                size += round(STORE_BYTES * edges)
            elif of == graph:
                packed = str(choices.get("pack", "")).startswith(("grid", "psw"))
                size += round((EDGE_PACK_BYTES if packed else LAYOUT_EDGE_BYTES) * edges)
                size += LAYOUT_VERTEX_BYTES * vertices
    return size


def _profiles(plans: Json) -> str:
    lines = [
        "| target | experiments | runs | minutes of runs | disk |",
        "| --- | --- | --- | --- | --- |",
    ]
    for profile, plan in plans.items():
        disk = _mib(disk_bytes(plan.experiments, plan.recipes))
        minutes = _minutes(plan.experiments) if profile != "smoke" else "1"
        counts = [str(len(plan.experiments)), str(len(plan.records()))]
        lines.append(_line([f"`{profile}`", *counts, minutes, disk]))
    return "\n".join(lines)


def _targets(experiments: Iterable[Experiment], recipes: Json, quick: Plan) -> str:
    lines = ["| target | what | paper's place | clock | quick | runs | minutes | disk |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
    small = {e.name: _minutes([e]) for e in quick.experiments}
    for e in experiments:
        paper = e.paper or {}
        place = f"{paper['name']}, {paper['place']}" if paper else ""
        clock = paper.get("clock", "end-to-end") if e.cells else ""
        cells = [f"`{e.name}`", e.title, place, clock, small.get(e.name, "")]
        cells.append(str(len(e.cells) * e.trials))
        cells += [_minutes([e]), _mib(disk_bytes([e], recipes))]
        lines.append(_line(cells))
    return "\n".join(lines)
