// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/stored_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/progress.h"
#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/run_cursor.h"
#include "storage/evolving/durable/sorted_stretch.h"
#include "storage/evolving/prefix_of_log.h"
#include "storage/layout/lengths_index.h"

namespace outcore::evolving {

namespace {

// Removals that newer updates ask for, of one list, by ascending neighbours.
class PendingRemovals {
 public:
  void clear() { pending_.clear(); }
  [[nodiscard]] bool empty() const { return pending_.empty(); }
  // Removals in an older part of the list.
  void add(std::span<const PairChange> removals) {
    if (removals.empty()) return;
    merged_.clear();
    auto older = removals.begin();
    for (const PairChange& change : pending_) {
      while (older != removals.end() && older->neighbour < change.neighbour) {
        merged_.push_back(*older++);
      }
      merged_.push_back(change);
      if (older != removals.end() && older->neighbour == change.neighbour) {
        merged_.back().removes += (older++)->removes;
      }
    }
    merged_.insert(merged_.end(), older, removals.end());
    pending_.swap(merged_);
  }
  // Calls gone(first, count) for those of the additions, which begin at slot `at`, that are taken
  // away.
  template <typename F>
  void take(std::span<const PairChange> additions, std::uint64_t at, F&& gone) {
    auto pending = pending_.begin();
    for (const PairChange& addition : additions) {
      while (pending != pending_.end() && pending->neighbour < addition.neighbour) ++pending;
      if (pending != pending_.end() && pending->neighbour == addition.neighbour) {
        const std::uint32_t taken = std::min(pending->removes, addition.adds);
        pending->removes -= taken;
        if (taken > 0) gone(at, taken);
      }
      at += addition.adds;
    }
    std::erase_if(pending_, [](const PairChange& change) { return change.removes == 0; });
  }
  [[nodiscard]] std::uint64_t left() const {
    std::uint64_t sum = 0;
    for (const PairChange& change : pending_) sum += change.removes;
    return sum;
  }

 private:
  std::vector<PairChange> pending_;
  std::vector<PairChange> merged_;
};

// A run on its way from its files into memory.
class RunInMemory {
 public:
  RunInMemory(Disk& disk, const Run& run, Direction direction)
      : cursor_(disk, run, direction),
        slots_of_block_(slots_of(run)),
        index_(run.is_oldest() ? IndexForm::lengths : IndexForm::sparse, slots_of(run)) {
    run_.id_bytes = run.plain_id_bytes();
    run_.is_coded = run.is_coded();
    has_plain_lists_ = run.is_coded() && !run.is_oldest();
    if (run.is_coded()) run_.format = format_of(run);
  }

  [[nodiscard]] VertexId vertex() const { return cursor_.vertex(); }
  // Takes the list in, leaves `pending` as it acts on older runs, and returns how much stands.
  std::uint64_t take(PendingRemovals& pending) {
    std::uint64_t standing = cursor_.degree();
    if (standing > 0) put_list();
    if (standing > 0 && !pending.empty()) {
      pending.take(cursor_.additions(), cursor_.position(),
                   [&](std::uint64_t first, std::uint32_t count) {
                     standing -= count;
                     for (std::uint64_t slot = first; slot < first + count; ++slot) set_gone(slot);
                   });
    }
    for (const PairChange& removal : cursor_.removals()) tombstones_ += removal.removes;
    pending.add(cursor_.removals());
    cursor_.next();
    return standing;
  }
  [[nodiscard]] std::uint64_t tombstones() const { return tombstones_; }

  StoredRun finish(std::uint32_t file, BlockId first, BlockId blocks) {
    const std::uint64_t slots = blocks * slots_of_block_;
    // Where it is not known where the last list ends, it is alone in the rest of its block.
    if (last_ != kNoVertex) end_list(end_ > begin_ ? end_ : slots);
    run_.index = index_.finish();
    run_.file = file;
    run_.first = first;
    run_.blocks = blocks;
    if (gone_.empty()) return std::move(run_);
    gone_.resize(Bitmap::words_for(slots));
    run_.gone = Bitmap(std::move(gone_), slots);
    return std::move(run_);
  }

 private:
  // The list at the cursor comes into the index when the next one begins.
  void put_list() {
    if (last_ != kNoVertex) end_list(cursor_.position());
    last_ = cursor_.vertex();
    begin_ = cursor_.position();
    end_ = begin_ + cursor_.slots();
    last_is_plain_ = !cursor_.list_is_coded();
  }
  void end_list(std::uint64_t next) {
    index_.add(last_, next - begin_);
    if (!has_plain_lists_) return;
    run_.listed.add(last_);
    run_.ends.push_back(
        static_cast<std::uint8_t>((last_is_plain_ ? StoredRun::kPlain : 0) | (next - end_)));
  }
  void set_gone(std::uint64_t slot) {
    if (gone_.size() <= slot / 64) gone_.resize(slot / 64 + 1);
    gone_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  RunCursor cursor_;
  std::uint64_t slots_of_block_;
  LengthsIndex index_;
  StoredRun run_;
  bool has_plain_lists_ = false;
  VertexId last_ = kNoVertex;  // with a list
  std::uint64_t begin_ = 0;    // of that list
  std::uint64_t end_ = 0;
  bool last_is_plain_ = false;
  std::uint64_t tombstones_ = 0;
  std::vector<std::uint64_t> gone_;
};

// One direction: its runs side by side, from the first vertex to the last.
class SideOpening {
 public:
  SideOpening(Disk& disk, std::span<const Run> runs, std::unique_ptr<ChangeSource> log,
              Direction direction)
      : log_(std::move(log)), degrees_(IndexForm::lengths) {
    for (const Run& run : runs) runs_.emplace_back(disk, run, direction);
    next_of_log();
  }

  void open() {
    for (VertexId v = first(); v != kNoVertex; v = first()) {
      pending_.clear();
      bool removes = false;
      std::uint64_t degree = log_vertex_ == v ? take_from_log(v) : 0;
      for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
        removes = removes || !pending_.empty();
        if (run->vertex() == v) degree += run->take(pending_);
      }
      if (removes || !pending_.empty()) ++resolved_;
      missed_ += pending_.left();
      if (degree > 0) degrees_.add(v, degree);
      edges_ += degree;
    }
  }

  // REQUIRES of all below: open() has returned.
  [[nodiscard]] std::uint64_t edges() const { return edges_; }
  [[nodiscard]] std::uint64_t missed() const { return missed_; }
  [[nodiscard]] std::uint64_t resolved() const { return resolved_; }
  [[nodiscard]] std::uint64_t tombstones() const {
    std::uint64_t sum = 0;
    for (const RunInMemory& run : runs_) sum += run.tombstones();
    return sum;
  }
  ListIndex degrees() { return degrees_.finish(); }
  // `files` has those of the runs, from the first one on.
  StoredLists::Side finish(std::span<const BlockFile> files, std::uint32_t first_file) {
    StoredLists::Side side;
    BlockId first = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const BlockId blocks = files[first_file + i].blocks();
      side.runs.push_back(
          runs_[i].finish(static_cast<std::uint32_t>(first_file + i), first, blocks));
      first += blocks;
    }
    side.logged = std::move(logged_);
    return side;
  }

 private:
  [[nodiscard]] VertexId first() const {
    VertexId v = log_vertex_;
    for (const RunInMemory& run : runs_) v = std::min(v, run.vertex());
    return v;
  }
  void next_of_log() {
    if (!log_->next(log_vertex_, log_changes_)) log_vertex_ = kNoVertex;
  }
  // Returns how many edges the log adds to v's list.
  std::uint64_t take_from_log(VertexId v) {
    const std::uint64_t before = logged_.neighbours.size();
    std::vector<PairChange> removals;
    for (const PairChange& change : log_changes_) {
      logged_.neighbours.insert(logged_.neighbours.end(), change.adds, change.neighbour);
      if (change.removes > 0) removals.push_back(change);
    }
    pending_.add(removals);
    const std::uint64_t added = logged_.neighbours.size() - before;
    if (added > 0) {
      logged_.vertices.push_back(v);
      logged_.starts.push_back(logged_.neighbours.size());
    }
    next_of_log();
    return added;
  }

  std::deque<RunInMemory> runs_;  // the oldest first
  std::unique_ptr<ChangeSource> log_;
  VertexId log_vertex_ = kNoVertex;
  std::vector<PairChange> log_changes_;
  PendingRemovals pending_;
  LengthsIndex degrees_;
  LoggedLists logged_;
  std::uint64_t edges_ = 0;
  std::uint64_t missed_ = 0;
  std::uint64_t resolved_ = 0;
};

BlockFile block_file(Disk& disk, const Run& run, Direction direction) {
  const std::string prefix = prefix_of(direction);
  DiskReader reader = open_file_of_run(disk, run, prefix + ".sums", files_of_run(disk, run));
  BlockFile file{.path = disk.path(file_of_run(run, prefix + ".blocks")),
                 .block_bytes = kRunBlockBytes};
  while (!reader.at_end()) file.sums.push_back(reader.get<std::uint32_t>());
  return file;
}

}  // namespace

StandingIds StoredRun::of_coded_run(VertexId v, const ListAddress& list, const BlockPart& part,
                                    const std::byte* block, VertexId* room) const {
  const std::uint8_t end = ends.empty() ? 0 : ends[listed.rank(v)];
  if ((end & kPlain) == 0) {
    const DecodedPiece piece = format.read(part, block, {room, nullptr});
    const std::uint64_t slot = list.position + piece.first;
    const std::span<const VertexId> ids(piece.ids, piece.count);
    return {any_gone(slot, ids.size()) ? without_gone(ids, slot, room) : ids, piece.bytes};
  }
  // Ids that blocks before this one have of the list; none is cut by a block's end.
  const std::uint64_t of_block = index.slots_per_block() / id_bytes;
  const std::uint64_t in_first =
      (index.slots_per_block() - list.position % index.slots_per_block()) / id_bytes;
  const std::uint64_t blocks_before = part.block - index.first_block(list);
  const std::uint64_t before = blocks_before == 0 ? 0 : in_first + (blocks_before - 1) * of_block;
  const bool is_last = part.block == index.last_block(list);
  const std::uint32_t ids = (part.slots - (is_last ? end & ~kPlain : 0)) / id_bytes;
  const std::span<const VertexId> standing = with_id_bytes(id_bytes, [&]<unsigned kBytes>() {
    return widened<kBytes>(block + part.slot, ids, list.position + before, room);
  });
  return {standing, ids * id_bytes};
}

BlockId StoredLists::blocks(Direction direction) const {
  const std::vector<StoredRun>& runs = side(direction).runs;
  return runs.empty() ? 0 : runs.back().first + runs.back().blocks;
}

std::uint64_t StoredLists::memory_bytes() const {
  std::uint64_t bytes = lists_.index_bytes();
  for (const Side& side : sides_) {
    bytes += side.logged.memory_bytes();
    for (const StoredRun& run : side.runs) {
      bytes += run.index.memory_bytes() + run.gone.words().size_bytes() +
               run.listed.memory_bytes() + run.ends.size();
    }
  }
  return bytes;
}

StoredLists open_stored_lists(const std::filesystem::path& folder,
                              std::optional<std::uint64_t> prefix) {
  RealDisk disk(folder);
  std::vector<LogEdge> log;
  const DurableStore durable(disk, {}, [&](std::span<const Update> updates) {
    for (const Update& update : updates) log.push_back(as_logged(update));
  });
  log.resize(prefix_of_log(durable, folder, prefix));
  const std::vector<Run> runs = durable.runs();
  const Stretch stretch{log, {}};
  SideOpening out(disk, runs, sorted_now(stretch, Direction::out), Direction::out);
  SideOpening in(disk, runs, sorted_now(stretch, Direction::in), Direction::in);
  std::vector<BlockFile> files;
  for (const Direction direction : {Direction::out, Direction::in}) {
    for (const Run& run : runs) files.push_back(block_file(disk, run, direction));
  }
  // Engines want a file at least. Of one without blocks they read nothing.
  if (files.empty()) files.emplace_back().path = disk.path(StoreManifest::kName);
  std::future<void> other = std::async(std::launch::async, [&] { in.open(); });
  out.open();
  other.get();
  CommonFacts facts;
  facts.vertices = std::max(durable.vertices(), vertices_of(stretch));
  facts.id_space = facts.vertices;
  facts.edges = out.edges();
  facts.block_bytes = kRunBlockBytes;
  facts.raw_bytes = facts.edges * sizeof(VertexId);
  const StoredLists::Counts counts{.prefix = durable.flushed() + log.size(),
                                   .tombstones = out.tombstones(),
                                   .removals_missed = durable.removals_missed() + out.missed(),
                                   .resolved_lists = out.resolved() + in.resolved(),
                                   .logged = log.size()};
  const auto first_in = static_cast<std::uint32_t>(runs.size());
  std::array<StoredLists::Side, 2> sides = {out.finish(files, 0), in.finish(files, first_in)};
  return {Layout(folder, facts, out.degrees(), in.degrees(), std::move(files)), std::move(sides),
          counts};
}

}  // namespace outcore::evolving
