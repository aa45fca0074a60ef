# SPDX-License-Identifier: Apache-2.0
"""The suite of shapes: every engine x workload on graphs that no knob was set for.

`suite` reads what is asked, `runs` makes one graph and all runs on it, `cells` compares them,
`maps` draws them and `page` writes the page.
"""
