// SPDX-License-Identifier: Apache-2.0
// The trials of a run: how many, and from which source each of them starts.
#pragma once

#include <string>
#include <vector>

#include "cli/run_record.h"
#include "workloads/workload.h"

namespace outcore {

// Takes sources that were given with commas apart, unless vertices have names, which may hold some:
// then each is given by an option of its own. Throws a usage error for a workload that has no
// source, where it is given twice, and for commas with nothing between them.
void settle_sources(RunRequest& request, bool named);

// Sets `trials` where it was left open: one for each source. Throws a usage error for numbers that
// cannot be, for sources that no trial would take, and where one file would have to hold what
// several trials gave.
void settle_trials(RunRequest& request);

// The source of a trial, counted from 0. Sources are taken in turn; when random:SEED comes again it
// is with the next seed, so that it is another vertex, as in the GAP suite.
std::string source_of(const RunRequest& request, std::size_t trial);

// The workload's parameters in that trial, as name=value, with vertices by their canonical ids.
std::vector<std::string> assignments_of(const RunRequest& request, std::size_t trial,
                                        Container& container);

// The parameters as they were asked for: with all sources, separated by commas.
Parameters parameters_as_asked(const RunRequest& request);

}  // namespace outcore
