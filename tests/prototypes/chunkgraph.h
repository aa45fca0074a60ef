// SPDX-License-Identifier: Apache-2.0
// ChunkGraph on paper (Wang, Zong, He et al., ATC 2024): Ligra's edgeMap and vertexMap, unchanged,
// over adjacency that is mapped into memory in chunks.
//
// Where a list stands hangs on its degree (section 3.2): mini vertices in the index itself, medium
// ones in an aligned chunk of the level that fits them, never cut, super vertices alone. Chunks are
// filled in an order of their own (3.3); vertices keep their ids, and dense rounds go through the
// table idx -> vid, so that they touch chunks in file order.
//
// Nothing is requested: a chunk is noted when it is touched. Ligra's edgeMap takes all messages
// before the first is heard here. Its visibility is `round`.
#pragma once

#include <map>
#include <numeric>

#include "tests/prototypes/toy_engine.h"

namespace outcore::toys {

class ChunkStore {
 public:
  static constexpr std::uint32_t kMini = 2;
  static constexpr std::array<std::uint32_t, 2> kLevels = {6, 12};  // edges a chunk
  static constexpr std::uint32_t kPage = 6;  // super lists are touched page by page
  struct Chunk {
    std::size_t level = 0;  // kLevels.size(): page of a super vertex
    std::size_t number = 0;
    friend auto operator<=>(const Chunk&, const Chunk&) = default;
  };

  explicit ChunkStore(const Lists& lists) : lists_(lists), order_(lists.size()) {
    // The paper orders by two-level searches from vertices of high degree; any order will do here.
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](VertexId a, VertexId b) { return lists[a].size() > lists[b].size(); });
    std::array<std::size_t, kLevels.size() + 1> last = {};
    std::array<std::uint32_t, kLevels.size()> used = {};
    chunk_of_.resize(lists.size());
    for (const VertexId v : order_) {
      const std::uint32_t d = degree(v);
      const std::size_t level = level_of(d);
      if (level == kLevels.size()) {
        chunk_of_[v] = {level, last[level]};
        last[level] += (d + kPage - 1) / kPage;
      } else if (d > kMini) {
        if (used[level] + d > kLevels[level]) {
          ++last[level];
          used[level] = 0;
        }
        chunk_of_[v] = {level, last[level]};
        used[level] += d;
      }
    }
  }

  [[nodiscard]] std::uint32_t degree(VertexId v) const {
    return static_cast<std::uint32_t>(lists_[v].size());
  }
  // idx -> vid.
  [[nodiscard]] std::span<const VertexId> order() const { return order_; }

  // Calls f with the pieces of v's list, one but for super vertices, until it returns false.
  template <typename F>
  void read(VertexId v, std::uint32_t slot, F&& f) {
    const std::uint32_t d = degree(v);
    Chunk chunk = chunk_of_[v];
    const bool super = chunk.level == kLevels.size();
    for (std::uint32_t first = 0; first < d; ++chunk.number) {
      const std::uint32_t count = super ? std::min(kPage, d - first) : d;
      if (d > kMini) ++touched[chunk];
      if (!f(Piece{v, slot, first, count, d, lists_[v].data() + first, nullptr})) return;
      first += count;
    }
  }

  std::map<Chunk, int> touched;

 private:
  static std::size_t level_of(std::uint32_t degree) {
    std::size_t level = 0;
    while (level < kLevels.size() && degree > kLevels[level]) ++level;
    return level;
  }

  const Lists& lists_;
  std::vector<VertexId> order_;
  std::vector<Chunk> chunk_of_;
};

class ChunkGraph : public ToyEngine {
 public:
  // Ligra's switch: dense when the frontier and its edges are more than 1/dense_share of all.
  explicit ChunkGraph(const ToyGraph& g, EdgeIndex dense_share = 4)
      : ToyEngine(g), out_graph(g.out), in_graph(g.in), dense_share_(dense_share) {}

  [[nodiscard]] EngineTraits traits() const override { return {.pull = true}; }

  Frontier round(Program& program, Frontier&& frontier, Direction direction, Mode mode) override {
    ChunkStore& forward = direction == Direction::out ? out_graph : in_graph;
    ChunkStore& backward = direction == Direction::out ? in_graph : out_graph;
    EdgeIndex work = frontier.size();
    frontier.for_each([&](VertexId u) { work += forward.degree(u); });
    const Traits traits = program.traits();
    const bool dense =
        traits.combines &&
        (mode == Mode::pull || (mode == Mode::any && work * dense_share_ > graph_.edges));
    report_.rounds.push_back({.frontier = frontier.size(), .pull = dense});

    MessageArray messages(g_.id_space(), traits.message_bytes);
    frontier.for_each([&](VertexId u) {
      const Source source{u, forward.degree(u)};
      program.begin({&source, 1}, messages.view().from(u));
    });
    Frontier next(g_.id_space());
    Collector activations(next);
    if (dense) {
      edge_map_dense(program, backward, frontier.bits(), messages.view(), activations);
    } else {
      edge_map_sparse(program, forward, frontier, messages.view(), activations);
    }
    if (traits.settles) program.settle({0, g_.id_space()}, activations);  // vertexMap
    activations.drain();
    return next;
  }

  ChunkStore out_graph;
  ChunkStore in_graph;

 private:
  static void edge_map_sparse(Program& program, ChunkStore& graph, const Frontier& frontier,
                              Messages messages, Activations& activations) {
    frontier.for_each([&](VertexId u) {
      graph.read(u, u, [&](const Piece& piece) {
        program.scatter({{&piece, 1}, Access::shared}, messages, activations);
        return true;
      });
    });
  }
  // Each listening vertex has one writer. A super vertex that has heard enough is read no further.
  void edge_map_dense(Program& program, ChunkStore& graph, const Bitmap& active, Messages messages,
                      Activations& activations) {
    Bitmap listening(g_.id_space());
    program.listening({0, g_.id_space()}, listening);
    for (const VertexId v : graph.order()) {
      if (!listening.get(v)) continue;
      graph.read(v, 0, [&](const Piece& piece) {
        program.gather({{&piece, 1}, Access::exclusive}, messages, &active, activations);
        return program.listens(v);
      });
    }
  }

  EdgeIndex dense_share_;
};

}  // namespace outcore::toys
