// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/super_vertices.h"

#include "storage/layout/codec.h"
#include "storage/source/stream.h"

namespace outcore {

namespace {

constexpr std::uint32_t kRequestBytes = 256 << 10;

}  // namespace

SuperVertices::SuperVertices(const Layout& layout, Direction direction, std::uint64_t most_bytes,
                             const EngineOptions& options)
    : file_(layout.file(direction)), block_bytes_(layout.facts().block_bytes) {
  const std::vector<ChunkLevel>& levels =
      file_ == layout.file(Direction::out) ? layout.facts().out_levels : layout.facts().in_levels;
  if (levels.empty()) return;
  const ChunkLevel& region = levels.back();
  const std::uint64_t bytes = (region.end_block - region.first_block) * block_bytes_;
  if (bytes == 0 || bytes > most_bytes) return;
  bytes_ = bytes;
  first_ = region.first_block;
  end_ = region.end_block;
  memory_ = numa::allocate(bytes_ + kReadAhead);
  there_.resize(end_ - first_);
  door_ = std::make_unique<Door>(layout.block_files(), kUsualBackend,
                                 backend_options(options, options.depth));
}

void SuperVertices::have(BlockId first, BlockId last) {
  const std::lock_guard lock(mutex_);
  if (there_[first - first_]) return;
  const BlockId blocks = last - first + 1;
  std::byte* const into = memory_.get() + (first - first_) * block_bytes_;
  DoorChannel channel(*door_, {into, blocks * block_bytes_});
  BlockStream(*door_, channel, kRequestBytes).read(file_, first, blocks, into);
  std::fill_n(there_.begin() + static_cast<std::ptrdiff_t>(first - first_), blocks, true);
}

IoCounters SuperVertices::io() const { return door_ ? door_->counters() : IoCounters{}; }

}  // namespace outcore
