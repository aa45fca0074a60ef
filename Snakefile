# SPDX-License-Identifier: Apache-2.0
# The pipeline: graphs and layouts, runs, replays, tables, figures, verdicts, one page.
#
#   snakemake                          the default configuration (configs/config.yaml)
#   snakemake --config profile=smoke   tiny graphs, to see that everything works
#
# Rules stand by stage in analysis/rules/, logic in the package analysis/outcore_analysis.
import json
import shlex
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


configfile: "configs/config.yaml"


sys.path.insert(0, "analysis")

from outcore_analysis.plan import make_plan
from outcore_analysis.yamllines import ConfigError

# The whole configuration is checked here, before any rule runs.
try:
    PLAN = make_plan(config, workflow.configfiles)
except ConfigError as error:
    raise WorkflowError(f"the configuration cannot be run:\n{error}") from None
REPORT = f"{PLAN.results}/report"

# Steps use this interpreter and find the package, whether or not an environment is active.
shell.prefix(
    f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH PYTHONPATH=analysis; "
)


include: "analysis/rules/prepare.smk"
include: "analysis/rules/measure.smk"
include: "analysis/rules/analyse.smk"


# Records are named here too, so that one which someone took away is made again.
rule all:
    default_target: True
    input:
        EVIDENCE,
        f"{REPORT}/index.html",


onsuccess:
    print(f"\nThe page is {REPORT}/index.html")
