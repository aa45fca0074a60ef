// SPDX-License-Identifier: Apache-2.0
// Queries on a store that stays on the disk (medium=ssd): rounds over the blocks of its runs, and
// over what only the log has, which is in memory.
//
// A round wants the same blocks of each run that `concurrent` wants of a layout: all of them if
// everybody is read, else those of the lists that are wanted. The requests of all runs are put in
// the order of the vertices that they are for, so runs are read side by side. A list comes in
// pieces, one for each run and block that it is in. Therefore a round takes its messages before it
// reads the first list. What was removed is left out of a piece as it is handed over
// (storage/evolving/stored_lists.h).
//
// Frames: as many as requests in flight need, and the others keep the blocks that come first, for
// all later rounds. Rounds that read everything come back to each block after all others, and there
// no choice keeps more of what the next round wants than one that stays.
//
// Visibility: `round`.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "common/numa.h"
#include "engines/lists/list_engine.h"
#include "engines/lists/requests.h"
#include "storage/evolving/stored_lists.h"

namespace outcore {

class EvolvingOnDisk final : public ListEngine {
 public:
  static constexpr EngineTraits kTraits = {.pull = true, .drive = true, .traces = false};

  EvolvingOnDisk(const evolving::StoredLists& stored, const EngineOptions& options);

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  // A list lies in several runs, and what is not in the file's index is not counted.
  std::optional<std::uint64_t> bytes_of(Program& /*program*/, const Frontier& /*frontier*/,
                                        Mode /*mode*/) override {
    return std::nullopt;
  }

 private:
  // One worker's scratch memory, and what it did since the last round.
  struct alignas(64) Worker {
    std::vector<VertexId> standing;  // ids of the block in hand that are copied
    std::uint64_t pieces = 0;
    std::uint64_t parts = 0;  // lists of runs
    struct Kept {
      std::uint32_t file;
      BlockRun run;
      const std::byte* data;
    };
    std::vector<Kept> kept;
  };

  [[nodiscard]] bool takes_beforehand(const Traits& traits, bool pull) const override;
  [[nodiscard]] BlockId blocks_of(const DirectedLists& lists) const override;
  void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) override;
  BlockSource& list_source(Direction /*direction*/, unsigned worker) override {
    return *frames_->sources()[worker];
  }
  [[nodiscard]] std::unique_ptr<TaskLists> task_lists(Direction direction,
                                                      unsigned worker) override;
  void tell_own(RoundReport& round) override;
  void add_own(EngineReport& report) const override;

  void hand_over_logged(const evolving::LoggedLists& logged, const Frontier& readers);
  void hand_over(unsigned worker, VertexId v, std::span<const VertexId> ids);
  std::uint64_t hand_over_run(unsigned worker, const Requests& requests, std::size_t run,
                              const evolving::StoredRun& of, const std::byte* data);
  void hand_over_block(unsigned worker, const evolving::StoredRun& of,
                       std::span<const VertexId> vertices, BlockId block, const std::byte* data);
  // Keeps the run's blocks for later rounds, if there is room.
  void keep(unsigned worker, std::uint32_t file, const BlockRun& run, const std::byte* data);
  void end_round();

  const evolving::StoredLists& stored_;
  std::unique_ptr<WorkerFrames> frames_;
  std::vector<BlockQueue> queues_;  // of each run
  std::vector<Worker> workers_;
  const ListIndex* degrees_ = nullptr;  // of the round
  KeptBlocks kept_;
  numa::Memory keeping_;
  std::size_t room_ = 0;              // of keeping_
  std::atomic<std::size_t> used_{0};  // relaxed: hands out disjoint parts
};

}  // namespace outcore
