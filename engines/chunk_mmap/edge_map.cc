// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/edge_map.h"

#include <algorithm>

namespace outcore {

namespace {

// Vertices of one batch: their pieces' lists are held meanwhile, and few are long.
constexpr std::size_t kMostReaders = std::size_t{64} << 10;
// Vertices ahead whose entries of the index are fetched: in the order of chunks they lie anywhere.
constexpr std::size_t kFetched = 16;

}  // namespace

void Walk::collect(std::size_t first, std::size_t last, std::vector<VertexId>& out) const {
  if (table.empty()) {
    if (wanted != nullptr) {
      wanted->for_each(first, last,
                       [&](std::size_t v) { out.push_back(static_cast<VertexId>(v)); });
    } else {
      for (std::size_t v = first; v < last; ++v) out.push_back(static_cast<VertexId>(v));
    }
    return;
  }
  for (const VertexId v : table.subspan(first, last - first)) {
    if (wanted == nullptr || wanted->get(v)) out.push_back(v);
  }
}

Stretches::Stretches(std::span<const std::size_t> bounds) : shares_(bounds.size() - 1) {
  for (std::size_t share = 0; share < shares_.size(); ++share) {
    shares_[share].range = {static_cast<std::uint32_t>(bounds[share]),
                            static_cast<std::uint32_t>(bounds[share + 1])};
  }
}

// Relaxed, here and below: ranges are disjoint and publish no other data.
std::pair<std::size_t, std::size_t> Stretches::take(unsigned worker) {
  std::atomic<Range>& range = shares_[worker].range;
  do {
    Range before = range.load(std::memory_order_relaxed);
    while (before.left() > 0) {
      const std::uint32_t end = before.next + std::min<std::uint32_t>(before.left(), kStretch);
      if (range.compare_exchange_weak(before, {end, before.end}, std::memory_order_relaxed)) {
        return {before.next, end};
      }
    }
  } while (take_half(worker));
  return {0, 0};
}

bool Stretches::take_half(unsigned worker) {
  while (true) {
    std::atomic<Range>* largest = nullptr;
    Range before;
    for (Share& share : shares_) {
      const Range range = share.range.load(std::memory_order_relaxed);
      if (range.left() <= before.left()) continue;
      before = range;
      largest = &share.range;
    }
    if (largest == nullptr) return false;
    const std::uint32_t taken = before.left() > kStretch ? before.left() / 2 : before.left();
    const std::uint32_t middle = before.end - taken;
    if (largest->compare_exchange_weak(before, {before.next, middle}, std::memory_order_relaxed)) {
      // Nobody takes from an empty range, so the worker's own is its own to write.
      shares_[worker].range.store({middle, before.end}, std::memory_order_relaxed);
      return true;
    }
  }
}

void Mapper::Counts::add(const Counts& other) {
  for (std::size_t level = 0; level < touched.size(); ++level) {
    touched[level] += other.touched[level];
    faulted[level] += other.faulted[level];
  }
  cut_accesses += other.cut_accesses;
  batches += other.batches;
  windows += other.windows;
}

void Mapper::Batch::clear() {
  readers.clear();
  pinned.clear();
  absent.clear();
  coming.clear();
  unmanaged.clear();
  absent_bytes = 0;
  under_way = false;
}

// After an error, its own or another worker's, a worker leaves with requests under way, and only
// the thread that made them may end them.
struct Mapper::AbandonAtEnd {
  ChunkStore& store;
  ~AbandonAtEnd() { store.abandon(); }
};

void Mapper::work(const EdgeMap& map) {
  const AbandonAtEnd guard{store_};
  map_ = &map;
  turn_.clear();
  next_ = 0;
  if (stamps_.size() != map.table.size()) {
    stamps_.assign(map.table.size(), 0);
    stamp_ = 0;
  }
  fill(filling_);
  bring(filling_);
  // use() leaves a batch as it is when another worker has failed.
  while (!filling_.readers.empty() && !map.stopping()) {
    std::swap(filling_, using_);
    if (!limits_.ahead) use(using_);
    fill(filling_);
    bring(filling_);
    if (limits_.ahead) use(using_);
  }
}

// Vertices whose lists stand in the index are handed over at once.
void Mapper::fill(Batch& batch) {
  ++stamp_;
  while (batch.absent_bytes < limits_.bytes && batch.readers.size() < kMostReaders) {
    if (next_ == turn_.size() && !next_turn()) break;
    const VertexId v = turn_[next_];
    if (next_ + kFetched < turn_.size()) {
      map_->round.lists.index.fetch(turn_[next_ + kFetched]);
    }
    if (!add(batch, v)) {
      if (!batch.readers.empty()) break;
      use_long(v);
      ++stamp_;
    }
    ++next_;
  }
  hands_.flush();
}

bool Mapper::next_turn() {
  turn_.clear();
  next_ = 0;
  while (turn_.empty() && !map_->stopping()) {
    const auto [first, last] = map_->stretches.take(worker_);
    if (first == last) return false;
    map_->walk.collect(first, last, turn_);
  }
  return !turn_.empty();
}

bool Mapper::add(Batch& batch, VertexId v) {
  const ListIndex& index = map_->round.lists.index;
  const std::uint64_t degree = index.degree(v);
  if (index.is_inline(degree)) {
    // In a dense round vertices without edges exchange no messages.
    if (degree > 0 || !map_->round.dense) hands_.add_inline(v);
    return true;
  }
  const ListAddress list = index.address(v);
  const ChunkTable& table = map_->table;
  if (is_held(index.first_block(list))) {
    map_->supers->have(index.first_block(list), index.last_block(list));
    batch.readers.push_back({v, list});
    return true;
  }
  const ChunkId first = table.at(index.first_block(list));
  const ChunkId last = table.at(index.last_block(list));
  const std::uint64_t chunk_bytes = table.bytes(first);
  const std::uint64_t chunks = last - first + 1;
  if (map_->residency != nullptr && chunks > 1 && chunks * chunk_bytes > limits_.bytes)
    return false;
  const std::uint64_t bytes = list.slots * map_->round.lists.layout.pieces().slot_bytes();
  counts_.cut_accesses += chunks - std::min(chunks, (bytes + chunk_bytes - 1) / chunk_bytes);
  for (ChunkId chunk = first; chunk <= last; ++chunk) want(batch, chunk);
  batch.readers.push_back({v, list});
  return true;
}

void Mapper::want(Batch& batch, ChunkId chunk) {
  if (stamps_[chunk] == stamp_) return;
  stamps_[chunk] = stamp_;
  ++counts_.touched[map_->table.level_of_chunk(chunk)];
  if (map_->residency == nullptr) {
    batch.unmanaged.push_back(chunk);
    return;
  }
  batch.pinned.push_back(chunk);
  switch (map_->residency->pin(chunk)) {
    case Residency::Found::there:
      return;
    case Residency::Found::coming:
      batch.coming.push_back(chunk);
      return;
    case Residency::Found::absent:
      batch.absent.push_back({chunk});
      batch.absent_bytes += map_->table.bytes(chunk);
  }
}

void Mapper::bring(Batch& batch) {
  if (map_->residency == nullptr) count_faulted(batch);
  if (batch.absent.empty()) return;
  std::sort(batch.absent.begin(), batch.absent.end(),
            [](const auto& a, const auto& b) { return a.chunk < b.chunk; });
  if (limits_.window_blocks > 0) add_windows(batch);
  leaving_.clear();
  std::vector<ChunkId> coming;
  for (const Batch::Brought& brought : batch.absent) coming.push_back(brought.chunk);
  map_->residency->admit(coming, map_->dense, leaving_);
  drop(leaving_);
  runs_.clear();
  for (const auto& [chunk, window] : batch.absent) {
    append_chunk(map_->table, map_->round.lists.file, chunk, window, runs_);
  }
  batch.under_way = true;
  ++counts_.batches;
  store_.start(runs_);
}

// What read-ahead brings meanwhile is counted, too. Neighbours of one block are asked about at
// once.
void Mapper::count_faulted(Batch& batch) {
  std::vector<ChunkId>& chunks = batch.unmanaged;
  const ChunkTable& table = map_->table;
  std::sort(chunks.begin(), chunks.end());
  for (std::size_t first = 0, end = 0; first < chunks.size(); first = end) {
    const std::size_t level = table.level_of_chunk(chunks[first]);
    const BlockRun blocks = table.blocks(chunks[first]);
    end = first + 1;
    while (blocks.blocks == 1 && end < chunks.size() && chunks[end] == chunks[end - 1] + 1 &&
           table.level_of_chunk(chunks[end]) == level) {
      ++end;
    }
    const auto count = static_cast<std::uint32_t>(end - first);
    const std::uint64_t absent =
        store_.absent({map_->round.lists.file, blocks.first, blocks.blocks * count});
    const std::uint64_t chunk_bytes = std::uint64_t{blocks.blocks} * table.block_bytes();
    counts_.faulted[level] += (absent + chunk_bytes - 1) / chunk_bytes;
  }
}

// What is absent of a window that is wanted for the most part comes with it, as long as what nobody
// wants stays within its share of what is wanted.
void Mapper::add_windows(Batch& batch) {
  const std::size_t wanted = batch.absent.size();
  const auto window_of = [&](std::size_t i) {
    return map_->table.blocks(batch.absent[i].chunk).first / limits_.window_blocks;
  };
  for (std::size_t first = 0; first < wanted;) {
    const BlockId window = window_of(first);
    std::size_t end = first;
    std::uint64_t blocks = 0;
    for (; end < wanted && window_of(end) == window; ++end) {
      blocks += map_->table.blocks(batch.absent[end].chunk).blocks;
    }
    holes_.need(blocks);
    if (static_cast<double>(blocks) >= limits_.window_share * limits_.window_blocks &&
        absent_blocks(window) <= holes_.left()) {
      add_window(batch, first, end, window);
    }
    first = end;
  }
  if (batch.absent.size() > wanted) {
    std::sort(batch.absent.begin(), batch.absent.end(),
              [](const auto& a, const auto& b) { return a.chunk < b.chunk; });
  }
}

void Mapper::add_window(Batch& batch, std::size_t first, std::size_t end, BlockId window) {
  ++counts_.windows;
  for (std::size_t i = first; i < end; ++i) batch.absent[i].window = true;
  for_each_chunk(window, [&](ChunkId chunk) {
    if (!map_->residency->pin_absent(chunk)) return;
    batch.pinned.push_back(chunk);
    batch.absent.push_back({chunk, true});
    store_.holes(map_->table.bytes(chunk));
    holes_.spend(map_->table.blocks(chunk).blocks);
  });
}

template <typename F>
void Mapper::for_each_chunk(BlockId window, const F& f) const {
  const BlockId window_end = (window + 1) * limits_.window_blocks;
  for (const ChunkTable::Level& level : map_->table.levels()) {
    const BlockId begin = std::max(level.first_block, window * limits_.window_blocks);
    for (BlockId block = begin; block < std::min(level.end_block, window_end);
         block += level.blocks_per_chunk) {
      f(map_->table.at(block));
    }
  }
}

std::uint64_t Mapper::absent_blocks(BlockId window) const {
  std::uint64_t blocks = 0;
  for_each_chunk(window, [&](ChunkId chunk) {
    if (map_->residency->is_absent(chunk)) blocks += map_->table.blocks(chunk).blocks;
  });
  return blocks;
}

// Waits for what this worker brings, and lets the others have it.
void Mapper::publish(Batch& batch) {
  if (!batch.under_way) return;
  store_.finish();
  batch.under_way = false;
  for (const Batch::Brought& brought : batch.absent) {
    map_->residency->publish(brought.chunk, brought.window);
  }
}

// Until all that the batch uses is there. Others may wait for what this worker brings for its next
// batch: that is published before it waits for them.
void Mapper::await(Batch& batch) {
  publish(batch);
  if (batch.coming.empty()) return;
  publish(filling_);
  for (const ChunkId chunk : batch.coming) map_->residency->wait_for(chunk, map_->stopping);
}

void Mapper::use(Batch& batch) {
  await(batch);
  if (map_->stopping()) return;  // what another worker was to bring may not have come
  for (const auto& [v, list] : batch.readers) use_list(v, list);
  hands_.flush();
  leaving_.clear();
  for (const ChunkId chunk : batch.pinned) {
    if (map_->residency->unpin(chunk)) leaving_.push_back(chunk);
  }
  drop(leaving_);
  batch.clear();
}

void Mapper::use_list(VertexId v, const ListAddress& list) {
  const DirectedLists& lists = map_->round.lists;
  const BlockId first = lists.index.first_block(list);
  const BlockId last = lists.index.last_block(list);
  if (map_->checked != nullptr) {
    check_once(store_, *map_->checked,
               {lists.file, first, static_cast<std::uint32_t>(last - first + 1)});
  }
  if (lists.trace != nullptr) {
    lists.note(worker_, {first, static_cast<std::uint32_t>(last - first + 1)});
  }
  if (map_->residency != nullptr && map_->residency->hot() && !is_held(first)) {
    map_->residency->use(map_->table.at(first), list.slots * lists.layout.pieces().slot_bytes());
  }
  if (first == last) {
    // There is room for what one block decodes to.
    if (first != last_block_ && lists.layout.pieces().encoded()) hands_.flush();
    last_block_ = first;
    hands_.add(v, list, first, data(first));
  } else if (hands_.lists_in_one_piece()) {
    hands_.add_whole(v, list, data(first));
  } else {
    hands_.flush();
    hands_.take_message({v, static_cast<std::uint32_t>(list.degree)},
                        {message_, map_->round.traits.message_bytes});
    use_pieces(v, list, first, last + 1);
  }
}

// The part of a list in [first, end), which this worker alone reads.
void Mapper::use_pieces(VertexId v, const ListAddress& list, BlockId first, BlockId end) {
  for (BlockId block = first; block < end; ++block) {
    hands_.list_piece(v, list, block, data(block), {message_, map_->round.traits.message_bytes});
  }
}

// A list that is longer than a batch comes and goes in parts, until its vertex has heard enough.
void Mapper::use_long(VertexId v) {
  const DirectedLists& lists = map_->round.lists;
  const ListAddress list = lists.index.address(v);
  const BlockId end = lists.index.last_block(list) + 1;
  publish(using_);
  hands_.take_message({v, static_cast<std::uint32_t>(list.degree)},
                      {message_, map_->round.traits.message_bytes});
  Batch part;
  for (BlockId block = lists.index.first_block(list); block < end && !map_->stopping();) {
    if (map_->round.pull && !map_->round.program.listens(v)) return;
    const BlockId first = block;
    ++stamp_;
    while (block < end && part.pinned.size() * map_->table.bytes(0) < limits_.bytes) {
      const ChunkId chunk = map_->table.at(block);
      want(part, chunk);
      const BlockRun run = map_->table.blocks(chunk);
      block = std::min<BlockId>(end, run.first + run.blocks);
    }
    bring(part);
    await(part);
    if (map_->stopping()) return;
    if (lists.trace != nullptr) {
      lists.note(worker_, {first, static_cast<std::uint32_t>(block - first)});
    }
    use_pieces(v, list, first, block);
    use(part);  // has no readers: gives back what is pinned
  }
}

// Frees chunks that are leaving.
void Mapper::drop(std::vector<ChunkId>& chunks) {
  if (chunks.empty()) return;
  std::sort(chunks.begin(), chunks.end());
  runs_.clear();
  for (const ChunkId chunk : chunks) {
    append_chunk(map_->table, map_->round.lists.file, chunk, /*window=*/false, runs_);
  }
  if (limits_.window_blocks > 0) {
    for (DoorRun& run : runs_) widen(run);
  }
  store_.release(runs_);
  map_->residency->gone(chunks);
}

// The pages of a window are one folio, which leaves memory as a whole: with the last chunk of the
// window that goes, go the others' pages.
void Mapper::widen(DoorRun& run) const {
  const std::uint32_t window = limits_.window_blocks;
  BlockId first = run.first;
  BlockId end = run.first + run.blocks;
  const BlockId begin_of_first = first / window * window;
  const BlockId end_of_last =
      std::min(map_->round.lists.blocks(), (end + window - 1) / window * window);
  if (!map_->residency->any_held(begin_of_first, first)) first = begin_of_first;
  if (!map_->residency->any_held(end, end_of_last)) end = end_of_last;
  run.first = first;
  run.blocks = static_cast<std::uint32_t>(end - first);
}

bool Mapper::is_held(BlockId block) const {
  return map_->supers != nullptr && map_->supers->holds(block);
}

// Decoders read a little past a block, and nothing is mapped behind the file's last one.
const std::byte* Mapper::data(BlockId block) {
  if (is_held(block)) return map_->supers->data(block);
  const DirectedLists& lists = map_->round.lists;
  const bool window =
      map_->residency != nullptr && map_->residency->in_window(map_->table.at(block));
  const std::byte* const at =
      store_.base(lists.file, window) + block * std::size_t{lists.block_bytes()};
  if (block + 1 < lists.blocks() || !lists.layout.pieces().encoded()) return at;
  return padded({at, lists.block_bytes()}, padded_);
}

}  // namespace outcore
