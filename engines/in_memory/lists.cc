// SPDX-License-Identifier: Apache-2.0
#include "engines/in_memory/lists.h"

#include "engines/layout_graph.h"
#include "engines/memory/loops.h"
#include "storage/source/stream.h"

namespace outcore {

Lists::Lists(const Layout& layout, Direction direction, const EngineOptions& options)
    : index_(&layout.index(direction)), linked_(layout.facts().id_space) {
  read(DirectedLists(layout, direction, options), options);
  if (layout.pieces().encoded() || layout.pieces().weighted()) decode(layout, options);
  for_ranges(layout.facts().id_space, options.threads, [&](VertexRange range, int) {
    linked_.set_where(range.begin, range.end,
                      [&](std::size_t v) { return index_->degree(static_cast<VertexId>(v)) > 0; });
  });
}

std::uint64_t Lists::memory_bytes() const {
  return (blocks_ ? blocks_.get_deleter().bytes : 0) + starts_.size() * sizeof(std::uint64_t) +
         ids_.size() * sizeof(VertexId) + weights_.size() * sizeof(float) +
         linked_.words().size_bytes();
}

void Lists::read(const DirectedLists& lists, const EngineOptions& options) {
  constexpr std::uint32_t kRequest = 256 << 10;
  Door door({lists.layout.block_files()[lists.file]}, options.backend,
            backend_options(options, options.depth));
  const std::size_t bytes = lists.blocks() * lists.block_bytes() + kAlignment;  // room to decode
  blocks_ = numa::allocate(bytes, 0);
  {
    DoorChannel channel(door, {blocks_.get(), bytes});
    BlockStream(door, channel, kRequest)
        .read(0, 0, lists.blocks(), blocks_.get(), [&](const BlockRun& run) {
          channel.touched(std::uint64_t{run.blocks} * lists.block_bytes());
          lists.note(0, run);
        });
  }
  io_ = door.counters();
  backend_ = door.backend().name();
  backend_traits_ = door.backend().traits();
  notes_ = door.backend().notes();
}

// Copies each list from its blocks to its place in one array; afterwards the blocks may be freed.
void Lists::decode(const Layout& layout, const EngineOptions& options) {
  const PieceFormat& format = layout.pieces();
  const std::size_t block_bytes = layout.facts().block_bytes;
  const VertexId id_space = layout.facts().id_space;
  starts_.resize(id_space);
  std::uint64_t edges = 0;
  for (VertexId v = 0; v < id_space; ++v) {
    starts_[v] = edges;
    const std::uint64_t degree = index_->degree(v);
    if (!index_->is_inline(degree)) edges += degree;
  }
  ids_.resize(edges);
  if (format.weighted()) weights_.resize(edges);
  for_ranges(id_space, options.threads, [&](VertexRange range, int) {
    DecodeSpace space(format);
    for (VertexId v = range.begin; v < range.end; ++v) {
      if (index_->is_inline(index_->degree(v))) continue;
      const ListAddress list = index_->address(v);
      std::uint64_t at = starts_[v];
      const BlockId last = index_->last_block(list);
      for (BlockId block = index_->first_block(list); block <= last; ++block) {
        const DecodedPiece piece = format.read(
            index_->part(list, block), blocks_.get() + block * block_bytes, space.behind(0));
        std::copy_n(piece.ids, piece.count, ids_.data() + at);
        if (format.weighted()) std::copy_n(piece.weights, piece.count, weights_.data() + at);
        at += piece.count;
      }
    }
  });
  blocks_.reset();
}

}  // namespace outcore
