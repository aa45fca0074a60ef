// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_subgraph/benefit_model.h"

#include <algorithm>
#include <atomic>

#include "engines/lists/round.h"

namespace outcore {

namespace {

constexpr double kMega = 1e6;
// Of processors that were not measured yet: what an edge takes to be heard in a full round, and to
// be told in a selected one, with atomics (Kronecker graphs, ids in their original order).
constexpr double kHeardSeconds = 8e-9;
constexpr double kToldSeconds = 12e-9;
constexpr EdgeIndex kEnoughEdges = 100'000;  // of a selected round, to measure one

}  // namespace

DeviceRates guessed_rates() {
  const double us_of_block = kMeasuredCost.us + 4 * kMeasuredCost.us_per_kb;
  const double mb_per_s = 1024 / kMeasuredCost.us_per_kb;
  return {.source = "a guess",
          .random_mb_per_s = 4096 / us_of_block,
          .sequential_mb_per_s = mb_per_s,
          .write_mb_per_s = mb_per_s,
          .request = kMeasuredCost};
}

void BenefitModel::learn_selected(double processor_seconds, std::uint64_t edges) {
  if (edges < kEnoughEdges) return;
  edge_processor_s_ = processor_seconds / static_cast<double>(edges);
}

// A device of which nothing is known of writes is taken to write as it reads.
double BenefitModel::values_cost(std::uint64_t bytes, double reads) const {
  const DeviceRates& rates = costs_.rates;
  const double write = rates.write_mb_per_s > 0 ? rates.write_mb_per_s : rates.sequential_mb_per_s;
  return static_cast<double>(bytes) / kMega * (reads / rates.sequential_mb_per_s + 1 / write);
}

double BenefitModel::full_cost(const Full& full) const {
  const double sequential = costs_.rates.sequential_mb_per_s * kMega;
  if (costs_.kind == Kind::paper) {
    return static_cast<double>(full.bytes) / sequential + values_cost(full.value_bytes, 1);
  }
  const double processors =
      full_processor_s_.value_or(static_cast<double>(full.edges) * kHeardSeconds);
  const double lists =
      static_cast<double>(full.bytes - std::min(full.bytes, full.kept_bytes)) / sequential;
  return std::max(lists + values_cost(full.value_bytes, 1), processors / costs_.processors);
}

double BenefitModel::selected_cost(const Wanted& wanted, std::uint64_t requests,
                                   std::uint64_t block_bytes) const {
  const auto bytes = static_cast<double>(wanted.bytes);
  if (costs_.kind == Kind::paper) {
    return bytes / (costs_.rates.random_mb_per_s * kMega);
  }
  const RequestCost& request = costs_.rates.request;
  const double kb = static_cast<double>(wanted.blocks * block_bytes) / 1024;
  const double device =
      (static_cast<double>(requests) * request.us + kb * request.us_per_kb) / kMega;
  const double processors =
      static_cast<double>(wanted.edges) * edge_processor_s_.value_or(kToldSeconds);
  return std::max(device, processors / costs_.processors);
}

Estimate BenefitModel::estimate(const Full& full, const Frontier& active, const Shards& lists,
                                Executor& executor) {
  Estimate estimate{.full = full_cost(full)};
  const double values = values_cost(full.value_bytes, 2);
  const Wanted wanted = count(active, lists, estimate.full - values, executor);
  estimate.selected = selected_cost(wanted, requests(), lists.block_bytes()) + values;
  return estimate;
}

BenefitModel::Wanted BenefitModel::count(const Frontier& active, const Shards& lists, double most,
                                         Executor& executor) {
  const ListIndex& index = lists.index();
  blocks_.assign(lists.blocks());
  Wanted sum;
  std::atomic<bool> enough{false};
  const auto add = [&](VertexId v, Wanted& wanted) {
    if (v >= index.listed()) return;
    const ListAddress list = index.address(v);
    if (list.degree == 0) return;
    wanted.edges += list.degree;
    wanted.bytes += lists.bytes({v, v + 1});
    for (BlockId b = index.first_block(list); b <= index.last_block(list); ++b) {
      wanted.blocks += blocks_.set(b) ? 1 : 0;
    }
  };
  if (active.is_sparse()) {
    for (const VertexId v : active.list()) add(v, sum);
    return sum;
  }
  executor.parallel_for(
      0, active.id_space(), kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
        if (enough.load(std::memory_order_relaxed)) return;  // a hint
        Wanted here;
        active.bits().for_each(first, last,
                               [&](std::size_t v) { add(static_cast<VertexId>(v), here); });
        // Relaxed: sums, read by all when the workers are done; on the way they are a hint.
        const auto grow = [](std::uint64_t& total, std::uint64_t by) {
          return std::atomic_ref(total).fetch_add(by, std::memory_order_relaxed) + by;
        };
        const Wanted so_far{.bytes = grow(sum.bytes, here.bytes),
                            .edges = grow(sum.edges, here.edges),
                            .blocks = grow(sum.blocks, here.blocks)};
        if (selected_cost(so_far, 0, lists.block_bytes()) > most) {
          enough.store(true, std::memory_order_relaxed);
        }
      });
  return sum;
}

// Neighbouring blocks are merged up to the largest request.
std::uint64_t BenefitModel::requests() const {
  std::uint64_t requests = 0;
  std::size_t end = 0;    // behind the last block
  std::size_t first = 0;  // of its request
  blocks_.for_each(0, blocks_.size(), [&](std::size_t block) {
    if (requests == 0 || block != end || block - first == costs_.max_blocks) {
      ++requests;
      first = block;
    }
    end = block + 1;
  });
  return requests;
}

}  // namespace outcore
