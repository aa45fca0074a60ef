// SPDX-License-Identifier: Apache-2.0
// The synchronous subgraph engine, after LOSC (JPDC 2023): the vertices are cut into intervals, and
// a round goes through them one after the other. Each is loaded, constructed, updated and
// synchronised (subgraph.h), while the next one is being loaded.
//
// Full rounds pull: all in-shards are read in order, and each vertex hears its in-neighbours. Where
// few vertices are active, a *selected* round reads the blocks of their out-lists and pushes, with
// atomics (lists/process_queue_block.h). Which one it is says the benefit model (section 3.6), or
// the parameter `schedule`.
//
// Visibility of converge() is `interval`, as in the paper, for programs to which a neighbour's
// newest message is enough and that do not settle; else, with `visibility=round`, and of round(),
// it is `round`.
//
// Lists must lie one behind the other by id (pack csr, place id), and none in the index.
#pragma once

#include <memory>
#include <optional>

#include "engines/lists/block_queue.h"
#include "engines/lists/list_engine.h"
#include "engines/sync_subgraph/benefit_model.h"
#include "engines/sync_subgraph/subgraph.h"
#include "storage/cache/frame_pool.h"

namespace outcore {

class SyncSubgraphEngine final : public ListEngine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {.converge = Visibility::interval,
                                           .pull = true,
                                           .heads = Heads::layout,
                                           .frames_of_memory = true,
                                           .pack = "csr"};
  static constexpr std::uint32_t kMaxRequest = 1 << 20;

  SyncSubgraphEngine(const Layout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();
  static PublishedForm published();

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  // Not told: a full round reads whole shards, however few vertices listen.
  std::optional<std::uint64_t> bytes_of(Program& /*program*/, const Frontier& /*frontier*/,
                                        Mode /*mode*/) override {
    return std::nullopt;
  }
  void converge(Program& program, Frontier&& frontier) override;

 private:
  enum class Schedule : std::uint8_t { automatic, full, selected };

  void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) override;
  bool pulls(Program& program, const Frontier& frontier, Direction direction, Mode mode) override;
  // Selected rounds want the blocks of active lists and no others.
  [[nodiscard]] bool all_may_speak() const override { return schedule_ != Schedule::selected; }
  void tell_own(RoundReport& round) override;
  BlockSource& list_source(Direction /*direction*/, unsigned worker) override {
    return *sources_[worker];
  }
  void add_own(EngineReport& report) const override;

  [[nodiscard]] Intervals cut() const;
  [[nodiscard]] std::uint64_t selected_in_flight() const;
  void open_selected_rounds();
  void open_full_rounds();
  [[nodiscard]] std::uint64_t most_kept(std::uint64_t part_bytes) const;
  void read_full(Round& round, const Frontier& readers, std::span<Activations* const> outs);
  void read_selected(Round& round, const Frontier& readers);
  // Of a full round, by interval: whether the lists of readers alone are to be read, not the shard.
  [[nodiscard]] std::vector<std::uint8_t> intervals_by_list(const Round& round,
                                                            const Frontier& readers);
  void read_by_list(Round& round, const Frontier& readers, std::span<const std::uint8_t> by_list,
                    std::span<Activations* const> outs);
  [[nodiscard]] BenefitModel::Full full_costs(Direction direction) const;
  [[nodiscard]] std::uint64_t active_intervals(const Frontier& active) const;

  std::vector<Shards> directions_;  // by file
  Intervals intervals_;
  std::optional<FullRounds> full_;
  std::optional<FramePool> frames_;                    // of selected rounds
  std::vector<std::unique_ptr<BlockSource>> sources_;  // one a worker
  BlockQueue queue_;
  Schedule schedule_;
  BenefitModel::Kind benefit_kind_;
  std::optional<BenefitModel> benefit_;
  bool by_interval_;  // where programs allow it
  bool converging_by_interval_ = false;
  double evaluate_seconds_ = 0;
  std::uint64_t selected_rounds_ = 0;
  std::uint64_t selected_intervals_ = 0;  // of full rounds
  // Of the round under way.
  std::optional<Estimate> estimate_;
  std::uint64_t intervals_read_ = 0;
  std::uint64_t intervals_by_list_ = 0;  // of a full one
  double processor_seconds_ = 0;
};

}  // namespace outcore
