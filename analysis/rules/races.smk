# SPDX-License-Identifier: Apache-2.0
# Races against programs that others wrote: `snakemake races`. Nothing else runs meanwhile. A record
# stays as it was measured; one of an interrupted race is made anew.
BOUTS_FOLDER = f"{ALL.records_folder}/races"


rule race:
    input:
        binary=ancient(config["binary"]),
        stamp=lambda w: ancient(ALL.stamp(ALL.races[w.bout].graph)),
        layout=lambda w: [ancient(path) for path in ALL.race_layout(w.bout)],
    output:
        f"{BOUTS_FOLDER}/{{bout}}.json",
    log:
        f"{BOUTS_FOLDER}/{{bout}}.log",
    wildcard_constraints:
        bout="[0-9a-f]{12}",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        bout=lambda w: json.dumps(asdict(ALL.races[w.bout]), sort_keys=True),
        folder=lambda w: f"{ALL.graphs_folder}/{ALL.races[w.bout].graph}",
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis bout --binary {input.binary:q} --folder {params.folder:q} "
        "--bout {params.bout:q} --record {output:q} --lock {params.lock:q} > {log:q} 2>&1"


rule races:
    input:
        records=[f"{BOUTS_FOLDER}/{bout}.json" for bout in ALL.bouts],
        package=PACKAGE,
    output:
        f"{ALL.results_folder}/races/index.html",
    log:
        f"{ALL.results_folder}/races/index.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=json.dumps(dict(config), sort_keys=True),
    shell:
        "python -m outcore_analysis races --config {params.config:q} --out {output:q} > {log:q} 2>&1"
