# SPDX-License-Identifier: Apache-2.0
# Jobs of a cluster that share one: starting Snakemake in a job takes longer than many a run. Trials
# of a node follow each other anyway.
SHARING = ["graph", "layout", "stream", "replay", "heat"]


# Snakemake's settings are there only when jobs are made, after this file was read; and a process of
# it inside a job is not told them.
def shared(name):
    names = [*SHARING, *map(of_node, ALL.cluster.nodes)]
    workflow.group_settings.group_components = dict.fromkeys(names, ALL.cluster.batch)
    return name


def of_node(node):
    return f"on-{node}"


if ALL.cluster and ALL.cluster.batch > 1:
    workflow.get_rule("trial").group = lambda w: shared(of_node(node_of(w)))
    for rule_name in SHARING:
        workflow.get_rule(rule_name).group = lambda w, name=rule_name: shared(name)
