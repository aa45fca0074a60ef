// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/kept_ids.h"

#include <algorithm>

namespace outcore {

bool KeptIds::begin_round(std::span<const BlockRun> runs, bool same) {
  if (same && std::ranges::equal(of_, runs)) return true;
  of_.assign(runs.begin(), runs.end());
  runs_.clear();
  runs_.resize(runs.size());
  used_.store(0, std::memory_order_relaxed);
  return false;
}

void KeptIds::keep(std::size_t run, std::span<const VertexId> targets) {
  const std::size_t begins = sizes_.bins + 1;
  const std::uint64_t bytes =
      targets.size() * sizeof(VertexId) + begins * sizeof(std::uint32_t) + sizeof(Run);
  if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes > space_) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return;
  }
  Run& kept = runs_[run];
  kept.begins.assign(begins, 0);
  for (const VertexId v : targets) ++kept.begins[(v >> sizes_.bin_shift) + 1];
  for (std::size_t bin = 0; bin < sizes_.bins; ++bin) kept.begins[bin + 1] += kept.begins[bin];
  std::vector<std::uint32_t> next(kept.begins.begin(), kept.begins.end() - 1);
  kept.ids.resize(targets.size());
  for (const VertexId v : targets) kept.ids[next[v >> sizes_.bin_shift]++] = v;
}

}  // namespace outcore
