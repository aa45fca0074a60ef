// SPDX-License-Identifier: Apache-2.0
#include "cli/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "workloads/sources.h"

namespace outcore {

void settle_trials(RunRequest& request) {
  constexpr std::int64_t kMostTrials = 1000;  // whose records are held until the last has ended
  if (!request.trials) {
    request.trials = static_cast<std::int64_t>(std::max<std::size_t>(1, request.sources.size()));
  }
  const std::int64_t trials = *request.trials;
  if (trials < 1 || trials > kMostTrials) {
    throw usage_error(
        fmt::format("--trials {}: expected a whole number from 1 to {}", trials, kMostTrials));
  }
  for (const auto& [name, path] :
       {std::pair("--output", &request.output), std::pair("--trace", &request.trace)}) {
    if (trials == 1 || path->empty()) continue;
    throw usage_error(fmt::format(
        "{} holds what one trial gave and this run has {}; run them one by one, or leave it out",
        name, trials));
  }
}

std::string source_of(const RunRequest& request, std::size_t trial) {
  const std::string& source = request.sources[trial % request.sources.size()];
  const std::string prefix = "random:";
  if (!source.starts_with(prefix)) return source;
  std::uint64_t seed = 0;
  const char* const end = source.data() + source.size();
  const auto [rest, error] = std::from_chars(source.data() + prefix.size(), end, seed);
  if (error != std::errc() || rest != end) return source;  // check_source says what is wrong
  return fmt::format("{}{}", prefix, seed + trial / request.sources.size());
}

std::vector<std::string> assignments_of(const RunRequest& request, std::size_t trial) {
  std::vector<std::string> assignments = request.assignments;
  if (!request.sources.empty()) assignments.push_back("source=" + source_of(request, trial));
  return assignments;
}

Parameters parameters_as_asked(const RunRequest& request) {
  const Workload& workload = find_workload(request.workload);
  std::vector<std::string> assignments = request.assignments;
  if (!request.sources.empty()) {
    assignments.push_back(fmt::format("source={}", fmt::join(request.sources, ",")));
  }
  return {workload.name, workload.parameters, assignments};
}

}  // namespace outcore
