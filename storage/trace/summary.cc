// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/summary.h"

#include "common/progress.h"

namespace outcore {

TraceSummary summarise(TraceReader& reader) {
  TraceSummary summary;
  Progress progress("reading the trace", 0, "accesses");
  std::vector<std::uint64_t> seen;  // by unit: rounds begun when it was last asked for
  for (TraceReader::Event event; reader.next(event);) {
    if (event.kind == TraceReader::Event::Kind::round || summary.rounds.empty()) {
      summary.rounds.push_back({.round = event.run.round});
    }
    if (event.kind == TraceReader::Event::Kind::round) continue;
    TraceSummary::Round& round = summary.rounds.back();
    const std::size_t end = std::size_t{event.run.first} + event.run.units;
    if (end > seen.size()) seen.resize(end, 0);
    for (std::size_t unit = event.run.first; unit < end; ++unit) {
      if (seen[unit] == 0) ++summary.distinct;
      if (seen[unit] != summary.rounds.size()) ++round.distinct;
      seen[unit] = summary.rounds.size();
    }
    round.accesses += event.run.units;
    summary.accesses += event.run.units;
    progress.add(event.run.units);
  }
  return summary;
}

nlohmann::json TraceSummary::json() const {
  nlohmann::json per_round = nlohmann::json::array();
  for (const Round& round : rounds) {
    per_round.push_back(
        {{"round", round.round}, {"accesses", round.accesses}, {"distinct", round.distinct}});
  }
  return {{"accesses", accesses},
          {"distinct", distinct},
          {"rounds", rounds.size()},
          {"per_round", per_round}};
}

}  // namespace outcore
