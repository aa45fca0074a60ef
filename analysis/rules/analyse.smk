# SPDX-License-Identifier: Apache-2.0
# Tables, figures, verdicts and the page: pure functions of the records. They take seconds, so on a
# cluster they are made where Snakemake is.
localrules:
    tables,
    figures,
    claims,
    report,
    complete,


rule tables:
    input:
        evidence_of,
        races_of,
        device_of,
        PACKAGE,
    output:
        report(
            directory("{page}/tables"),
            patterns=["{table}.csv"],
            labels={"table": "{table}"},
            caption="../captions/tables.rst",
            category="Tables",
        ),
    log:
        "{page}/logs/tables.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=config_of,
    shell:
        "python -m outcore_analysis tables --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule figures:
    input:
        evidence_of,
        races_of,
        device_of,
        PACKAGE,
    output:
        report(
            directory("{page}/figures"),
            patterns=["{figure}.png"],
            labels={"figure": "{figure}"},
            caption="../captions/figures.rst",
            category="Figures",
        ),
    log:
        "{page}/logs/figures.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=config_of,
    shell:
        "python -m outcore_analysis figures --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule claims:
    input:
        evidence_of,
        races_of,
        PACKAGE,
        claims_of,
    output:
        report(
            "{page}/verdicts.json",
            caption="../captions/claims.rst",
            category="Verdicts",
        ),
    log:
        "{page}/logs/claims.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=config_of,
    shell:
        "python -m outcore_analysis claims --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule report:
    input:
        evidence_of,
        races_of,
        device_of,
        PACKAGE,
        claims_of,
        "{page}/verdicts.json",
        "{page}/tables",
        "{page}/figures",
    output:
        report(
            "{page}/index.html", caption="../captions/report.rst", category="The page"
        ),
    log:
        "{page}/logs/report.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=config_of,
    shell:
        "python -m outcore_analysis report --config {params.config:q} --out {output:q} > {log:q} 2>&1"


# The target fails if a run that should finish did not, in every profile; and if a figure of the
# profile full lacks a series. The page is made first: it says what happened.
rule complete:
    input:
        "{page}/index.html",
        evidence_of,
        races_of,
        device_of,
        PACKAGE,
        claims_of,
    output:
        "{page}/complete.txt",
    log:
        "{page}/logs/complete.log",
    conda:
        "../envs/analysis.yaml"
    params:
        config=config_of,
    shell:
        "python -m outcore_analysis complete --config {params.config:q} --out {output:q} > {log:q} 2>&1"
