// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/chunk_mmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/error.h"
#include "common/sizes.h"
#include "engines/chunk_mmap/level_counts.h"

namespace outcore {

namespace {

constexpr std::uint64_t kLigrasShare = 20;
// Of what is wanted: so much may come that is not, where nobody says otherwise. Without a bound a
// 10-core of Kronecker 23 read 1.17 of what `concurrent` did.
constexpr double kMostHoles = 1.0 / 16;

// Where v's list lies; behind all others if it stands in the index.
std::uint64_t place(const ListIndex& index, VertexId v) {
  return index.is_inline(index.degree(v)) ? ~std::uint64_t{0} : index.address(v).position;
}

std::uint64_t part_of(std::uint64_t budget, std::uint64_t part, std::uint64_t all) {
  const double share =
      static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(all, 1));
  return static_cast<std::uint64_t>(share * static_cast<double>(budget));
}

}  // namespace

std::vector<Parameter> ChunkMmapEngine::parameters() {
  using Kind = Parameter::Kind;
  return ListEngine::parameters(
      {{.name = "residency",
        .fallback = "auto",
        .help = "who decides what is in memory: advised, the engine by advice to the kernel; the "
                "kernel; own, the engine, in memory of its own; auto: advised, or own where the "
                "backend maps nothing",
        .choices = {"auto", "advised", "kernel", "own"}},
       {.name = "advice",
        .fallback = "normal",
        .help = "residency=kernel: what the kernel is told of page faults",
        .choices = {"normal", "random", "sequential"}},
       {"batch", "8", "MB that are asked for while as much is used; at most a quarter of --frames",
        Kind::whole, 1, 1024},
       {"window", "40",
        "a window of 2 MB of which so many percent are wanted and absent comes whole; above 100: "
        "never",
        Kind::whole, 1, 101},
       {.name = "evict",
        .fallback = "prefix",
        .help = "which chunks leave where --frames are full (chunk_buffer.h)",
        .choices = eviction_names()},
       {.name = "share",
        .fallback = "size",
        .help = "how --frames are divided: over the levels of chunks by their bytes, or not at all",
        .choices = {"size", "one"}},
       {.name = "access",
        .fallback = "chunks",
        .help = "the order of a round's lists: that of the chunks (section 3.3) or of ids",
        .choices = {"chunks", "id"}},
       {.name = "switch",
        .fallback = std::to_string(kLigrasShare),
        .help = "dense rounds are those whose frontier and out-edges are more than this share of "
                "the edges, 1/N; bytes: those that have less to bring",
        .kind = Kind::whole,
        .least = 1,
        .most = std::numeric_limits<std::uint32_t>::max(),
        .choices = {"bytes"}},
       {.name = "check",
        .fallback = "resident",
        .help = "residency=kernel: blocks are checked against their sums when they are first used",
        .choices = {"resident", "off"}}});
}

// The program leaves all residency to the kernel's page faults.
PublishedForm ChunkMmapEngine::published() {
  return {.settings = {"residency=kernel", "combine=off"}};
}

std::string ChunkMmapEngine::usual_backend(const Parameters& settings) {
  return settings.text("residency") == "own" ? "uring" : "mmap";
}

ChunkMmapEngine::ChunkMmapEngine(const Layout& layout, const EngineOptions& options)
    : ListEngine(layout, options, parameters()),
      own_(!door_.backend().traits().maps),
      kernel_(settings_.text("residency") == "kernel"),
      by_chunks_(settings_.text("access") == "chunks"),
      evicts_known_(settings_.text("evict") == "known") {
  check_residency();
  set_limits();
  open_sides();
  open_stores();
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    mappers_.emplace_back(worker, hands()[worker], *stores_[worker], limits_,
                          HoleBudget(options_.most_holes.value_or(kMostHoles)));
  }
}

ChunkMmapEngine::~ChunkMmapEngine() = default;

void ChunkMmapEngine::check_residency() const {
  const std::string& asked = settings_.text("residency");
  const bool mapped = asked == "advised" || asked == "kernel";
  if (mapped && options_.device != nullptr) {
    throw usage_error(
        "a modelled device cannot delay page faults: use residency=own, by --backend uring");
  }
  if (asked == "own" && !own_) {
    throw usage_error(
        "residency=own reads into memory of its own, and backend mmap copies out of the page "
        "cache: leave --backend out, or give one that reads, such as uring or threads");
  }
  if (mapped && own_) {
    throw usage_error(fmt::format(
        "residency={} uses blocks where they are mapped, and backend {} maps none: leave --backend "
        "out, or use residency=own",
        asked, door_.backend().name()));
  }
}

std::uint64_t ChunkMmapEngine::file_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockFile& file : layout_.block_files()) bytes += file.blocks() * file.block_bytes;
  return bytes;
}

NamedBytes ChunkMmapEngine::memory_to_come(bool /*drives*/) const {
  if (kernel_) return {};
  return {{"chunks", std::min(options_.frames_bytes, file_bytes())}};
}

// Unless all stays, two batches of the frames are for what is under way and the others for what
// stays. Frames too small for that hold one batch, of a block for each worker.
void ChunkMmapEngine::set_limits() {
  const std::uint64_t block = layout_.facts().block_bytes;
  if (kernel_) {
    limits_.bytes = std::numeric_limits<std::uint64_t>::max();
    limits_.ahead = false;
    under_way_ = limits_.bytes;
  } else if (options_.frames_bytes >= 4 * block * options_.threads) {
    const std::uint64_t batch = std::min(settings_.whole("batch") << 20, options_.frames_bytes / 4);
    limits_.bytes = batch / options_.threads;
    const bool all_fits = file_bytes() <= options_.frames_bytes;
    budget_ = all_fits ? options_.frames_bytes : options_.frames_bytes - 2 * batch;
    under_way_ = all_fits ? options_.frames_bytes : 2 * batch;
  } else {
    limits_.bytes = block;
    under_way_ = block * options_.threads;
    limits_.ahead = false;
  }
  limits_.window_share = static_cast<double>(settings_.whole("window")) / 100;
  // A window must fit a worker's share of a batch.
  if (!own_ && !kernel_ && limits_.bytes >= kWindowBytes && limits_.window_share <= 1) {
    limits_.window_blocks = static_cast<std::uint32_t>(kWindowBytes / block);
  }
}

void ChunkMmapEngine::open_sides() {
  const std::uint64_t largest = kernel_ ? limits_.bytes : std::max(limits_.bytes, budget_ / 8);
  sides_.emplace_back(ChunkTable(layout_, Direction::out, largest));
  if (layout_.block_files().size() > 1) {
    sides_.emplace_back(ChunkTable(layout_, Direction::in, largest));
  }
  if (!own_ && !kernel_) open_supers();
  for (std::uint32_t file = 0; file < sides_.size(); ++file) {
    open_residency(sides_[file], file, budget_of(sides_[file].table));
  }
}

void ChunkMmapEngine::open_residency(Side& lists, std::uint32_t file, std::uint64_t budget) {
  if (!kernel_) {
    lists.residency.emplace(lists.table, eviction_named(settings_.text("evict")),
                            level_budgets(lists.table, budget));
  } else if (settings_.text("check") == "resident") {
    lists.checked.assign(layout_.block_files()[file].blocks());
  }
}

// They may take half of what the budget has for lists that stay.
void ChunkMmapEngine::open_supers() {
  const std::uint64_t most = budget_ / 2 / sides_.size();
  for (std::size_t file = 0; file < sides_.size(); ++file) {
    const bool out = file == layout_.file(Direction::out);
    std::optional<SuperVertices>& supers = sides_[file].supers;
    supers.emplace(layout_, out ? Direction::out : Direction::in, most, options_);
    budget_ -= supers->bytes();
  }
}

std::uint64_t ChunkMmapEngine::budget_of(const ChunkTable& table) const {
  if (settings_.text("share") == "one") return budget_ / sides_.size();
  return part_of(budget_, table.end_block() * table.block_bytes(), file_bytes());
}

// Section 3.2: in proportion to what the levels hold; or all levels of a direction together.
std::vector<std::uint64_t> ChunkMmapEngine::level_budgets(const ChunkTable& table,
                                                          std::uint64_t budget) const {
  if (settings_.text("share") == "one") return {budget};
  std::vector<std::uint64_t> budgets;
  for (const ChunkTable::Level& level : table.levels()) {
    budgets.push_back(part_of(budget, level.blocks(), table.end_block()));
  }
  return budgets;
}

void ChunkMmapEngine::open_stores() {
  const std::size_t files = layout_.block_files().size();
  if (own_) reserved_.emplace(door_, files);
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    if (own_) {
      stores_.push_back(own_store(door_, *reserved_, options_.max_request_bytes));
      continue;
    }
    views_.push_back(std::make_unique<DoorView>(door_));
    stores_.push_back(mapped_store(*views_.back(), files));
  }
  if (kernel_) advise_files(advice_named(settings_.text("advice")));
}

void ChunkMmapEngine::advise_files(MapAdvice advice) {
  for (std::uint32_t file = 0; file < layout_.block_files().size(); ++file) {
    for_runs(file, 0, door_.file(file).blocks(),
             [&](const DoorRun& run) { views_.front()->advise(run, advice); });
  }
}

// In parts, for a run of blocks is of less than 4 GB.
template <typename F>
void ChunkMmapEngine::for_runs(std::uint32_t file, BlockId first, BlockId end, const F& f) const {
  const std::uint64_t most = (std::uint64_t{1} << 30) / layout_.facts().block_bytes;
  for (; first < end; first += most) {
    f(DoorRun{file, first, static_cast<std::uint32_t>(std::min(most, end - first))});
  }
}

bool ChunkMmapEngine::pulls(Program& program, const Frontier& frontier, Direction direction,
                            Mode mode) {
  const Traits traits = program.traits();
  if (!traits.combines || mode == Mode::push) return false;
  if (mode == Mode::pull || frontier.size() == graph().vertices) return true;
  const ListIndex& index = layout_.index(direction);
  if (settings_.text("switch") != "bytes") {
    const std::uint64_t share = settings_.whole("switch");
    const std::uint64_t most = graph().edges / share;
    return frontier.size() > most || frontier.size() + edges_of(frontier, index) > most;
  }
  const Direction reverse = direction == Direction::out ? Direction::in : Direction::out;
  const std::uint64_t pushed = absent_bytes(side(direction), index, frontier);
  return absent_bytes(side(reverse), layout_.index(reverse),
                      Frontier::from_bits(listeners(program))) < pushed;
}

// The chunks that the lists of `readers` lie in, into lists.wanted.
void ChunkMmapEngine::find_wanted(Side& lists, const ListIndex& index, const Frontier& readers) {
  lists.wanted.assign(lists.table.size());
  const auto look_at = [&](VertexId v) {
    if (index.is_inline(index.degree(v))) return;
    const ListAddress list = index.address(v);
    const ChunkId last = lists.table.at(index.last_block(list));
    for (ChunkId chunk = lists.table.at(index.first_block(list)); chunk <= last; ++chunk) {
      lists.wanted.set(chunk);
    }
  };
  if (readers.is_sparse()) {
    for (const VertexId v : readers.list()) look_at(v);
    return;
  }
  for_each_range([&](VertexRange range) {
    readers.bits().for_each(range.begin, range.end,
                            [&](std::size_t v) { look_at(static_cast<VertexId>(v)); });
  });
}

// What would have to be brought for them.
std::uint64_t ChunkMmapEngine::absent_bytes(Side& lists, const ListIndex& index,
                                            const Frontier& readers) {
  find_wanted(lists, index, readers);
  std::uint64_t bytes = 0;
  lists.wanted.for_each(0, lists.table.size(), [&](std::size_t i) {
    const auto chunk = static_cast<ChunkId>(i);
    if (!lists.residency || !lists.residency->is_there(chunk)) bytes += lists.table.bytes(chunk);
  });
  return bytes;
}

// A small frontier by its list; any other by bits, in the order of the table idx -> vid where the
// layout has one.
Walk ChunkMmapEngine::walk_of(const Round& round, const Frontier& readers, Side& lists) {
  const ListIndex& index = round.lists.index;
  if (readers.is_sparse()) {
    listed_.assign(readers.list().begin(), readers.list().end());
    if (by_chunks_) {
      std::sort(listed_.begin(), listed_.end(),
                [&](VertexId u, VertexId v) { return place(index, u) < place(index, v); });
    } else {
      std::sort(listed_.begin(), listed_.end());
    }
    return {.table = listed_, .by_place = by_chunks_};
  }
  // Ids behind the listed ones have no edges: in a dense round there is nothing to do for them.
  const VertexId end = round.dense ? index.listed() : readers.id_space();
  const bool everything = readers.size() == readers.id_space();
  const Bitmap* wanted = everything ? nullptr : &readers.bits();
  if (!by_chunks_ || layout_.choices().pack != "chunks") {
    return {.table = {}, .ids = end, .wanted = wanted};
  }
  if (lists.order.empty()) lists.order = layout_.read_order(round.lists.direction);
  return {.table = lists.order, .wanted = wanted, .by_place = true};
}

// Of equal length; of equal bytes where the walk goes through the file from front to back.
std::vector<std::size_t> ChunkMmapEngine::shares(const DirectedLists& lists,
                                                 const Walk& walk) const {
  const unsigned workers = executor_.size();
  std::vector<std::size_t> bounds;
  for (unsigned worker = 0; worker <= workers; ++worker) {
    if (!walk.by_place || worker == workers) {
      bounds.push_back(walk.size() * worker / workers);
      continue;
    }
    const std::uint64_t from = lists.blocks() * worker / workers * lists.index.slots_per_block();
    const auto at = std::partition_point(walk.table.begin(), walk.table.end(),
                                         [&](VertexId v) { return place(lists.index, v) < from; });
    bounds.push_back(static_cast<std::size_t>(at - walk.table.begin()));
  }
  return bounds;
}

void ChunkMmapEngine::read(Round& round, const Frontier& readers,
                           std::span<Activations* const> /*outs*/) {
  Side& lists = side(round.lists.direction);
  if (std::exchange(drives_, false)) give_up(*driven_, driven_file_);
  if (lists.residency && evicts_known_) {
    find_wanted(lists, round.lists.index, readers);
    lists.residency->begin_round(lists.wanted);
  }
  const Walk walk = walk_of(round, readers, lists);
  Stretches stretches(shares(round.lists, walk));
  const EdgeMap map = {.round = round,
                       .table = lists.table,
                       .walk = walk,
                       .stretches = stretches,
                       .residency = lists.residency ? &*lists.residency : nullptr,
                       .supers = lists.supers ? &*lists.supers : nullptr,
                       .checked = lists.checked.size() > 0 ? &lists.checked : nullptr,
                       .dense = round.pull || !readers.is_sparse(),
                       .stopping = [this] { return executor_.stopping(); }};
  if (round.pull) ++dense_rounds_;
  if (walk.size() <= Stretches::kStretch) {
    mappers_.front().work(map);  // waking the others would cost more than it brings
  } else {
    executor_.run([&](unsigned worker) { mappers_[worker].work(map); });
  }
}

BlockSource& ChunkMmapEngine::list_source(Direction direction, unsigned worker) {
  const std::uint32_t file = layout_.file(direction);
  if (driven_ && file != driven_file_) {
    give_up(*driven_, driven_file_);
    sources_.clear();
    driven_.reset();
  }
  if (!driven_) open_driven(direction);
  if (!std::exchange(drives_, true)) {
    for (std::uint32_t side = 0; side < sides_.size(); ++side) give_up(sides_[side], side);
  }
  return *sources_[worker];
}

// What is under way keeps to its part of the frames: first by smaller requests, then by fewer.
void ChunkMmapEngine::open_driven(Direction direction) {
  const std::uint32_t file = layout_.file(direction);
  driven_file_ = file;
  driven_.emplace(ChunkTable(layout_, direction, /*largest=*/0));
  Side& lists = *driven_;
  open_residency(lists, file, budget_);
  const std::uint64_t blocks = under_way_ / layout_.facts().block_bytes;
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(blocks / options_.depth, 1, request_blocks()));
  for (unsigned worker = 0; worker < executor_.size(); ++worker) {
    const std::size_t depth =
        std::clamp<std::size_t>(blocks / executor_.size(), 1, depth_of(worker));
    sources_.push_back(std::make_unique<ChunkSource>(
        door_, *stores_[worker],
        ChunkSource::Lists{.table = lists.table,
                           .file = file,
                           .residency = lists.residency ? &*lists.residency : nullptr,
                           .checked = lists.checked.size() > 0 ? &lists.checked : nullptr,
                           .encoded = layout_.pieces().encoded()},
        depth, most, [this] { return executor_.stopping(); }));
  }
  if (blocks < options_.depth) {
    report_.notes.push_back(fmt::format(
        "frames have room for {} blocks that are under way: no more lists are asked for at once, "
        "where --depth says {}",
        blocks, options_.depth));
  }
}

// Nothing that the lists' residency kept stays.
void ChunkMmapEngine::give_up(Side& lists, std::uint32_t file) {
  if (!lists.residency) return;
  std::vector<ChunkId> left;
  lists.residency->give_up_all(left);
  std::vector<DoorRun> runs;
  for (const ChunkId chunk : left) append_chunk(lists.table, file, chunk, false, runs);
  stores_.front()->release(runs);
  lists.residency->gone(left);
}

// What the kernel did for the round: what it read without being asked shows here alone.
void ChunkMmapEngine::tell_own(RoundReport& round) {
  if (!kernel_) {
    std::uint64_t resident = 0;
    for (const Side& lists : sides_) resident += lists.residency->there_bytes();
    round.own["resident_bytes"] = static_cast<double>(resident);
  }
  const KernelCounters::Reading now = process_.since_start();
  if (!now.available) return;
  round.own["kernel_bytes"] = static_cast<double>(now.read_bytes - last_.read_bytes);
  round.own["major_faults"] = static_cast<double>(now.major_faults - last_.major_faults);
  round.own["minor_faults"] = static_cast<double>(now.minor_faults - last_.minor_faults);
  last_ = now;
}

IoCounters ChunkMmapEngine::io() const {
  IoCounters io = ListEngine::io();
  for (const Side& lists : sides_) {
    if (lists.supers) io.add(lists.supers->io());
  }
  return io;
}

// The page cache keeps what another process has mapped, whatever this one gives up.
void ChunkMmapEngine::tell_what_stays(EngineReport& report) const {
  std::uint64_t given_up = driven_ && driven_->residency ? driven_->residency->evicted_bytes() : 0;
  for (const Side& lists : sides_) {
    if (lists.residency) given_up += lists.residency->evicted_bytes();
  }
  const std::uint64_t left = io().evicted_bytes;
  if (own_ || left >= given_up / 2) return;
  report.notes.push_back(fmt::format(
      "of {} that were given up only {} left memory: another process has the layout mapped, or it "
      "was warm when the run began, so --frames does not bound what stays; residency=own keeps to "
      "it",
      human_size(given_up), human_size(left)));
}

void ChunkMmapEngine::tell_page_cache(EngineReport& report) const {
  for (std::uint32_t file = 0; file < sides_.size(); ++file) {
    const ChunkTable& table = sides_[file].table;
    for (std::size_t level = 0; level < table.levels().size(); ++level) {
      std::uint64_t bytes = 0;
      for_runs(file, table.levels()[level].first_block, table.levels()[level].end_block,
               [&](const DoorRun& run) { bytes += views_.front()->resident_bytes(run); });
      tell_resident(table, level, bytes, report);
    }
  }
}

void ChunkMmapEngine::add_own(EngineReport& report) const {
  Mapper::Counts sum;
  std::uint64_t bookkeeping = 0;
  for (const Mapper& mapper : mappers_) {
    sum.add(mapper.counts());
    bookkeeping += mapper.memory_bytes();
  }
  tell_touched(sides_.front().table, sum, report);
  report.counts["cut_accesses"] = sum.cut_accesses;
  report.counts["dense_rounds"] = dense_rounds_;
  report.counts["batches"] = sum.batches;
  report.counts["windows"] = sum.windows;
  std::uint64_t chunks = 0;
  std::uint64_t order = 0;
  std::uint64_t supers = 0;
  for (const Side& lists : sides_) {
    order += lists.order.capacity() * sizeof(VertexId);
    if (!lists.residency) continue;
    bookkeeping += lists.residency->memory_bytes();
    chunks += lists.residency->most_bytes();
    tell_residency(*lists.residency, report);
    if (lists.supers) supers += lists.supers->bytes();
  }
  if (driven_ && driven_->residency) {
    bookkeeping += driven_->residency->memory_bytes();
    chunks = std::max(chunks, driven_->residency->most_bytes());
    tell_residency(*driven_->residency, report);
  }
  if (kernel_) tell_page_cache(report);
  tell_what_stays(report);
  report.memory.emplace_back("order", order);
  report.memory.emplace_back("chunks", chunks);
  report.memory.emplace_back("super", supers);
  report.memory.emplace_back("chunk_states", bookkeeping);
}

}  // namespace outcore
