# SPDX-License-Identifier: Apache-2.0
"""What Spark's event log says of a run: when its phases were, and what executors moved and held.

The log is a JSON object a line. Jobs carry the name of their phase as their group.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

Json = dict[str, Any]
PHASES = ("load", "partition", "run", "write")
# Of a process and its children, as the executor reads them in /proc.
RESIDENT = "ProcessTreeJVMRSSMemory"


def counted(log: Path) -> tuple[dict[str, float], dict[str, int]]:
    """Return the seconds of each phase, and the numbers by name."""
    counts = Counts()
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            counts.add(json.loads(line))
    return counts.phases(), counts.numbers()


class Counts:
    """The sums over all events."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.group: dict[int, str] = {}
        self.begun: dict[str, int] = {}
        self.ended: dict[str, int] = {}
        self.moved: dict[str, int] = defaultdict(int)
        self.on_disk: dict[tuple[str, str], int] = {}
        self.resident: dict[str, int] = defaultdict(int)

    def add(self, event: Json) -> None:
        """Count an event."""
        match event["Event"]:
            case "SparkListenerJobStart":
                name = event["Properties"].get("spark.jobGroup.id", "")
                self.group[event["Job ID"]] = name
                self.begun.setdefault(name, event["Submission Time"])
            case "SparkListenerJobEnd":
                self.ended[self.group[event["Job ID"]]] = event["Completion Time"]
            case "SparkListenerTaskEnd":
                self._task(event)
            case "SparkListenerStageExecutorMetrics":
                self._held(event["Executor ID"], event["Executor Metrics"])
            case "SparkListenerBlockUpdated":
                self._block(event["Block Updated Info"])

    def phases(self) -> dict[str, float]:
        """Return from its first job's beginning to its last one's end, of each phase."""
        both = [name for name in PHASES if name in self.begun and name in self.ended]
        return {name: (self.ended[name] - self.begun[name]) / 1000 for name in both}

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the whole run."""
        # In a cluster the driver computes nothing; in one process it is the executor.
        executors = {name: held for name, held in self.resident.items() if name != "driver"}
        return {
            "shuffle_bytes": self.moved["written"],
            "fetched_bytes": self.moved["fetched"],
            "spilled_bytes": self.moved["spilled"] + sum(self.on_disk.values()),
            "resident_bytes": sum((executors or self.resident).values()),
        }

    def _task(self, event: Json) -> None:
        self._held(event["Task Info"]["Executor ID"], event.get("Task Executor Metrics") or {})
        metrics = event.get("Task Metrics")
        if metrics:  # a task that failed may have none
            self.moved["written"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            self.moved["fetched"] += metrics["Shuffle Read Metrics"]["Remote Bytes Read"]
            self.moved["spilled"] += metrics["Disk Bytes Spilled"]

    def _held(self, executor: str, metrics: Json) -> None:
        self.resident[executor] = max(self.resident[executor], metrics.get(RESIDENT, 0))

    def _block(self, info: Json) -> None:
        """Count what of a cached partition is on disk, at most."""
        if info["Block ID"].startswith("rdd_") and info["Disk Size"]:
            key = (info["Block Manager ID"]["Executor ID"], info["Block ID"])
            self.on_disk[key] = max(self.on_disk.get(key, 0), info["Disk Size"])
