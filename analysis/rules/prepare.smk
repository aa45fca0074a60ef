# SPDX-License-Identifier: Apache-2.0
# Graphs and their layouts. A graph's stamp carries the hash of its recipe, so another recipe makes it anew.


rule graph:
    input:
        binary=ancient(config["binary"]),
    output:
        f"{PLAN.graphs_folder}/.recipes/{{graph}}-{{recipe}}.json",
    log:
        f"{PLAN.graphs_folder}/.recipes/{{graph}}-{{recipe}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        recipe=lambda w: json.dumps(PLAN.recipe(w.graph), sort_keys=True),
        folder=f"{PLAN.graphs_folder}/{{graph}}",
    shell:
        "python -m outcore_analysis graph --binary {input.binary:q} --recipe {params.recipe:q} "
        "--folder {params.folder:q} --stamp {output:q} > {log:q} 2>&1"


rule layout:
    input:
        binary=ancient(config["binary"]),
        stamp=lambda w: PLAN.stamp(w.graph),
    output:
        f"{PLAN.records_folder}/layouts/{{graph}}/{{layout}}.json",
    log:
        f"{PLAN.records_folder}/layouts/{{graph}}/{{layout}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        choices=lambda w: json.dumps(PLAN.layout_choices(w.layout), sort_keys=True),
        folder=f"{PLAN.graphs_folder}/{{graph}}",
    shell:
        "python -m outcore_analysis layout --binary {input.binary:q} --folder {params.folder:q} "
        "--name {wildcards.layout:q} --choices {params.choices:q} --facts {output:q} > {log:q} 2>&1"
