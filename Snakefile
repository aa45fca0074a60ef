# SPDX-License-Identifier: Apache-2.0
# The pipeline: graphs and layouts, runs, replays, tables, figures, verdicts, one page.
#
#   snakemake                           the default profile, quick; `snakemake smoke`, `snakemake full`
#   snakemake acgraph-fig8              one figure: an experiment of configs/experiments by its name
#   snakemake full --config paper=cave  one paper
#   snakemake races                     our fastest engine against programs that others wrote, a page
#   snakemake shapes                    every engine and workload on graphs of all shapes
#   snakemake viewer                    pages that replay runs beside each other on one clock
#
# The rules are in analysis/rules/, one file per stage; the logic is in the package
# analysis/outcore_analysis.
import sys

from snakemake.utils import min_version

min_version("9.0")


configfile: "configs/config.yaml"


sys.path.insert(0, "analysis")


include: "analysis/rules/common.smk"
include: "analysis/rules/prepare.smk"
include: "analysis/rules/measure.smk"
include: "analysis/rules/sharing.smk"
include: "analysis/rules/races.smk"
include: "analysis/rules/viewer.smk"
include: "analysis/rules/analyse.smk"
include: "analysis/rules/shapes.smk"
include: "analysis/rules/targets.smk"


rule all:
    default_target: True
    input:
        target_of(PLAN),


onsuccess:
    settle_records()
    unstage()
    print(f"\nThe page is {newest_page()}")


onerror:
    settle_records()
    print(f"\n{unfinished()}The newest page is {newest_page()}")
