# SPDX-License-Identifier: Apache-2.0
"""LDBC Graphalytics: its properties are read, its six kernels run and validated by its rules.

Format and rules are those of its specification (arXiv:2011.15028): a graph is a file of
properties, one of vertices (.v) and one of edges (.e); references lie beside them.
"""

EXAMPLE = """\
Example: python -m outcore_analysis graphalytics data/dota-league.properties \\
           --graphs graphs --out answers --engine async_block --memory 1G

Kernels are those of graph.NAME.algorithms. The graph is made anew in GRAPHS/graphalytics-NAME; of
a directed one also GRAPHS/graphalytics-NAME-both-ways, for WCC, CDLP and LCC. Each answer goes to
OUT/NAME-BFS and so on, a line a vertex: <vertex> <value>. Where data/NAME-BFS lies beside the
properties, the answer is validated: BFS and CDLP exactly, WCC by its components, PR, LCC and SSSP
within 0.01%. OUT/results.json has seconds and verdicts, and the first line that differs.
Exit codes: 0: nothing failed; 2: what was given is wrong; 5: an answer or a run failed.
"""
