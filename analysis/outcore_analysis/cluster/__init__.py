# SPDX-License-Identifier: Apache-2.0
"""Sweeps on a cluster with Slurm: which node times what, staged data, jobs that did not return."""
