# SPDX-License-Identifier: Apache-2.0
"""What Slurm says: of its nodes before a sweep, of the job around a run, of a job that is lost."""

from __future__ import annotations

import math
import os
import re
import subprocess
from collections.abc import Mapping
from typing import Any

from outcore_analysis.cluster.nodes import Cluster
from outcore_analysis.yamllines import ConfigError

Json = dict[str, Any]
# The generic resource that stands for a node's own disk: one timed run has it.
DISK = "disk"
# States in which a job ended that could not say so itself; `failed` is a word of the job's own.
LOST = {
    "BOOT_FAIL": "killed",
    "CANCELLED": "killed",
    "DEADLINE": "killed",
    "NODE_FAIL": "killed",
    "OUT_OF_MEMORY": "out_of_memory",
    "PREEMPTED": "killed",
    "TIMEOUT": "killed",
}
# States of a node that takes no job until somebody acts.
UNFIT = ("DOWN", "DRAIN", "FAIL", "NOT_RESPONDING", "UNKNOWN", "FUTURE")
# The plugin looks every 40 s or more, so a job must be remembered for longer than that.
LEAST_JOB_AGE = 120


def this_job(environment: Mapping[str, str] = os.environ) -> Json | None:
    """Return the job in which this process is; None outside one."""
    if "SLURM_JOB_ID" not in environment:
        return None
    node = environment.get("SLURMD_NODENAME", "")
    return {"id": environment["SLURM_JOB_ID"], "node": node, "staged_bytes": None}


def told(*words: str) -> str:
    """Return what a command of Slurm says; raise ConfigError with its message if it refuses."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ConfigError(f"there is no {words[0]} here: is this a login node of Slurm?") from None
    if done.returncode:
        raise ConfigError((done.stderr.strip() or done.stdout.strip()).splitlines()[-1])
    return done.stdout


def fields(text: str) -> dict[str, str]:
    """Return the words `Name=value` of what scontrol says, the first of a name."""
    found: dict[str, str] = {}
    for name, value in re.findall(r"(\w+)=(\S*)", text):
        found.setdefault(name, value)
    return found


def fate(job: Json) -> Json | None:
    """Return the outcome of a job that did not return, by Slurm's own reason.

    None if the job ended by itself, so that it has said what was wrong.
    """
    named = f"Slurm's job {job['id']} on {job['node']}"
    try:
        found = fields(told("scontrol", "show", "job", job["id"]))
    except ConfigError as error:
        reason = f"{named} is gone and Slurm does not know it any more: {error}"
        return {"status": "killed", "reason": reason, "exit_code": -9}
    state, why = found.get("JobState", ""), found.get("Reason", "None")
    if state not in LOST:
        return None
    code, _, signal = found.get("ExitCode", "0:9").partition(":")
    reason = f"{named}: {state}" + (f", {why}" if why != "None" else "")
    return {"status": LOST[state], "reason": reason, "exit_code": -int(signal or 0) or int(code)}


def check(cluster: Cluster, tokens: int | None, trial: Mapping[str, Any]) -> None:
    """Refuse a sweep that Slurm could not run, or that would time two runs on one disk.

    Args:
        cluster: what the configuration says.
        tokens: how many of Snakemake's resource `device` the sweep may use at once.
        trial: the resources that a trial asks for; Snakemake's plugin is silent about what Slurm
            says to them.
    """
    if not cluster.stage and tokens != 1:
        raise ConfigError(
            "nodes read from one file system, and nothing keeps two runs from being timed on it at "
            "once: give the profile `resources: [device=1]`, or the configuration `cluster.stage`"
        )
    remembered = re.search(r"MinJobAge\s*=\s*(\d+)", told("scontrol", "show", "config"))
    if remembered and int(remembered[1]) < LEAST_JOB_AGE:
        raise ConfigError(
            f"Slurm forgets a job {remembered[1]} s after its end, before anybody looks: it needs "
            f"MinJobAge={LEAST_JOB_AGE} or more in slurm.conf"
        )
    _check_time(trial, cluster.batch)
    for node in cluster.nodes:
        _check_node(node, cluster)
        told(*_tried(node, trial))


def _check_time(trial: Mapping[str, Any], batch: int) -> None:
    """Refuse a job that is longer than its partition allows; Slurm lets it wait for ever."""
    minutes = batch * trial.get("runtime", 0)
    what = f"a job of {batch} trials" if batch > 1 else "a trial"
    for line in told("scontrol", "--oneliner", "show", "partition").splitlines():
        found = fields(line)
        name = found.get("PartitionName")
        chosen = name == trial.get("slurm_partition", name if found["Default"] == "YES" else None)
        if chosen and _minutes(found["MaxTime"]) < minutes:
            raise ConfigError(
                f"{what} asks for {minutes} minutes, and partition {name} gives "
                f"{found['MaxTime']} at most: --set-resources trial:runtime=MINUTES"
            )


def _minutes(limit: str) -> float:
    """Return a limit of time, `UNLIMITED` or `[days-]hours:minutes:seconds`, in minutes."""
    if not limit[0].isdigit():
        return math.inf
    days, _, clock = limit.rpartition("-")
    hours, minutes, seconds = map(int, clock.split(":"))
    return 1440 * int(days or 0) + 60 * hours + minutes + seconds / 60


def takes_jobs(node: str) -> bool:
    """Tell whether Slurm gives this node jobs."""
    try:
        return not _is_unfit(fields(told("scontrol", "show", "node", node)))
    except ConfigError:
        return False


def _is_unfit(node: Mapping[str, str]) -> bool:
    state = node.get("State", "UNKNOWN")
    return state.endswith("*") or bool(set(state.split("+")) & set(UNFIT))


def _check_node(node: str, cluster: Cluster) -> None:
    found = fields(told("scontrol", "show", "node", node))
    if _is_unfit(found):
        state = found.get("State", "UNKNOWN")
        raise ConfigError(
            f"node {node} takes no jobs: it is {state}; bring it back, or leave it out of `nodes`"
        )
    if cluster.stage and not re.search(rf"\b{DISK}:", found.get("Gres", "")):
        raise ConfigError(
            f"node {node} has no resource `{DISK}`, by which its disk has one timed run at a "
            f"time: give it Gres={DISK}:1 in slurm.conf, or stage nothing"
        )


def _tried(node: str, trial: Mapping[str, Any]) -> list[str]:
    """Return the command by which Slurm says whether it would take a trial on that node."""
    options = {"slurm_partition": "--partition", "slurm_account": "--account", "runtime": "--time"}
    asked = [f"{option}={trial[name]}" for name, option in options.items() if trial.get(name)]
    return ["sbatch", "--test-only", f"--nodelist={node}", *asked, "--wrap=true"]
