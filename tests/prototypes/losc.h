// SPDX-License-Identifier: Apache-2.0
// LOSC on paper (Xu et al., JPDC 2023): P intervals of vertices, each with an in-shard (sorted by
// destination) and an out-shard (sorted by source), processed one interval at a time (section 3.8).
//
// When many edges are active an interval is pulled: both its shards are loaded, its subgraph is
// constructed by walking them in order (Algorithm 1), its vertices hear their in-neighbours' values
// and the interval is synchronized. The Latest-copy (3.7) is the program's own state; the Old-copy
// is the dense array of messages, of which synchronizing takes the interval's part anew. That is
// what makes later intervals hear newer values: visibility `interval`. It is allowed only where
// Hearing::newest or repeatable; elsewhere the messages are those of the round's beginning, and so
// is the visibility.
//
// When few are active, only their out-lists are loaded and pushed (3.6), interval after interval:
// messages are taken when their interval comes, so that here too later ones see newer values.
#pragma once

#include "tests/prototypes/toy_engine.h"

namespace outcore::toys {

class LoscEngine : public ToyEngine {
 public:
  LoscEngine(const ToyGraph& g, VertexId intervals) : ToyEngine(g) {
    for (VertexId i = 0; i < intervals; ++i) {
      const auto cut = [&](VertexId at) {
        return static_cast<VertexId>(std::uint64_t{g.id_space()} * at / intervals);
      };
      intervals_.push_back({cut(i), cut(i + 1)});
    }
  }

  [[nodiscard]] EngineTraits traits() const override {
    return {.converge = Visibility::interval, .round = Visibility::interval, .pull = true};
  }

  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override {
    const bool pull = mode == Mode::pull || (mode == Mode::any && program.traits().combines &&
                                             loading_all_is_cheaper(frontier, direction));
    return pull ? pull_round(program, frontier, direction)
                : push_round(program, std::move(frontier), direction);
  }

  std::uint64_t out_edges_loaded = 0;
  std::uint64_t in_edges_loaded = 0;
  std::uint64_t intervals_skipped = 0;

 private:
  static constexpr std::uint32_t kPiece = 3;  // as a list that straddles load buffers comes

  struct Subgraph {
    std::vector<Piece> in_lists;
    std::vector<Piece> out_lists;
  };

  // The benefit model (3.5, 3.6) with random reads four times as dear as sequential ones.
  [[nodiscard]] bool loading_all_is_cheaper(const Frontier& frontier, Direction direction) const {
    EdgeIndex active = 0;
    frontier.for_each([&](VertexId v) { active += g_.lists(direction)[v].size(); });
    return 4 * active > 2 * graph_.edges;
  }

  Frontier pull_round(Program& program, const Frontier& frontier, Direction direction) {
    const Traits traits = program.traits();
    MessageArray old_copy(g_.id_space(), traits.message_bytes);
    Bitmap speaks = frontier.bits();
    take(program, frontier.bits(), {0, g_.id_space()}, direction, old_copy.view());

    Frontier next(g_.id_space());
    for (const VertexRange interval : intervals_) {
      const Subgraph subgraph = construct_subgraph(interval, direction);
      Bitmap listeners(g_.id_space());
      program.listening(interval, listeners);
      std::vector<Piece> heard;
      for (const Piece& piece : subgraph.in_lists) {
        if (listeners.get(piece.v)) heard.push_back(piece);
      }
      Frontier changed(g_.id_space());
      Collector activations(changed);
      // Threads take vertices, each its own (3.3): no one else writes what a vertex hears.
      program.gather({heard, Access::exclusive}, old_copy.view(), &speaks, activations);
      if (traits.settles) program.settle(interval, activations);
      activations.drain();
      changed.for_each([&](VertexId v) { next.add(v); });
      if (!traits.newest_is_enough()) continue;
      // Synchronize vertex values: who spoke speaks anew, and who changed speaks too.
      changed.for_each([&](VertexId v) { speaks.set(v); });
      take(program, speaks, interval, direction, old_copy.view());
    }
    return next;
  }

  Frontier push_round(Program& program, Frontier&& frontier, Direction direction) {
    const Traits traits = program.traits();
    MessageArray messages(g_.id_space(), traits.message_bytes);
    Frontier next(g_.id_space());
    Collector activations(next);
    for (const VertexRange interval : intervals_) {
      std::vector<Piece> out_lists;  // of the interval's active vertices
      frontier.bits().for_each(interval.begin, interval.end, [&](std::size_t u) {
        for_each_piece(g_.lists(direction), static_cast<VertexId>(u), static_cast<std::uint32_t>(u),
                       kPiece, [&](const Piece& piece) {
                         out_lists.push_back(piece);
                         out_edges_loaded += piece.count;
                       });
      });
      if (out_lists.empty()) {
        ++intervals_skipped;
        continue;
      }
      take(program, frontier.bits(), interval, direction, messages.view());
      program.scatter({out_lists, Access::shared}, messages.view(), activations);
    }
    // Not after each interval: a later one may still have pushed to an earlier one's vertices.
    if (traits.settles) program.settle({0, g_.id_space()}, activations);
    activations.drain();
    return next;
  }

  // Algorithm 1: vertices, in-edges and out-edges all in the order in which they lie. What the
  // papers' update function would do with its out-edges, nobody here asks; LOSC loads them.
  Subgraph construct_subgraph(VertexRange interval, Direction direction) {
    const Direction against = direction == Direction::out ? Direction::in : Direction::out;
    Subgraph subgraph;
    for (VertexId v = interval.begin; v < interval.end; ++v) {
      for_each_piece(g_.lists(against), v, v, kPiece, [&](const Piece& piece) {
        subgraph.in_lists.push_back(piece);
        in_edges_loaded += piece.count;
      });
      for_each_piece(g_.lists(direction), v, v, kPiece, [&](const Piece& piece) {
        subgraph.out_lists.push_back(piece);
        out_edges_loaded += piece.count;
      });
    }
    return subgraph;
  }

  void take(Program& program, const Bitmap& speaking, VertexRange range, Direction direction,
            Messages messages) {
    speaking.for_each(range.begin, range.end, [&](std::size_t u) {
      const Source source{static_cast<VertexId>(u),
                          static_cast<std::uint32_t>(g_.lists(direction)[u].size())};
      program.begin({&source, 1}, messages.from(u));
    });
  }

  std::vector<VertexRange> intervals_;
};

}  // namespace outcore::toys
