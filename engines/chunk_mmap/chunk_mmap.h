// SPDX-License-Identifier: Apache-2.0
// The chunk-based engine, after ChunkGraph (ATC 2024): an in-memory system, Ligra, whose lists lie
// in a mapped file, classified by length and laid out in chunks. Lists are used where they lie.
//
// Rounds are Ligra's (edge_map.h): dense, pulling in-lists, when the frontier and its out-edges are
// more than 1/switch of all edges, else sparse, pushing out-lists. With `switch=bytes` the
// direction goes that has to bring less.
//
// What is in memory is decided by `residency`, which is `advised` where the backend maps and `own`
// where it does not, if it is left open (auto):
//   advised   the engine finds what a round wants, asks the kernel for it in batches, and has it
//             evicted, within --frames (the paper's M, section 3.2, divided over the levels)
//   kernel    nothing is managed: page faults, as the published code has it (Ligra-mmap, too)
//   own       as advised, in memory of the engine's own, read past the page cache (chunk_store.h)
//
// Dependent lists (drive) are used where they lie, too, in chunks of one block (chunk_source.h).
//
// Visibility: `round`. A list is read by one worker, so its message is taken with its first piece;
// where emit reads what accept writes, all messages are taken before the round's first list.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engines/chunk_mmap/chunk_source.h"
#include "engines/chunk_mmap/edge_map.h"
#include "engines/lists/list_engine.h"

namespace outcore {

class ChunkMmapEngine final : public ListEngine {
 public:
  using Reads = Layout;
  static constexpr EngineTraits kTraits = {.pull = true,
                                           .drive = true,
                                           .heads = Heads::layout,
                                           .frames_of_memory = true,
                                           .least_frames = std::uint64_t{8} << 20};

  ChunkMmapEngine(const Layout& layout, const EngineOptions& options);
  ~ChunkMmapEngine() override;
  static std::vector<Parameter> parameters();
  static PublishedForm published();
  static std::string usual_backend(const Parameters& settings);

  [[nodiscard]] EngineTraits traits() const override { return kTraits; }
  [[nodiscard]] NamedBytes memory_to_come(bool drives) const override;

 private:
  // One direction's lists.
  struct Side {
    explicit Side(ChunkTable chunks) : table(std::move(chunks)) {}
    const ChunkTable table;
    std::optional<Residency> residency;   // none: the kernel's
    std::optional<SuperVertices> supers;  // of residency advised
    Bitmap checked;                       // the kernel's: blocks whose sum was right
    std::vector<VertexId> order;          // idx -> vid; empty until it is wanted
    Bitmap wanted;                        // chunks that were looked for last
  };

  void read(Round& round, const Frontier& readers, std::span<Activations* const> outs) override;
  [[nodiscard]] bool pulls(Program& program, const Frontier& frontier, Direction direction,
                           Mode mode) override;
  BlockSource& list_source(Direction direction, unsigned worker) override;
  void tell_own(RoundReport& round) override;
  void add_own(EngineReport& report) const override;
  [[nodiscard]] IoCounters io() const override;

  void check_residency() const;
  void open_sides();
  void open_supers();
  void open_stores();
  void advise_files(MapAdvice advice);
  template <typename F>
  void for_runs(std::uint32_t file, BlockId first, BlockId end, const F& f) const;
  void set_limits();
  [[nodiscard]] std::uint64_t file_bytes() const;
  void open_residency(Side& lists, std::uint32_t file, std::uint64_t budget);
  void open_driven(Direction direction);
  void give_up(Side& lists, std::uint32_t file);
  [[nodiscard]] std::uint64_t budget_of(const ChunkTable& table) const;
  [[nodiscard]] std::vector<std::uint64_t> level_budgets(const ChunkTable& table,
                                                         std::uint64_t budget) const;
  Side& side(Direction direction) { return sides_[layout_.file(direction)]; }
  Walk walk_of(const Round& round, const Frontier& readers, Side& lists);
  void tell_what_stays(EngineReport& report) const;
  void tell_page_cache(EngineReport& report) const;
  [[nodiscard]] std::vector<std::size_t> shares(const DirectedLists& lists, const Walk& walk) const;
  void find_wanted(Side& lists, const ListIndex& index, const Frontier& readers);
  std::uint64_t absent_bytes(Side& lists, const ListIndex& index, const Frontier& readers);

  bool own_;  // residency, as it turned out; neither: advised
  bool kernel_;
  bool by_chunks_;
  bool evicts_known_;
  std::deque<Side> sides_;  // one for each file of the layout
  std::optional<ReservedFiles> reserved_;
  std::vector<std::unique_ptr<DoorView>> views_;
  std::vector<std::unique_ptr<ChunkStore>> stores_;  // one a worker
  BatchLimits limits_;
  std::uint64_t budget_ = 0;      // of chunks that stay
  std::uint64_t under_way_ = 0;   // bytes beside that, of all workers
  std::vector<Mapper> mappers_;   // one a worker
  std::vector<VertexId> listed_;  // a sparse frontier in the order of its lists
  // Of drive(): the lists of a direction in chunks of one block, and the workers' ways to them.
  // What it keeps and what rounds keep is not there at once.
  std::optional<Side> driven_;
  std::uint32_t driven_file_ = 0;
  std::vector<std::unique_ptr<ChunkSource>> sources_;
  bool drives_ = false;
  std::uint64_t dense_rounds_ = 0;
  KernelCounters process_;
  KernelCounters::Reading last_;  // at the end of the last round
};

}  // namespace outcore
