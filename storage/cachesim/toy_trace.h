// SPDX-License-Identifier: Apache-2.0
// Traces written out in tests: the accesses, and before which of them a round begins.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "storage/cachesim/simulator.h"

namespace outcore {

struct ToyTrace {
  std::vector<std::uint32_t> units;
  std::vector<std::size_t> round_begins;  // ascending
};

class ToyEvents final : public TraceEvents {
 public:
  explicit ToyEvents(const ToyTrace& trace) : trace_(trace) {}

  bool next(TraceEvent& event) override {
    if (round_ < trace_.round_begins.size() && trace_.round_begins[round_] == at_) {
      event = {TraceEvent::Kind::round, {.round = round_++}};
      return true;
    }
    if (at_ == trace_.units.size()) return false;
    event = {TraceEvent::Kind::run, {.round = 0, .first = trace_.units[at_++], .units = 1}};
    return true;
  }

 private:
  const ToyTrace& trace_;
  std::size_t at_ = 0;
  std::size_t round_ = 0;
};

inline Simulation simulate_toy(const ToyTrace& trace, const std::vector<CacheJob>& jobs) {
  return simulate(
      {.units = std::uint64_t{1} << 20, .open = [&] { return std::make_unique<ToyEvents>(trace); }},
      jobs);
}

inline std::uint64_t toy_misses(const ToyTrace& trace, const PolicyKind& policy,
                                std::uint64_t slots, std::uint64_t seed = 1) {
  return simulate_toy(trace, {{.policy = &policy, .units = slots, .seed = seed}})
      .results.front()
      .misses;
}

}  // namespace outcore
