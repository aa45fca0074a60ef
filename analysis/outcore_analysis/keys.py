# SPDX-License-Identifier: Apache-2.0
"""configs/README.md, generated from the schemas so that it cannot get out of date."""

from __future__ import annotations

import json
from typing import Any

from outcore_analysis.yamllines import schema

Json = dict[str, Any]

HEAD = """\
# Configuration

`snakemake` reads `config.yaml`; `--config profile=smoke` changes one key for one call, and
`--configfile mine.yaml` lays a file of your own over it. Everything is checked before anything
runs: an unknown key, an impossible value or an impossible combination is an error with file and
line. An engine, a workload or a backend that this build of outcore does not have yet is no error:
it is left out, and the page says so.

What can be asked for:

- `snakemake`: the profile quick, minutes on two cores; `snakemake smoke`: tiny graphs, to see that
  everything works; `snakemake full`: what the papers' figures need, hours.
- `snakemake acgraph-fig8`: one figure, an experiment of `experiments/` by its name, in the
  configured profile or, where it is not part of that, in its largest.
- `snakemake full --config paper=acgraph`: the experiments and claims of one paper.
- `snakemake races`: our fastest engine against programs that others wrote (`races/`,
  `contestants/`). Their programs are where the environment, `contestants` below or
  `make contestants` says; docs/adding-a-contestant.md adds one.
- `snakemake shapes`: every engine and workload on graphs of all shapes, in every order of ids
  (`shapes.yaml`), with the sizes of the profile; docs/shapes.md says how to read the maps.
- `snakemake viewer`: pages that replay runs beside each other on one clock (`viewer/`), each with a
  claim that is judged; docs/viewer.md says how to read them.
- `snakemake --workflow-profile profiles/slurm`: on a cluster with Slurm, whose nodes the key
  `cluster` names (docs/cluster.md).

To run an experiment of your own:

1. If it needs a new graph, add it to a file in `graphs/` (generated, imported from an edge list,
   or fetched). Files in the folder that the environment variable OUTCORE_DATA names go before
   addresses.
2. Copy `experiments/runtime.yaml` to `experiments/mine.yaml`, and change its grid. Every
   combination of graph, engine (with its layouts, threads, frames, memory, devices, options) and
   workload is a *cell*; every trial of a cell is one run. Each profile that you want has a line
   under `profiles`.
3. Write `mine.yaml`: `campaign: mine` and `experiments: [configs/experiments/mine.yaml]`, and call
   `snakemake --configfile mine.yaml`. The page is `results/mine/report/index.html`; no other page
   is touched. It judges no claims, for these were written for other runs; name `claims` beside
   `experiments` and it does. `campaign` and `experiments` may stand on the command line as well:
   `snakemake --config campaign=mine 'experiments=["configs/experiments/mine.yaml"]'`.

Results go to `results/<campaign>/<machine>/<hash of the cell>/trial-N.json`, for all profiles, and
are never overwritten: a second call runs only what is missing, also after a `kill -9`. An edge list
or a modelled device that was edited has other hashes, so its runs are made anew. To measure again
(the code changed), choose a new campaign. A run that was to finish and did not fails the call,
after the page is written. `results/README.md` says what every file is.

This page is made from `schema/` by `python -m outcore_analysis keys`; a test keeps it so.
"""


def configs_readme() -> str:
    """Return the whole file."""
    parts = [HEAD]
    for title, name in (
        ("config.yaml", "config"),
        ("graphs/*.yaml", "graphs"),
        ("experiments/*.yaml", "experiment"),
        ("claims/*.yaml", "claims"),
        ("contestants/*.yaml", "contestant"),
        ("races/*.yaml", "races"),
        ("shapes.yaml", "shapes"),
        ("viewer/*.yaml", "viewer"),
        ("columns.yaml", "columns"),
        ("devices/*.toml", "device"),
        ("devices/local.toml", "probe"),
    ):
        document = schema(name)
        parts.append(f"## {title}\n\n{document['description']}\n")
        parts.append("\n".join(_rows(document, "")) + "\n")
    return "\n".join(parts)


def _rows(node: Json, prefix: str) -> list[str]:
    """Return a list item for every key below a node."""
    rows = []
    required = node.get("required", [])
    children = dict(node.get("properties", {}))
    named = node.get("additionalProperties")
    if isinstance(named, dict) and "description" in named:
        children["<name>"] = named
    for key, child in children.items():
        name = f"{prefix}{key}"
        need = " Required." if key in required else ""
        default = f" Default: `{json.dumps(child['default'])}`." if "default" in child else ""
        rows.append(f"- `{name}`: {child['description']}{_values(child)}{need}{default}")
        rows += _rows(child, f"{name}.")
        if isinstance(child.get("items"), dict):
            rows += _rows(child["items"], f"{name}[].")
    return rows


def _values(node: Json) -> str:
    allowed = node.get("enum") or node.get("items", {}).get("enum")
    return f" One of {', '.join(f'`{value}`' for value in allowed)}." if allowed else ""
