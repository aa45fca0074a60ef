# SPDX-License-Identifier: Apache-2.0
# Runs and replays. A trial takes every core and the one device, so nothing else runs while
# something is timed. Its inputs are `ancient`, so records stay as they were measured (they are
# append-only); a run that fails leaves a record too. On a cluster a trial has its node to itself: the
# one that times all runs of that workload on that graph. Nodes with disks of their own time a run
# each, and Slurm keeps a second one from a disk; a shared file system is one device, as here.
STAGE = ALL.cluster.stage if ALL.cluster else None
STAGING = f"--stage {shlex.quote(STAGE)}" if STAGE else ""


rule trial:
    input:
        binary=ancient(config["binary"]),
        layout=lambda w: ancient(ALL.layout_file(w.cell)),
    output:
        f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.json",
    log:
        f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.log",
    wildcard_constraints:
        cell="[0-9a-f]{12}",
        trial=r"\d+",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=0 if STAGE else 1,
        gres=f"{DISK}:1" if STAGE else "",
        slurm_extra=whole_node,
        # No parameter, of which a change would run the trials anew.
        timed_by=node_of,
        attempt=lambda wildcards, attempt: attempt,
    params:
        cell=lambda w: ALL.cells[w.cell].json(),
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis trial --binary {input.binary:q} --layout {input.layout:q} "
        "--cell {params.cell:q} --record {output:q} --lock {params.lock:q} --node={resources.timed_by:q} "
        f"{STAGING} --attempt {{resources.attempt}} > {{log:q}} 2>&1"


# Before anything runs, and after the rule of which it asks.
if ALL.cluster and workflow.is_main_process:
    device = workflow.global_resources.get("device")
    asked_of_slurm = {
        name: one.raw if one.is_evaluable() else one.value
        for name, one in workflow.get_rule("trial").resources.items()
    }
    try:
        check_cluster(ALL.cluster, device.value if device else None, asked_of_slurm)
    except ConfigError as error:
        raise WorkflowError(f"Slurm cannot run this sweep: {error}") from None


rule replay:
    input:
        binary=ancient(config["binary"]),
        record=f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.json",
    output:
        f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.replay.json",
    log:
        f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.replay.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    params:
        policies=lambda w: ",".join(ALL.replay_of(w.cell)["policies"]),
        sizes=lambda w: ",".join(ALL.replay_of(w.cell)["sizes"]),
    shell:
        "python -m outcore_analysis replay --binary {input.binary:q} --record {input.record:q} "
        "--policies {params.policies:q} --sizes {params.sizes:q} --out {output:q} > {log:q} 2>&1"


rule heat:
    input:
        binary=ancient(config["binary"]),
        record=f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.json",
    output:
        f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.heat.json",
    log:
        f"{ALL.records_folder}/{{cell}}/trial-{{trial}}.heat.log",
    conda:
        "../envs/analysis.yaml"
    shell:
        "python -m outcore_analysis heat --binary {input.binary:q} --record {input.record:q} "
        "--out {output:q} > {log:q} 2>&1"


# Runs beside nothing that is timed: valgrind runs one thread at a time, but reads the same device.
rule count:
    input:
        binary=ancient(config["binary"]),
        layout=lambda w: ancient(ALL.layout_file(w.cell)),
    output:
        f"{ALL.records_folder}/{{cell}}/counts.json",
    log:
        f"{ALL.records_folder}/{{cell}}/counts.log",
    wildcard_constraints:
        cell="[0-9a-f]{12}",
    conda:
        "../envs/analysis.yaml"
    resources:
        device=1,
    params:
        cell=lambda w: ALL.cells[w.cell].json(),
    shell:
        "python -m outcore_analysis count --binary {input.binary:q} --layout {input.layout:q} "
        "--cell {params.cell:q} --out {output:q} > {log:q} 2>&1"
