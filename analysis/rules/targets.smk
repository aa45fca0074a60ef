# SPDX-License-Identifier: Apache-2.0
# The targets that can be named: the page of a profile, a figure.


for target, plan in TARGETS.items():

    rule:
        name:
            target
        input:
            target_of(plan),
