// SPDX-License-Identifier: Apache-2.0
// Does a layout hold what a run asks of it? That is told before an engine is built, which may read
// the whole graph, and with the command that builds such a layout.
#pragma once

#include "cli/run_record.h"
#include "storage/container/container.h"
#include "storage/layout/layout.h"
#include "workloads/workload.h"

namespace outcore {

// The choices with all that the run asks for beyond them: heads, the graph's weights. Throws a
// usage error where the graph itself cannot give it.
LayoutChoices suitable_choices(const RunRequest& request, const Parameters& parameters,
                               Container& container, LayoutChoices choices = {});

// Throws a usage error where these are other choices than the layout's.
void check_layout_suits(const RunRequest& request, const Parameters& parameters,
                        Container& container, const Layout& layout);

}  // namespace outcore
