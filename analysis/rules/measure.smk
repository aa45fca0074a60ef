# SPDX-License-Identifier: Apache-2.0
# Runs and replays. A trial takes every core and the one device: nothing else runs beside what is timed. Its inputs
# are `ancient`, so what is measured stays measured (records are append-only); a run that fails leaves a record too.


rule trial:
    input:
        binary=ancient(config["binary"]),
        layout=lambda w: ancient(PLAN.layout_file(w.cell)),
    output:
        f"{PLAN.records_folder}/{{cell}}/trial-{{trial}}.json",
    log:
        f"{PLAN.records_folder}/{{cell}}/trial-{{trial}}.log",
    wildcard_constraints:
        cell="[0-9a-f]{12}",
        trial=r"\d+",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        cell=lambda w: PLAN.cells[w.cell].json(),
    shell:
        "python -m outcore_analysis trial --binary {input.binary:q} --layout {input.layout:q} "
        "--cell {params.cell:q} --record {output:q} > {log:q} 2>&1"


rule replay:
    input:
        binary=ancient(config["binary"]),
        record=f"{PLAN.records_folder}/{{cell}}/trial-{{trial}}.json",
    output:
        f"{PLAN.records_folder}/{{cell}}/trial-{{trial}}.replay.json",
    log:
        f"{PLAN.records_folder}/{{cell}}/trial-{{trial}}.replay.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    params:
        policies=lambda w: ",".join(PLAN.replay_of(w.cell)["policies"]),
        sizes=lambda w: ",".join(PLAN.replay_of(w.cell)["sizes"]),
    shell:
        "python -m outcore_analysis replay --binary {input.binary:q} --record {input.record:q} "
        "--policies {params.policies:q} --sizes {params.sizes:q} --out {output:q} > {log:q} 2>&1"
