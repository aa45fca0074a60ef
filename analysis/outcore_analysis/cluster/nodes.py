# SPDX-License-Identifier: Apache-2.0
"""Which node times what, so that whatever is compared was timed on one node.

All runs of one workload on one graph are timed by one node: every ratio, race and interval is
within such a pair. The node is found by rendezvous hashing (Thaler and Ravishankar, 1998): if a
node leaves the list, only its own pairs move to other nodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from outcore_analysis.yamllines import ConfigError

Json = dict[str, Any]


@dataclass(frozen=True)
class Cluster:
    """The key `cluster` of the configuration."""

    nodes: tuple[str, ...]
    name: str = "cluster"
    # A folder on each node's own disk; None: the nodes read from the shared file system.
    stage: str | None = None
    # So many trials share a job of Slurm.
    batch: int = 1

    @classmethod
    def read(cls, value: Json | None) -> Cluster | None:
        """Return what the checked configuration says; None: all runs are on this machine."""
        return cls(**value | {"nodes": tuple(value["nodes"])}) if value else None

    def node_of(self, graph: str, workload: str) -> str:
        """Return the node that times this workload on this graph."""
        return max(self.nodes, key=lambda node: _weight(node, graph, workload))


def _weight(*words: str) -> bytes:
    return hashlib.sha256("\0".join(words).encode()).digest()


def node_of(record: Json) -> str | None:
    """Return the node that a run was on; None outside a cluster."""
    return (record.get("job") or {}).get("node")


def refuse_scattered(records: Iterable[Json]) -> None:
    """Raise ConfigError if runs of one workload on one graph were timed on several nodes."""
    seen: dict[tuple[str, str], dict[str | None, str]] = {}
    for record in records:
        if record["outcome"]["status"] == "ok" and "graph" in record:
            pair = (record["graph"]["name"], record["asked"]["workload"])
            seen.setdefault(pair, {}).setdefault(node_of(record), record["record"])
    for (graph, workload), nodes in seen.items():
        if len(nodes) > 1:
            where = ", ".join(f"{node or 'no node'} ({path})" for node, path in nodes.items())
            raise ConfigError(
                f"{workload} on {graph} was timed on several nodes, which are not to be compared: "
                f"{where}; remove the records of all but one, and run those again"
            )


def processors(records: Iterable[Json]) -> dict[str, list[str]]:
    """Return the processors that timed runs of a cluster, each with its nodes."""
    found: dict[str, set[str]] = {}
    for record in records:
        node = node_of(record)
        if node is not None and record.get("machine"):
            found.setdefault(record["machine"]["cpu"], set()).add(node)
    return {cpu: sorted(nodes) for cpu, nodes in sorted(found.items())}
