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

// The requests for blocks that are added ascending, merged as merge_blocks() does.
class MergedRequests {
 public:
  explicit MergedRequests(const MergeLimits& limits) : limits_(limits) {}
  void add(BlockId block) {
    const bool joins =
        requests_ > 0 && block - end_ <= limits_.max_hole && block - first_ < limits_.max_blocks;
    if (!joins) {
      ++requests_;
      first_ = end_ = block;
    }
    blocks_ += block + 1 - end_;
    end_ = block + 1;
  }
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }  // with those of holes
  [[nodiscard]] BlockId end() const { return end_; }              // behind the last block

 private:
  MergeLimits limits_;
  std::uint64_t requests_ = 0;
  std::uint64_t blocks_ = 0;
  BlockId first_ = 0;  // of the last request
  BlockId end_ = 0;
};

// Seconds that so many requests keep the device busy.
double cost(const RequestCost& request, std::uint64_t requests, std::uint64_t bytes) {
  const double kb = static_cast<double>(bytes) / 1024;
  return (static_cast<double>(requests) * request.us + kb * request.us_per_kb) / kMega;
}

bool is_kept(const KeptBlocks& kept, const Shards& lists, BlockId block) {
  return !kept.empty() && kept.find(lists.file(), block).data != nullptr;
}

}  // namespace

DeviceRates guessed_rates() {
  const double us_of_block = kMeasuredCost.us + 4 * kMeasuredCost.us_per_kb;
  const double mb_per_s = 1024 / kMeasuredCost.us_per_kb;
  return {.source = "a guess",
          .random_mb_per_s = 4096 / us_of_block,
          .sequential_mb_per_s = mb_per_s,
          .write_mb_per_s = mb_per_s,
          .request = kMeasuredCost,
          .in_order = kMeasuredCost};
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
  const std::uint64_t kept = std::min(full.bytes, full.kept.bytes());
  const std::uint64_t read = full.bytes - kept;
  const double share = static_cast<double>(read) / static_cast<double>(std::max(full.bytes, 1UL));
  const auto left = [&](std::uint64_t all) {
    return static_cast<std::uint64_t>(share * static_cast<double>(all));
  };
  const double requests = cost(costs_.rates.in_order, left(full.requests), read) +
                          cost(costs_.rates.request, left(full.intervals), 0);
  const double lists = std::max(static_cast<double>(read) / sequential, requests);
  return std::max(lists + values_cost(full.value_bytes, 1), processors / costs_.processors);
}

double BenefitModel::selected_cost(const Wanted& wanted, std::uint64_t requests,
                                   std::uint64_t block_bytes) const {
  const auto bytes = static_cast<double>(wanted.bytes);
  if (costs_.kind == Kind::paper) {
    return bytes / (costs_.rates.random_mb_per_s * kMega);
  }
  const double device = cost(costs_.rates.request, requests, wanted.blocks * block_bytes);
  const double processors =
      static_cast<double>(wanted.edges) * edge_processor_s_.value_or(kToldSeconds);
  return device + processors / costs_.processors;
}

Estimate BenefitModel::estimate(const Full& full, const Frontier& active, const Shards& lists,
                                Executor& executor) {
  Estimate estimate{.full = full_cost(full)};
  const double values = values_cost(full.value_bytes, 2);
  Wanted wanted = count(active, lists, full.kept, estimate.full - values, executor);
  MergedRequests merged(costs_.merging);
  blocks_.for_each(0, blocks_.size(), [&](std::size_t block) { merged.add(block); });
  wanted.blocks = merged.blocks();
  estimate.selected = selected_cost(wanted, merged.requests(), lists.block_bytes()) + values;
  return estimate;
}

BenefitModel::Wanted BenefitModel::count(const Frontier& active, const Shards& lists,
                                         const KeptBlocks& kept, double most, Executor& executor) {
  const ListIndex& index = lists.index();
  blocks_.assign(lists.blocks());
  Wanted sum;
  std::atomic<bool> enough{false};
  // `last`: the block that was looked at last, which most neighbours in id lie in too.
  const auto add = [&](VertexId v, BlockId& last, Wanted& wanted) {
    if (v >= index.listed()) return;
    const ListAddress list = index.address(v);
    if (list.degree == 0) return;
    wanted.edges += list.degree;
    if (costs_.kind == Kind::paper) wanted.bytes += lists.bytes({v, v + 1});
    for (BlockId b = index.first_block(list); b <= index.last_block(list); ++b) {
      if (b == last) continue;
      last = b;
      if (!is_kept(kept, lists, b)) wanted.blocks += blocks_.set(b) ? 1 : 0;
    }
  };
  constexpr BlockId kNoBlock = ~BlockId{0};
  if (active.is_sparse()) {
    BlockId last = kNoBlock;
    for (const VertexId v : active.list()) add(v, last, sum);
    return sum;
  }
  executor.parallel_for(
      0, active.id_space(), kVertexRange, [&](unsigned, std::size_t first, std::size_t last) {
        if (enough.load(std::memory_order_relaxed)) return;  // a hint
        Wanted here;
        BlockId block = kNoBlock;
        active.bits().for_each(first, last,
                               [&](std::size_t v) { add(static_cast<VertexId>(v), block, here); });
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

bool BenefitModel::selects(VertexRange interval, const Bitmap& readers, const Shards& lists,
                           const KeptBlocks& kept) const {
  constexpr VertexId kBetweenLooks = 4096;  // vertices
  const Shard shard = lists.shard(interval);
  std::uint64_t streamed = 0;
  for (BlockId b = shard.first; b < shard.end; ++b) streamed += is_kept(kept, lists, b) ? 0 : 1;
  const double all = static_cast<double>(streamed * lists.block_bytes()) /
                     (costs_.rates.sequential_mb_per_s * kMega);
  // Lists lie by id, so that their blocks come ascending.
  const ListIndex& index = lists.index();
  MergedRequests wanted(costs_.merging);
  const VertexId end = std::min(interval.end, index.listed());
  for (VertexId v = interval.begin; v < end; v += std::min(kBetweenLooks, end - v)) {
    readers.for_each(
        v, std::min<std::size_t>(std::size_t{v} + kBetweenLooks, end), [&](std::size_t reader) {
          const ListAddress list = index.address(static_cast<VertexId>(reader));
          if (list.degree == 0) return;
          const BlockId last = index.last_block(list);
          for (BlockId b = std::max(wanted.end(), index.first_block(list)); b <= last; ++b) {
            if (!is_kept(kept, lists, b)) wanted.add(b);
          }
        });
    const std::uint64_t bytes = wanted.blocks() * lists.block_bytes();
    if (cost(costs_.rates.request, wanted.requests(), bytes) >= all) return false;
  }
  return true;
}

}  // namespace outcore
