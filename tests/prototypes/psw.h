// SPDX-License-Identifier: Apache-2.0
// A model of GraphChi's parallel sliding windows (Kyrola et al., OSDI 2012, as LOSC sections 2.2 to
// 3.5 describe them): P shards by destination interval, each sorted by source, with a value on
// every edge. For an interval, its memory shard holds all its in-edges, and one window of each
// shard its out-edges; the windows slide on from interval to interval. Updates read the values on
// in-edges and write those on out-edges, which then go back to disk.
//
// The value on an edge is the message that its source emitted last. Vertex clocks in memory (when u
// spoke, when v heard) tell whether it has been heard: a mark on the edge would make hearing a
// second write of |E| values.
//
// converge() is the paper's single pass, in which a vertex hears and then speaks. An update sees
// all earlier ones, including those in its own interval, which is more than `interval` allows: so
// its visibility is `immediate`, in a fixed order. round() is two half passes, one that writes
// windows and one that reads memory shards: the same volume, and visibility `round`.
#pragma once

#include <cstring>
#include <map>

#include "common/error.h"
#include "tests/prototypes/toy_engine.h"

namespace outcore::toys {

class PswEngine : public ToyEngine {
 public:
  PswEngine(const ToyGraph& g, VertexId intervals)
      : ToyEngine(g),
        interval_size_((g.id_space() + intervals - 1) / intervals),
        shards_(intervals),
        windows_(intervals) {
    for (VertexId u = 0; u < g.id_space(); ++u) {
      windows_[u / interval_size_] += g.out[u].size();
      for (const VertexId v : g.out[u]) {
        shards_[v / interval_size_].sources.push_back(u);
        shards_[v / interval_size_].targets.push_back(v);
      }
    }
  }

  [[nodiscard]] EngineTraits traits() const override {
    return {.converge = Visibility::immediate, .round = Visibility::round};
  }

  void converge(Program& program, Frontier&& frontier) override {
    // settle() concerns a whole round, so it needs rounds.
    if (program.traits().settles) return ToyEngine::converge(program, std::move(frontier));
    open(program);
    active_ = frontier.bits();
    scheduled_ = frontier.bits();
    while (any(scheduled_)) {
      for (VertexId i = 0; i < shards_.size(); ++i) {
        if (!any(scheduled_, interval(i))) continue;  // selective scheduling
        edges_read += shards_[i].sources.size() + windows_[i];
        const Subgraph subgraph = construct_subgraph(i);
        // Sequential, as deterministic parallelism is for vertices that share an edge.
        for (VertexId v = interval(i).begin; v < interval(i).end; ++v) {
          if (scheduled_.get(v)) update(program, v, subgraph);
        }
        edges_written += windows_[i];
      }
    }
  }

  Frontier round(Program& program, Frontier&& frontier, Direction direction,
                 Mode /*push*/) override {
    if (direction == Direction::in) throw usage_error("psw: shards lie by destination only");
    open(program);
    for (VertexId i = 0; i < shards_.size(); ++i) {
      if (!any(frontier.bits(), interval(i))) continue;
      edges_read += windows_[i];
      const Subgraph subgraph = construct_subgraph(i);
      frontier.bits().for_each(interval(i).begin, interval(i).end, [&](std::size_t u) {
        speak(program, static_cast<VertexId>(u), subgraph);
      });
      edges_written += windows_[i];
    }
    active_ = Bitmap(g_.id_space());
    Marks marks(active_);
    for (VertexId i = 0; i < shards_.size(); ++i) {
      if (any(scheduled_, interval(i))) {
        edges_read += shards_[i].sources.size();
        const Subgraph subgraph = construct_subgraph(i);
        for (VertexId v = interval(i).begin; v < interval(i).end; ++v) {
          if (scheduled_.get(v)) hear(program, v, subgraph, marks);
        }
      }
      if (program.traits().settles) program.settle(interval(i), marks);
    }
    marks.drain();
    Frontier next(g_.id_space());
    active_.for_each(0, g_.id_space(), [&](std::size_t v) { next.add(static_cast<VertexId>(v)); });
    return next;
  }

  std::uint64_t edges_read = 0;     // M + W bytes each
  std::uint64_t edges_written = 0;  // W bytes each

 private:
  struct Shard {
    std::vector<VertexId> sources;
    std::vector<VertexId> targets;
    std::vector<std::byte> values;
  };
  struct EdgeAt {
    VertexId shard;
    std::size_t index;
  };
  struct Subgraph {
    std::map<VertexId, std::vector<EdgeAt>> in_edges;
    std::map<VertexId, std::vector<EdgeAt>> out_edges;
  };
  class Marks : public Activations {
   public:
    explicit Marks(Bitmap& bits) : bits_(bits) {}

   protected:
    void take(std::span<const Entry> entries) override {
      for (const Entry& entry : entries) bits_.set(entry.v);
    }

   private:
    Bitmap& bits_;
  };

  void open(Program& program) {
    bytes_ = program.traits().message_bytes;
    for (Shard& shard : shards_) shard.values.assign(shard.sources.size() * bytes_, std::byte{0});
    scheduled_ = Bitmap(g_.id_space());
    spoke_.assign(g_.id_space(), 0);
    heard_.assign(g_.id_space(), 0);
  }

  // Puts every edge into its end points' arrays: the in-edges' targets come in random order, which
  // is the cost that LOSC avoids (its section 2.3).
  Subgraph construct_subgraph(VertexId i) const {
    Subgraph subgraph;
    for (VertexId s = 0; s < shards_.size(); ++s) {
      const Shard& shard = shards_[s];
      const auto from =
          std::lower_bound(shard.sources.begin(), shard.sources.end(), interval(i).begin) -
          shard.sources.begin();
      for (auto e = static_cast<std::size_t>(from);
           e < shard.sources.size() && shard.sources[e] < interval(i).end; ++e)
        subgraph.out_edges[shard.sources[e]].push_back({s, e});
    }
    for (std::size_t e = 0; e < shards_[i].sources.size(); ++e)
      subgraph.in_edges[shards_[i].targets[e]].push_back({i, e});
    return subgraph;
  }

  void update(Program& program, VertexId v, const Subgraph& subgraph) {
    Marks marks(active_);
    hear(program, v, subgraph, marks);
    marks.drain();
    if (!active_.get(v)) return;
    active_.clear(v);
    speak(program, v, subgraph);
  }

  // Hears the messages on v's in-edges that are new to it.
  void hear(Program& program, VertexId v, const Subgraph& subgraph, Activations& activations) {
    scheduled_.clear(v);
    const std::uint64_t before = std::exchange(heard_[v], ++clock_);
    std::vector<VertexId> sources;
    std::vector<VertexId> targets;
    std::vector<std::byte> values;
    const auto edges = subgraph.in_edges.find(v);
    if (edges == subgraph.in_edges.end()) return;
    for (const auto& [s, e] : edges->second) {
      const VertexId u = shards_[s].sources[e];
      if (spoke_[u] == 0 || spoke_[u] < before) continue;
      sources.push_back(u);
      targets.push_back(v);
      const std::byte* value = &shards_[s].values[e * bytes_];
      values.insert(values.end(), value, value + bytes_);
    }
    const EdgeRun run{sources, targets, nullptr, Access::exclusive, /*message_each=*/true};
    program.edges(run, {values.data(), bytes_}, nullptr, activations);
  }

  void speak(Program& program, VertexId u, const Subgraph& subgraph) {
    const Source source{u, static_cast<std::uint32_t>(g_.out[u].size())};
    MessageArray message(1, bytes_);
    program.begin({&source, 1}, message.view());
    spoke_[u] = ++clock_;
    const auto edges = subgraph.out_edges.find(u);
    if (edges == subgraph.out_edges.end()) return;
    for (const auto& [s, e] : edges->second) {
      std::memcpy(&shards_[s].values[e * bytes_], message.view().as<std::byte>(), bytes_);
      scheduled_.set(shards_[s].targets[e]);
    }
  }

  static bool any(const Bitmap& bits, VertexRange range) {
    bool found = false;
    bits.for_each(range.begin, range.end, [&](std::size_t) { found = true; });
    return found;
  }
  [[nodiscard]] bool any(const Bitmap& bits) const { return any(bits, {0, g_.id_space()}); }
  [[nodiscard]] VertexRange interval(VertexId i) const {
    return {std::min(i * interval_size_, g_.id_space()),
            std::min((i + 1) * interval_size_, g_.id_space())};
  }

  VertexId interval_size_;
  std::vector<Shard> shards_;
  std::vector<EdgeIndex> windows_;  // out-edges of each interval
  std::size_t bytes_ = 0;
  Bitmap active_;     // will speak
  Bitmap scheduled_;  // will be updated: active, or told something
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> spoke_;
  std::vector<std::uint64_t> heard_;
};

}  // namespace outcore::toys
