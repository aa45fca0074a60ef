# SPDX-License-Identifier: Apache-2.0
"""Races of programs that we did not write against ours, by the same rules, kept as records."""
