// SPDX-License-Identifier: Apache-2.0
// The trials of a run: how many, and the source of each.
#pragma once

#include <string>
#include <vector>

#include "cli/run_record.h"
#include "workloads/workload.h"

namespace outcore {

// Splits sources at commas. If the vertices have names, which may contain commas, each source must
// have its own option. Throws a usage error when the workload takes no source, when the source is
// given twice, and when nothing stands between two commas.
void settle_sources(RunRequest& request, bool named);

// If `trials` was left open, sets it to one for each source. Throws a usage error for impossible
// numbers, for sources that no trial would use, and for an output file when there are several
// trials.
void settle_trials(RunRequest& request);

// The source of a trial, counted from 0. Trials take the sources in turn. Each time random:SEED is
// used again the seed is increased by one, which gives another vertex, as in the GAP suite.
std::string source_of(const RunRequest& request, std::size_t trial);

// The workload's parameters in that trial, as name=value, with vertices as canonical ids.
std::vector<std::string> assignments_of(const RunRequest& request, std::size_t trial,
                                        Container& container);

// The parameters as they were given: with all sources, separated by commas.
Parameters parameters_as_asked(const RunRequest& request);

}  // namespace outcore
