# SPDX-License-Identifier: Apache-2.0
# What can be asked for by name: a profile's page, a figure's.


for target, plan in TARGETS.items():

    rule:
        name:
            target
        input:
            target_of(plan),
