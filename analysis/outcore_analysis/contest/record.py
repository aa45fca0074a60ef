# SPDX-License-Identifier: Apache-2.0
"""Records of a race: one of a run for every turn, of theirs as of ours, and one of the whole."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outcore_analysis.contest.answers import Compared
from outcore_analysis.contest.asked import Asked
from outcore_analysis.contest.turn import Turn

Json = dict[str, Any]
OURS = "ours"


def now() -> str:
    """Return the time, as records have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def of_theirs(
    asked: Asked,
    name: str,
    command: list[str],
    version: str | None,
    turn: Turn,
    times: Mapping[str, float],
    compared: Compared | None,
    options: Mapping[str, str] | None = None,
    numbers: Mapping[str, float] | None = None,
) -> Json:
    """Return the record of another program's turn; `compared` is None where it did not go well."""
    status, reason, code = turn.status, turn.reason(command[0]), turn.exit_code
    if compared is not None and compared.exit_code != 0:
        status, reason, code = "failed", compared.reason, compared.exit_code
    return {
        "record_version": 1,
        "outcome": {"status": status, "reason": reason, "exit_code": code},
        "asked": {
            "graph": asked.graph,
            "layout": "",
            "engine": name,
            "settings": dict(options or {}),
            "workload": asked.workload,
            "parameters": asked.parameters,
            "trials": 1,
            "threads": asked.threads,
            "memory_bytes": asked.memory,
            "verify": True,
            "command": command,
        },
        "external": {
            "version": version,
            "command": command,
            "cores": asked.threads,
            "memory_bytes": asked.memory,
            "phases": {f"{phase}_s": seconds for phase, seconds in times.items()},
            "numbers": dict(numbers or {}),
        },
        "graph": asked.facts,
        "machine": asked.machine,
        "build": asked.build,
        "started_at": now(),
        "answer": compared.answer if compared is not None else None,
    }


def of_ours(asked: Asked, run: Path, command: list[str], turn: Turn, compared: Compared) -> Json:
    """Return the record of our turn: the run's own, whatever became of it, and the verdict."""
    try:
        record: Json = json.loads(run.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = of_theirs(asked, asked.ours.engine, command, None, turn, {}, None)
        del record["external"]
        record["asked"] |= {"layout": asked.ours.layout}
    record["started_at"] = record.get("started_at") or now()
    if not turn.went_well:
        if record["outcome"]["status"] in ("ok", "unfinished"):
            record["outcome"] = {
                "status": turn.status,
                "reason": turn.reason(command[0]),
                "exit_code": turn.exit_code,
            }
        return record
    if compared.answer is not None:
        record["answer"]["verified"] = compared.answer["verified"]
    record["answer"]["output"] = None
    record["asked"]["verify"] = True
    if compared.exit_code != 0:
        record["outcome"] = {
            "status": "failed",
            "reason": compared.reason,
            "exit_code": compared.exit_code,
        }
    return record


def with_turn(
    record: Json,
    turn: Turn,
    contestant: str,
    number: int,
    place: int,
    temperature: str,
    own: float | None,
    compared: str | None,
) -> Json:
    """Add what the kernel said, and at which place of which turn it was."""
    record["raced"] = {
        "contestant": contestant,
        "turn": number,
        "place": place,
        "temperature": temperature,
        "own_s": own,
        "compared": compared,
    } | turn.raced()
    return record


def write(path: Path, document: Json) -> None:
    """Write the file completely or not at all."""
    beside = path.with_name(f"{path.name}.tmp")
    beside.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
