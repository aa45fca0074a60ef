// SPDX-License-Identifier: Apache-2.0
#include "cli/trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "cli/vertex_ids.h"
#include "common/error.h"
#include "common/parse_number.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

const char* const kSource = "source=";

std::vector<std::string> between_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos;
       comma = text.find(',', begin)) {
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

void refuse_sources_without_meaning(const RunRequest& request) {
  const Workload& workload = find_workload(request.workload);
  const auto& specs = workload.parameters;
  const bool has_source =
      std::any_of(specs.begin(), specs.end(), [](const auto& s) { return s.name == "source"; });
  if (!has_source) {
    throw usage_error(fmt::format("{} has no source; leave out --source (-r)", workload.name));
  }
  for (const std::string& assignment : request.assignments) {
    if (!assignment.starts_with(kSource)) continue;
    throw usage_error(
        fmt::format("--set {} and --source {} name the source twice; leave one of them out",
                    assignment, fmt::join(request.sources, ",")));
  }
}

}  // namespace

void settle_sources(RunRequest& request, bool named) {
  if (request.sources.empty()) return;
  refuse_sources_without_meaning(request);
  if (named) return;
  std::vector<std::string> sources;
  for (const std::string& text : request.sources) {
    for (const std::string& source : between_commas(text)) {
      if (source.empty()) {
        throw usage_error(fmt::format(
            "--source '{}': a source is missing; write max-degree, random:SEED or a vertex id, "
            "several with one comma between them",
            text));
      }
      sources.push_back(source);
    }
  }
  request.sources = std::move(sources);
}

void settle_trials(RunRequest& request) {
  constexpr std::int64_t kMostTrials = 1000;  // all records are kept until the last trial ends
  const auto sources = static_cast<std::int64_t>(request.sources.size());
  if (sources > kMostTrials) {
    throw usage_error(fmt::format(
        "--source: {} vertices need a trial each, but a run has at most {}", sources, kMostTrials));
  }
  if (!request.trials) request.trials = std::max<std::int64_t>(1, sources);
  const std::int64_t trials = *request.trials;
  if (trials < 1 || trials > kMostTrials) {
    throw usage_error(
        fmt::format("--trials {}: expected a whole number from 1 to {}", trials, kMostTrials));
  }
  if (trials < sources) {
    throw usage_error(fmt::format(
        "--trials {} would leave out some of the {} vertices that --source names; ask for at "
        "least {} trials, or leave out --trials for one trial per vertex",
        trials, sources, sources));
  }
  for (const auto& [name, path] :
       {std::pair("--output", &request.output), std::pair("--trace", &request.trace),
        std::pair("--events", &request.events)}) {
    if (trials == 1 || path->empty()) continue;
    throw usage_error(
        fmt::format("{} takes the output of one trial, but this run has {}; run them one by one, "
                    "or leave it out",
                    name, trials));
  }
}

std::string source_of(const RunRequest& request, std::size_t trial) {
  const std::string& source = request.sources[trial % request.sources.size()];
  const std::string prefix = "random:";
  if (!source.starts_with(prefix)) return source;
  const auto seed = parse_number<std::uint64_t>(std::string_view(source).substr(prefix.size()));
  if (!seed) return source;  // check_source() reports what is wrong
  return fmt::format("{}{}", prefix, *seed + trial / request.sources.size());
}

std::vector<std::string> assignments_of(const RunRequest& request, std::size_t trial,
                                        Container& container) {
  const bool by_option = !request.sources.empty();
  std::vector<std::string> assignments = request.assignments;
  if (by_option) assignments.push_back(kSource + source_of(request, trial));
  return in_canonical_ids(find_workload(request.workload), std::move(assignments),
                          by_option ? "--source " : fmt::format("--set {}", kSource), container);
}

Parameters parameters_as_asked(const RunRequest& request) {
  const Workload& workload = find_workload(request.workload);
  std::vector<std::string> assignments = request.assignments;
  if (!request.sources.empty()) {
    assignments.push_back(fmt::format("{}{}", kSource, fmt::join(request.sources, ",")));
  }
  return {workload.name, workload.parameters, assignments};
}

}  // namespace outcore
