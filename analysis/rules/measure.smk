# SPDX-License-Identifier: Apache-2.0
# Runs and replays. A trial takes every core and the one device, so nothing else runs while
# something is timed. Its inputs are `ancient`, so records stay as they were measured (they are
# append-only); a run that fails leaves a record too.


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
        device=1,
    params:
        cell=lambda w: ALL.cells[w.cell].json(),
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis trial --binary {input.binary:q} --layout {input.layout:q} "
        "--cell {params.cell:q} --record {output:q} --lock {params.lock:q} > {log:q} 2>&1"


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
