// SPDX-License-Identifier: Apache-2.0
// A model of GridGraph (Zhu, Han, Chen, ATC 2015): the edges as P x P blocks, where block (i, j)
// holds those from source chunk i to destination chunk j, and is applied while it streams by.
//
// The columns come one after another, and in each column the blocks from top to bottom. Two windows
// slide: the source chunk that is read and the destination chunk that is written, so values outside
// memory are written once per iteration (streaming-apply). A block whose source chunk has no active
// vertex is not read (selective scheduling).
//
// All messages are taken before the first block, because a source chunk is read once per column. So
// its visibility is `round`.
#pragma once

#include "tests/prototypes/toy_engine.h"

namespace outcore::toys {

class GridEngine : public ToyEngine {
 public:
  GridEngine(const ToyGraph& g, VertexId chunks)
      : ToyEngine(g),
        chunks_(chunks),
        chunk_size_((g.id_space() + chunks - 1) / chunks),
        grid_(std::size_t{chunks} * chunks) {
    for (VertexId u = 0; u < g.id_space(); ++u) {
      for (const VertexId v : g.out[u]) {
        block(u / chunk_size_, v / chunk_size_).sources.push_back(u);
        block(u / chunk_size_, v / chunk_size_).targets.push_back(v);
      }
    }
  }

  [[nodiscard]] EngineTraits traits() const override { return {}; }

  Frontier round(Program& program, Frontier&& frontier, Direction direction,
                 Mode /*push*/) override {
    const Traits traits = program.traits();
    MessageArray messages(g_.id_space(), traits.message_bytes);
    std::vector<bool> chunk_active(chunks_);
    frontier.for_each([&](VertexId u) {
      const Source source{u, static_cast<std::uint32_t>(g_.lists(direction)[u].size())};
      program.begin({&source, 1}, messages.view().from(u));
      chunk_active[u / chunk_size_] = true;
    });

    Frontier next(g_.id_space());
    Collector activations(next);
    for (VertexId column = 0; column < chunks_; ++column) {
      for (VertexId row = 0; row < chunks_; ++row) {
        const Block& block =
            direction == Direction::out ? this->block(row, column) : this->block(column, row);
        if (block.sources.empty()) continue;
        if (!chunk_active[row]) {
          ++blocks_skipped;
          continue;
        }
        ++blocks_read;
        stream(program, block, direction, messages.view(), frontier.bits(), activations);
      }
      // All messages to this chunk have arrived, so its values may leave memory.
      if (traits.settles) program.settle(chunk(column), activations);
      activations.drain();
    }
    return next;
  }

  std::uint64_t blocks_read = 0;
  std::uint64_t blocks_skipped = 0;

 private:
  struct Block {
    std::vector<VertexId> sources;
    std::vector<VertexId> targets;
  };

  void stream(Program& program, const Block& block, Direction direction, Messages messages,
              const Bitmap& active, Activations& activations) {
    // A column has one writer here. Threads that share a block would use Access::shared.
    EdgeRun run{block.sources, block.targets, nullptr, Access::exclusive};
    if (direction == Direction::in) std::swap(run.sources, run.targets);
    program.edges(run, messages, &active, activations);
  }

  Block& block(VertexId row, VertexId column) { return grid_[std::size_t{row} * chunks_ + column]; }
  [[nodiscard]] VertexRange chunk(VertexId i) const {
    return {std::min(i * chunk_size_, g_.id_space()),
            std::min((i + 1) * chunk_size_, g_.id_space())};
  }

  VertexId chunks_;
  VertexId chunk_size_;
  std::vector<Block> grid_;
};

}  // namespace outcore::toys
