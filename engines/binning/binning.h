// SPDX-License-Identifier: Apache-2.0
// The binning engine, after Blaze (SC 2022): a round turns the frontier of vertices into a frontier
// of pages, reads each of them once, in order, and scatters the messages of its active vertices
// into bins by ranges of targets. A full bin is gathered by one worker alone, without atomics,
// while other pages are still being scattered (online binning).
//
// Because gathering starts before scattering ends, messages that gathering may change are taken
// before the first page: visibility `round`. Push only.
//
// `apply=atomic` is Blaze without binning: the same pages, told to the vertices at once.
#pragma once

#include <memory>
#include <optional>

#include "engines/binning/bins.h"
#include "engines/binning/scatter.h"
#include "engines/binning/spill.h"
#include "engines/lists/block_queue.h"
#include "engines/lists/list_engine.h"
#include "storage/cache/frame_pool.h"

namespace outcore {

class BinningEngine final : public ListEngine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {.heads = Heads::layout};
  // Twice what fills the device: a worker that scatters asks for nothing meanwhile.
  static constexpr unsigned kDepth = 128;

  BinningEngine(const Layout& layout, const EngineOptions& options);
  static std::vector<Parameter> parameters();
  static PublishedForm published();

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  [[nodiscard]] NamedBytes memory_to_come(bool drives) const override;

 private:
  void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) override;
  bool pulls(Program& program, const Frontier& frontier, Direction direction, Mode mode) override;
  // It does not pull: to let all speak saves it something only where targets are kept.
  [[nodiscard]] bool all_may_speak() const override { return kept_.has_value(); }
  void tell_own(RoundReport& round) override;
  BlockSource& list_source(Direction /*direction*/, unsigned worker) override {
    return *sources_[worker];
  }
  void add_own(EngineReport& report) const override;
  [[nodiscard]] IoCounters io() const override;

  void fix_roles();
  void open_bins();
  void open_spill();
  void open_frames();
  void note_idle_knobs();
  void count(const Scatter& scatter, std::size_t message_bytes);

  std::optional<BinSpace> space_;  // none where messages are told at once
  std::optional<KeptIds> kept_;    // none where targets are not kept
  std::vector<WorkerBins> bins_;   // one a worker, and as many again without targets
  std::unique_ptr<Spill> spill_;   // null where full bins are gathered at once
  std::vector<std::unique_ptr<SpillPort>> spill_ports_;  // one a worker
  // Fixed roles: so many workers scatter; and the workers with the thread that reads beside them.
  unsigned scatterers_ = 0;
  std::unique_ptr<Executor> with_reader_;
  std::optional<FramePool> frames_;
  std::vector<std::unique_ptr<BlockSource>> sources_;  // one a worker; fixed roles: one
  BlockQueue queue_;

  std::uint64_t pages_wanted_ = 0;
  std::uint64_t record_bytes_ = 0;
  std::uint64_t short_ = 0;
  std::uint64_t fullest_bin_ = 0;
  Gatherer::Counts gathered_;
  double scatter_seconds_ = 0;
  double waiting_seconds_ = 0;
  // Of the round under way.
  std::uint64_t round_pages_ = 0;
  std::uint64_t round_records_ = 0;
  std::uint64_t touched_before_ = 0;
  std::uint64_t spill_read_before_ = 0;
};

}  // namespace outcore
