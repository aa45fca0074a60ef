# SPDX-License-Identifier: Apache-2.0
# The plans of all targets, and what rules ask of them.
import json
import re
import shlex
import sys
from dataclasses import asdict
from pathlib import Path

from outcore_analysis.cluster.job import settle
from outcore_analysis.cluster.slurm import DISK, check as check_cluster, takes_jobs
from outcore_analysis.cluster.stage import remove_everywhere
from outcore_analysis.locks import TakenError, take
from outcore_analysis.plan import make_plans
from outcore_analysis.shapes.suite import read_suite
from outcore_analysis.viewer.presets import preset_files, read_presets
from outcore_analysis.yamllines import ConfigError

# Experiments named in the call are the caller's own: they have a page of their own, in the folder
# of their campaign, and judge no paper's claims unless the call names claims too.
asked = workflow.config_settings.overwrite_config
config["own"] = asked.get("own", "experiments" in asked)
config["judge"] = asked.get("judge", not config["own"] or "claims" in asked)
# Races and the viewer's presets are of the graphs that are described beside them.
if {"graphs", "experiments"} & asked.keys() and "races" not in asked:
    config["races"] = []
if {"graphs", "experiments"} & asked.keys() and "viewer" not in asked:
    config["viewer"] = []

# Everything is checked here, before any rule runs. ALL is the plan of everything that any target
# has. Snakemake's own lock, which survives a kill -9, is switched off by the profiles; this lock
# ends with its process.
try:
    PLAN, ALL, TARGETS = make_plans(config, workflow.configfiles)
    PRESETS = read_presets(config, ALL.recipes)
    SUITE = read_suite(config)
    LOCK = (
        take(".snakemake/outcore.lock", wait=False)
        if workflow.is_main_process
        else None
    )
except ConfigError as error:
    raise WorkflowError(f"the configuration cannot be run:\n{error}") from None
except TakenError:
    raise WorkflowError("another snakemake is at work in this folder") from None
PAGES = {f"{plan.results}/report": plan for plan in [PLAN, *TARGETS.values()]}
PACKAGE = [
    str(path)
    for path in Path("analysis/outcore_analysis").rglob("*")
    if path.suffix != ".pyc"
]
# Steps use this interpreter and find the package, whether or not an environment is active.
shell.prefix(
    f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH PYTHONPATH=analysis; "
)


wildcard_constraints:
    page="|".join(map(re.escape, PAGES)),


def evidence(plan):
    return [
        *plan.records(),
        *plan.replays(),
        *plan.heats(),
        *plan.counted(),
        *plan.layout_facts(),
    ]


# Records are named here too, so that a deleted record is made again.
def target_of(plan):
    page = f"{plan.results}/report"
    ends = [f"{page}/index.html", f"{page}/complete.txt"]
    return [*evidence(plan), *plan.races_at_once(), *ends]


# Those that a page holds itself, and those that were held before.
def races_of(wildcards):
    plan = PAGES[wildcards.page]
    held = [path for path in map(plan.race_file, plan.races) if Path(path).is_file()]
    return sorted({*held, *plan.races_at_once()})


def evidence_of(wildcards):
    return evidence(PAGES[wildcards.page])


# The result of `outcore probe`, as `make reproduce` calls it; optional for snakemake.
def device_of(wildcards):
    return [path for path in [PAGES[wildcards.page].device] if Path(path).is_file()]


def claims_of(wildcards):
    return PAGES[wildcards.page].claims


# The configuration of a page, from which the steps make their plan.
def config_of(wildcards):
    plan = PAGES[wildcards.page]
    chosen = {"profile": plan.profile, "paper": plan.paper, "figure": plan.figure}
    return json.dumps(dict(config) | chosen, sort_keys=True)


# The node of the cluster that times a trial.
def node_of(wildcards):
    cell = ALL.cells[wildcards.cell]
    return ALL.cluster.node_of(cell.graph, cell.workload) if ALL.cluster else ""


# What a trial asks of Slurm besides: its node, to itself.
def whole_node(wildcards, attempt):
    if not (ALL.cluster and workflow.is_main_process):
        return ""
    node = node_of(wildcards)
    # Any node may say what became of a job whose node is lost.
    lost = attempt > 1 and not takes_jobs(node)
    return "--exclusive" if lost else f"--exclusive --nodelist={node}"


# Called when a sweep ends, however it does.
def settle_records():
    if ALL.cluster and not workflow.local_exec:
        settle(Path(ALL.records_folder))


# Called when everything is done; after a failure what is staged stays, for the sweep to go on.
def unstage():
    if ALL.cluster and ALL.cluster.stage and not workflow.local_exec:
        nodes = ALL.cluster.nodes
        for fault in remove_everywhere(ALL.cluster.stage, ALL.records_folder, nodes):
            print(fault)


def newest_page():
    folders = [*PAGES, f"{ALL.results_folder}/viewer", f"{ALL.results_folder}/races"]
    folders += [f"{ALL.results_folder}/shapes/{SUITE.profile}"]
    pages = [path for page in folders if (path := Path(page, "index.html")).is_file()]
    return max(pages, key=lambda path: path.stat().st_mtime, default="not there")


# The message of the step `complete` for the newest page, if it failed.
def unfinished():
    page = Path(newest_page()).parent
    log = page / "logs/complete.log"
    failed = log.is_file() and not (page / "complete.txt").exists()
    return log.read_text() if failed else ""
