# SPDX-License-Identifier: Apache-2.0
# Every engine and workload on graphs of all shapes: `snakemake shapes`. A graph is made for its runs
# and removed after them. What was measured stays; what a suite's file changes is measured anew.
STAGES_FOLDER = f"{ALL.records_folder}/shapes"
SHAPES_PAGE = f"{ALL.results_folder}/shapes/{SUITE.profile}"


rule shape:
    input:
        binary=ancient(config["binary"]),
    output:
        f"{STAGES_FOLDER}/{{stage}}.json",
    log:
        f"{STAGES_FOLDER}/{{stage}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        # Engines run in their order, so keys are not sorted.
        stage=lambda w: json.dumps(asdict(SUITE.stages[w.stage])),
        folder=f"{ALL.graphs_folder}/.shapes/{{stage}}",
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis shape --binary {input.binary:q} --stage {params.stage:q} "
        "--folder {params.folder:q} --out {output:q} --lock {params.lock:q} > {log:q} 2>&1"


rule shapes:
    input:
        PACKAGE,
        stages=[f"{STAGES_FOLDER}/{stage}.json" for stage in SUITE.stages],
    output:
        f"{SHAPES_PAGE}/index.html",
    log:
        f"{SHAPES_PAGE}/index.log",
    conda:
        "../envs/analysis.yaml"
    params:
        title=SUITE.title,
        question=SUITE.question,
    shell:
        "python -m outcore_analysis shapes {input.stages:q} --title {params.title:q} "
        "--question {params.question:q} --out {output:q} > {log:q} 2>&1"
