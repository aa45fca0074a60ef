# SPDX-License-Identifier: Apache-2.0
# The race viewer's pages: `snakemake viewer`. A preset's page is made again when its file or its
# graph changes.
SHOWS_FOLDER = f"{ALL.results_folder}/viewer"
PRESET_FILES = {Path(file).stem: file for file in preset_files(config)}
VERDICTS = [f"{page}/verdicts.json" for page in PAGES]


rule preset:
    input:
        binary=ancient(config["binary"]),
        file=lambda w: PRESET_FILES[w.preset],
        stamp=lambda w: ALL.stamp(PRESETS[w.preset]["graph"]),
    output:
        page=f"{SHOWS_FOLDER}/{{preset}}.html",
        told=f"{SHOWS_FOLDER}/{{preset}}.json",
    log:
        f"{SHOWS_FOLDER}/{{preset}}.log",
    wildcard_constraints:
        preset="|".join(map(re.escape, PRESETS)) or "none",
    conda:
        "../envs/analysis.yaml"
    threads: workflow.cores
    resources:
        device=1,
    params:
        preset=lambda w: json.dumps(PRESETS[w.preset], sort_keys=True),
        folder=lambda w: f"{ALL.graphs_folder}/{PRESETS[w.preset]['graph']}",
        verdicts=[path for path in VERDICTS if Path(path).is_file()],
        lock=DEVICE_LOCK,
    shell:
        "python -m outcore_analysis preset --binary {input.binary:q} --folder {params.folder:q} "
        "--preset {params.preset:q} --out {output.page:q} --lock {params.lock:q} "
        "--verdicts {params.verdicts:q} > {log:q} 2>&1"


rule viewer:
    input:
        [f"{SHOWS_FOLDER}/{preset}.html" for preset in PRESETS],
    output:
        f"{SHOWS_FOLDER}/index.html",
    log:
        f"{SHOWS_FOLDER}/index.log",
    conda:
        "../envs/analysis.yaml"
    shell:
        "python -m outcore_analysis presets {input:q} --out {output:q} > {log:q} 2>&1"
