# SPDX-License-Identifier: Apache-2.0
# Tables, figures, verdicts and the page: pure functions of the records.

EVIDENCE = [*PLAN.records(), *PLAN.replays(), *PLAN.layout_facts()]
# What `outcore probe` found; nobody is made to run it.
DEVICE = [path for path in [PLAN.device] if Path(path).is_file()]
PACKAGE = [
    str(path)
    for path in Path("analysis/outcore_analysis").rglob("*")
    if path.suffix != ".pyc"
]
EFFECTIVE = json.dumps(dict(config), sort_keys=True)


rule tables:
    input:
        EVIDENCE,
        DEVICE,
        PACKAGE,
    output:
        directory(f"{REPORT}/tables"),
    log:
        f"{REPORT}/logs/tables.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=EFFECTIVE,
    shell:
        "python -m outcore_analysis tables --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule figures:
    input:
        EVIDENCE,
        DEVICE,
        PACKAGE,
    output:
        directory(f"{REPORT}/figures"),
    log:
        f"{REPORT}/logs/figures.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=EFFECTIVE,
    shell:
        "python -m outcore_analysis figures --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule claims:
    input:
        EVIDENCE,
        PACKAGE,
        PLAN.claims,
    output:
        f"{REPORT}/verdicts.json",
    log:
        f"{REPORT}/logs/claims.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=EFFECTIVE,
    shell:
        "python -m outcore_analysis claims --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule report:
    input:
        EVIDENCE,
        DEVICE,
        PACKAGE,
        PLAN.claims,
        f"{REPORT}/verdicts.json",
        f"{REPORT}/tables",
        f"{REPORT}/figures",
    output:
        f"{REPORT}/index.html",
    log:
        f"{REPORT}/logs/report.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=EFFECTIVE,
    shell:
        "python -m outcore_analysis report --config {params.config:q} --out {output:q} > {log:q} 2>&1"
