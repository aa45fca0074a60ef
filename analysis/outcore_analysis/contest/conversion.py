# SPDX-License-Identifier: Apache-2.0
"""The graph as a contestant reads it: exported, then converted by its own program, timed apart."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outcore_analysis.contest import turn
from outcore_analysis.contest.contestant import Contestant
from outcore_analysis.contest.faults import UnracedError

Json = dict[str, Any]
STAMP = "conversion.json"


@dataclass(frozen=True)
class Converted:
    """Where a contestant's graph lies, and what it took to make it."""

    graph: Path  # exported
    converted: Path  # the same where nothing is converted
    record: Json

    def placeholders(self) -> dict[str, object]:
        """Return what stands for them in commands."""
        return {"graph": self.graph, "converted": self.converted}


def convert(
    contestant: Contestant,
    binary: Path,
    graph: Path,
    work: Path,
    checksum: str,
    values: Mapping[str, object],
) -> Converted:
    """Make the contestant's graph in `work`, unless it is there from an earlier race.

    What it took is then that race's. Raises UnracedError where it cannot be made, and leaves
    nothing half made behind.
    """
    form = contestant.value["graph"]["format"]
    how = contestant.value["graph"].get("convert")
    exported = work / "exported" / f"graph.{form}"
    own = work / contestant.name
    asked = {"graph": checksum, "format": form, "convert": how}
    if own.is_dir() and exported.is_file():
        record = _stamp(own)
        if record is not None and record["asked"] == asked:
            return Converted(exported, _place(own, exported, how), record)
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    try:
        steps = [_export(binary, graph, exported, form, checksum)]
        place = _place(own, exported, how)
        if how is not None:
            filled = {"graph": exported, "converted": place} | dict(values)
            command = contestant.command(how, filled)
            steps.append(_step("convert", command, own, place, contestant.environment(filled)))
    except BaseException:
        shutil.rmtree(own, ignore_errors=True)
        raise
    record = {"asked": asked, "made_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    record["steps"] = steps
    (own / STAMP).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return Converted(exported, place, record)


def _place(own: Path, exported: Path, how: list[str] | None) -> Path:
    return own / "graph" if how is not None else exported


def _stamp(own: Path) -> Json | None:
    try:
        found: Json = json.loads((own / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def _export(binary: Path, graph: Path, exported: Path, form: str, checksum: str) -> Json:
    """Write the graph as a file; contestants of one format share it."""
    command = [str(binary), "export", str(graph), str(exported), "--force", "--format", form]
    stamp = exported.with_name(f"{exported.name}.json")
    if exported.is_file() and stamp.is_file():
        found: Json = json.loads(stamp.read_text(encoding="utf-8"))
        step: Json = found["step"]
        # Any binary of ours writes the same; a file that was made otherwise is made anew.
        if found["graph"] == checksum and step["command"][1:] == command[1:]:
            return step
    exported.parent.mkdir(parents=True, exist_ok=True)
    step = _step("export", command, exported.parent, exported)
    text = json.dumps({"graph": checksum, "step": step}, indent=1)
    stamp.write_text(text + "\n", encoding="utf-8")
    return step


def _step(
    name: str,
    command: list[str],
    folder: Path,
    made: Path,
    environment: Mapping[str, str] | None = None,
) -> Json:
    """Run one step; return what it took. What a failed one made is removed."""
    ended = turn.run(command, folder, environment=environment)
    if ended.went_well and made.exists():
        taken = ended.raced()
        return {
            "step": name,
            "command": command,
            "wall_s": taken["wall_s"],
            "processor_s": taken["user_s"] + taken["system_s"],
            "read_bytes": taken["read_bytes"],
            "bytes": _bytes(made),
            "memory": taken["memory"],
        }
    if made.is_dir():
        shutil.rmtree(made, ignore_errors=True)
    else:
        made.unlink(missing_ok=True)
    why = ended.reason(command[0]) or f"it ended well and did not make {made}"
    raise UnracedError(f"its graph cannot be made ({name}): {why}")


def _bytes(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
