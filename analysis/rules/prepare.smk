# SPDX-License-Identifier: Apache-2.0
# Graphs, their layouts, streams of their edges and stores of those. A graph's stamp contains the
# hash of its recipe, so a changed recipe makes the graph again.

FETCHED = f"{ALL.graphs_folder}/.fetched"
DEVICE_LOCK = f"{ALL.results_folder}/.device-{ALL.host}.lock"
# One rule for files whose hash the catalogue knows, one for the others.
HASHED, UNHASHED = [
    [
        f.name
        for graph in ALL.recipes
        for f in ALL.sources(graph)
        if bool(f.sha256) == known
    ]
    for known in (True, False)
]


rule fetch:
    output:
        ensure(f"{FETCHED}/{{file}}", sha256=lambda w: ALL.source_of(w.file).sha256),
    log:
        f"{FETCHED}/{{file}}.log",
    wildcard_constraints:
        file="|".join(map(re.escape, HASHED)) or "none",
    conda:
        "../envs/analysis.yaml"
    params:
        url=lambda w: ALL.source_of(w.file).url,
        sha256=lambda w: ALL.source_of(w.file).sha256,
    shell:
        "python -m outcore_analysis fetch --name {wildcards.file:q} --url={params.url:q} "
        "--sha256={params.sha256:q} --out {output:q} > {log:q} 2>&1"


# Its log shows the hash, for the catalogue.
rule fetch_unhashed:
    output:
        ensure(f"{FETCHED}/{{file}}", non_empty=True),
    log:
        f"{FETCHED}/{{file}}.log",
    wildcard_constraints:
        file="|".join(map(re.escape, UNHASHED)) or "none",
    conda:
        "../envs/analysis.yaml"
    params:
        url=lambda w: ALL.source_of(w.file).url,
    shell:
        "python -m outcore_analysis fetch --name {wildcards.file:q} --url={params.url:q} "
        "--out {output:q} 2>&1 | tee {log:q} >&2"


# The lock is no parameter, of which a change would make the graph anew: with another folder of
# results the graph is the same.
rule graph:
    input:
        binary=ancient(config["binary"]),
        files=lambda w: [ancient(f"{FETCHED}/{f.name}") for f in ALL.sources(w.graph)],
    output:
        f"{ALL.graphs_folder}/.recipes/{{graph}}-{{recipe}}.json",
    log:
        f"{ALL.graphs_folder}/.recipes/{{graph}}-{{recipe}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
        lock=DEVICE_LOCK,
    params:
        recipe=lambda w: json.dumps(ALL.recipe(w.graph), sort_keys=True),
        folder=f"{ALL.graphs_folder}/{{graph}}",
        source=lambda w: ALL.origin(w.graph),
    shell:
        "python -m outcore_analysis graph --binary {input.binary:q} --recipe {params.recipe:q} "
        "--folder {params.folder:q} --stamp {output:q} --source={params.source:q} "
        "--lock {resources.lock:q} > {log:q} 2>&1"


rule layout:
    input:
        binary=ancient(config["binary"]),
        stamp=lambda w: ALL.stamp(w.graph),
    output:
        f"{ALL.records_folder}/layouts/{{graph}}/{{layout}}.json",
    log:
        f"{ALL.records_folder}/layouts/{{graph}}/{{layout}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        choices=lambda w: json.dumps(ALL.layout_choices(w.layout), sort_keys=True),
        folder=f"{ALL.graphs_folder}/{{graph}}",
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis layout --binary {input.binary:q} --folder {params.folder:q} "
        "--name {wildcards.layout:q} --choices {params.choices:q} --facts {output:q} "
        "--lock {params.lock:q} > {log:q} 2>&1"


rule stream:
    input:
        binary=ancient(config["binary"]),
        stamp=lambda w: ALL.stamp(w.graph),
    output:
        f"{ALL.records_folder}/streams/{{graph}}/{{stream}}.json",
    log:
        f"{ALL.records_folder}/streams/{{graph}}/{{stream}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        choices=lambda w: json.dumps(ALL.stream_choices(w.stream), sort_keys=True),
        folder=f"{ALL.graphs_folder}/{{graph}}",
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis stream --binary {input.binary:q} --folder {params.folder:q} "
        "--name {wildcards.stream:q} --choices {params.choices:q} --facts {output:q} "
        "--lock {params.lock:q} > {log:q} 2>&1"


rule store:
    input:
        binary=ancient(config["binary"]),
        stream=lambda w: (
            f"{ALL.records_folder}/streams/{w.graph}/{ALL.store_choices(w.store)['stream']}.json"
        ),
    output:
        f"{ALL.records_folder}/stores/{{graph}}/{{store}}.json",
    log:
        f"{ALL.records_folder}/stores/{{graph}}/{{store}}.log",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        choices=lambda w: json.dumps(ALL.store_choices(w.store), sort_keys=True),
        folder=f"{ALL.graphs_folder}/{{graph}}",
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis store --binary {input.binary:q} --folder {params.folder:q} "
        "--name {wildcards.store:q} --choices {params.choices:q} --facts {output:q} "
        "--lock {params.lock:q} > {log:q} 2>&1"
