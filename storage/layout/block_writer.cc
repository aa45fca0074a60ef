// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/block_writer.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include "common/hash.h"
#include "common/progress.h"
#include "storage/container/hashed_file.h"

namespace outcore {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::byte kFree{0xff};

// The lists, sorted by the block in which they begin.
class ListsByBlock {
 public:
  explicit ListsByBlock(const BlockJob& job) : ends_(job.blocks, 0) {
    const std::uint64_t slots = job.format.slots_per_block();
    const VertexId ids = job.graph.ids();
    VertexId stored = 0;
    for (VertexId id = 0; id < ids; ++id) {
      if (job.graph.degree(id) <= job.inline_edges) continue;
      ++ends_[job.positions[id] / slots];
      ++stored;
    }
    VertexId sum = 0;
    for (VertexId& end : ends_) sum += std::exchange(end, sum);  // now each block's beginning
    lists_.resize(stored);
    for (VertexId id = 0; id < ids; ++id) {
      if (job.graph.degree(id) <= job.inline_edges) continue;
      lists_[ends_[job.positions[id] / slots]++] = id;
    }
  }
  [[nodiscard]] std::span<const VertexId> of(BlockId first, BlockId end) const {
    const VertexId begin = first == 0 ? 0 : ends_[first - 1];
    return std::span(lists_).subspan(begin, (end == 0 ? 0 : ends_[end - 1]) - begin);
  }

 private:
  std::vector<VertexId> ends_;
  std::vector<VertexId> lists_;
};

// The blocks of neighbouring lists; neighbouring chunks may share its first and its last block.
struct Chunk {
  BlockId first = 0;
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> lists;  // by block
  std::uint64_t edges = 0;
};

class ChunkFiller {
 public:
  explicit ChunkFiller(const BlockJob& job) : job_(job) {}

  // REQUIRES: `ids` ascend by the block in which they begin.
  Chunk fill(std::span<const VertexId> ids) {
    Chunk chunk;
    if (ids.empty()) return chunk;
    chunk.first = job_.positions[ids.front()] / job_.format.slots_per_block();
    chunk.bytes.reserve(kChunkBytes);
    for (const VertexId id : ids) {
      put(chunk, job_.positions[id], job_.graph.weighted_list(id, job_.weights, buffer_));
    }
    return chunk;
  }

 private:
  void put(Chunk& chunk, std::uint64_t position, WeightedList list) {
    chunk.edges += list.ids.size();
    const std::uint32_t in_block = job_.format.slots_per_block();
    for (std::uint64_t first = 0; !list.ids.empty();) {
      const BlockId block = position / in_block;
      const auto at = static_cast<std::uint32_t>(position % in_block);
      const PieceFormat::Cut cut = job_.format.cut(list.ids, first, in_block - at);
      make_room(chunk, block);
      ++chunk.lists[block - chunk.first];
      const std::size_t offset =
          (block - chunk.first) * job_.block_bytes + std::size_t{at} * job_.format.slot_bytes();
      const WeightedList piece{list.ids.first(cut.count),
                               list.weights.first(std::min(cut.count, list.weights.size()))};
      job_.format.write(piece, first,
                        std::span(chunk.bytes)
                            .subspan(offset, std::size_t{cut.slots} * job_.format.slot_bytes()));
      first += cut.count;
      list = {list.ids.subspan(piece.ids.size()), list.weights.subspan(piece.weights.size())};
      position = (block + 1) * in_block;
    }
  }

  void make_room(Chunk& chunk, BlockId block) const {
    const std::size_t blocks = block - chunk.first + 1;
    if (blocks <= chunk.lists.size()) return;
    chunk.lists.resize(blocks, 0);
    chunk.bytes.resize(blocks * job_.block_bytes, kFree);
  }

  const BlockJob& job_;
  ListBuffer buffer_;
};

// Writes chunks from front to back.
class BlockFiles {
 public:
  explicit BlockFiles(const BlockJob& job)
      : job_(job),
        blocks_(job.folder, job.prefix + ".blocks", job.disks, job.stripes_label),
        sums_(job.folder / (job.prefix + ".sums")) {}

  // Keeps the last block back, because the next chunk may begin in it.
  void write(Chunk&& chunk) {
    if (chunk.lists.empty()) return;
    if (!kept_.lists.empty() && kept_.first == chunk.first) {
      chunk.lists.front() += kept_.lists.front();
      // Each byte is free (0xff) in one of the two.
      for (std::size_t i = 0; i < kept_.bytes.size(); ++i) chunk.bytes[i] &= kept_.bytes[i];
    } else {
      write_kept();
    }
    write_free(chunk.first);
    const std::size_t whole = chunk.lists.size() - 1;
    const std::size_t whole_bytes = whole * job_.block_bytes;
    write_blocks(std::span(chunk.bytes).first(whole_bytes), std::span(chunk.lists).first(whole));
    kept_ = {.first = chunk.first + whole,
             .bytes = {chunk.bytes.begin() + static_cast<std::ptrdiff_t>(whole_bytes),
                       chunk.bytes.end()},
             .lists = {chunk.lists.back()}};
  }

  std::uint32_t finish(nlohmann::json& files) {
    write_kept();
    write_free(job_.blocks);
    blocks_.finish(files);
    files[job_.prefix + ".sums"] = sums_.finish();
    return most_lists_;
  }

 private:
  void write_kept() {
    if (kept_.lists.empty()) return;
    write_blocks(kept_.bytes, kept_.lists);
    kept_ = {};
  }
  // Writes blocks before `end` that hold no list.
  void write_free(BlockId end) {
    const std::vector<std::byte> empty(job_.block_bytes, kFree);
    const std::uint32_t none = 0;
    while (written_ < end) write_blocks(empty, {&none, 1});
  }
  void write_blocks(std::span<const std::byte> bytes, std::span<const std::uint32_t> lists) {
    for (std::size_t b = 0; b < lists.size(); ++b) {
      sums_.put(checksum32(bytes.subspan(b * job_.block_bytes, job_.block_bytes)));
      most_lists_ = std::max(most_lists_, lists[b]);
    }
    blocks_.write(bytes);
    written_ += lists.size();
  }

  const BlockJob& job_;
  StripedFile blocks_;
  HashedFile sums_;
  Chunk kept_;
  BlockId written_ = 0;
  std::uint32_t most_lists_ = 0;
};

}  // namespace

std::uint32_t write_blocks(const BlockJob& job, nlohmann::json& files) {
  const ListsByBlock lists(job);
  BlockFiles out(job);
  Progress progress("writing " + job.prefix + ".blocks", job.graph.csr.edges(), "edges");
  const std::uint64_t step = std::max<std::uint64_t>(1, kChunkBytes / job.block_bytes);
  const std::uint64_t chunks = (job.blocks + step - 1) / step;
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
#pragma omp parallel
  {
    ChunkFiller filler(job);
#pragma omp for ordered schedule(dynamic, 1)
    for (std::uint64_t c = 0; c < chunks; ++c) {
      Chunk chunk;
      std::exception_ptr own;
      try {
        const BlockId end = std::min(job.blocks, (c + 1) * step);
        if (!failed) chunk = filler.fill(lists.of(c * step, end));
      } catch (...) {
        own = std::current_exception();
      }
#pragma omp ordered
      {
        // One thread at a time: the first failure is kept, and nothing is written after it.
        try {
          if (own) std::rethrow_exception(own);
          progress.add(chunk.edges);
          if (!failed) out.write(std::move(chunk));
        } catch (...) {
          if (!failed) failure = std::current_exception();
          failed = true;
        }
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  return out.finish(files);
}

}  // namespace outcore
