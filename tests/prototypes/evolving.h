// SPDX-License-Identifier: Apache-2.0
// A model of XPGraph (Wang, He, Zong et al., MICRO 2022): a graph that arrives as a stream, and
// queries on a prefix of it while more arrives.
//
// An update goes first into the edge log, then (buffering phase) into the buffer of its source,
// then, four at a time, into the source's chain; the same for in-edges (section III). A list
// consists of chain, buffer and log, in the order of arrival: unsorted, with duplicates, and with
// removals, each of which removes one earlier edge. Whether an edge is still there depends only on
// later removals, so a list is read from its newest entry to its oldest, in pieces.
//
// A removal of a missing edge is dropped and counted when it is buffered. So a vertex's degree,
// which begin() needs, is known without reading its list.
//
// A Snapshot is the first `updates` of the stream, permanently: entries never move within a list,
// so the snapshot stores how many entries of each list are its own, and its part of the log.
// Visibility is `round`.
#pragma once

#include <map>
#include <mutex>

#include "tests/prototypes/toy_engine.h"

namespace outcore::toys {

struct Update {
  VertexId u = 0;
  VertexId v = 0;
  bool removal = false;
};
// A neighbour as the store holds it.
struct Entry {
  VertexId v = 0;
  bool removal = false;
};

// Both directions of the lists of `vertices` vertices. Safe from any thread.
class EvolvingStore {
 public:
  static constexpr std::size_t kVertexBuffer = 4;  // entries that are flushed by one write
  static constexpr std::size_t kBufferingThreshold = 6;

  explicit EvolvingStore(VertexId vertices) {
    for (Side& side : sides_) side.resize(vertices);
  }

  void ingest(Update update) {
    const std::lock_guard lock(mutex_);
    log_.push_back(update);
    ++updates_;
    if (log_.size() >= kBufferingThreshold) buffer_edges();
  }

  [[nodiscard]] std::uint64_t removals_missed() const {
    const std::lock_guard lock(mutex_);
    return removals_missed_;
  }

 private:
  friend class Snapshot;
  struct List {
    std::vector<std::array<Entry, kVertexBuffer>> chain;
    std::vector<Entry> buffer;
    std::uint32_t degree = 0;  // edges that are still there

    [[nodiscard]] std::uint32_t entries() const {
      return static_cast<std::uint32_t>(chain.size() * kVertexBuffer + buffer.size());
    }
    [[nodiscard]] Entry entry(std::size_t i) const {
      return i < chain.size() * kVertexBuffer ? chain[i / kVertexBuffer][i % kVertexBuffer]
                                              : buffer[i - chain.size() * kVertexBuffer];
    }
    void append(Entry entry) {
      buffer.push_back(entry);
      degree += entry.removal ? -1U : 1U;
      if (buffer.size() < kVertexBuffer) return;
      std::copy(buffer.begin(), buffer.end(), chain.emplace_back().begin());
      buffer.clear();
    }
  };
  using Side = std::vector<List>;  // by Direction

  // Buffering phase. (The paper shards it by ranges of sources, without locks.)
  void buffer_edges() {
    for (const Update& update : log_) {
      if (update.removal && standing(sides_[0][update.u], update.v) == 0) {
        ++removals_missed_;
        continue;
      }
      sides_[0][update.u].append({update.v, update.removal});
      sides_[1][update.v].append({update.u, update.removal});
    }
    log_.clear();
  }
  static int standing(const List& list, VertexId v) {
    int count = 0;
    for (std::size_t i = 0; i < list.entries(); ++i) {
      if (list.entry(i).v == v) count += list.entry(i).removal ? -1 : 1;
    }
    return count;
  }

  mutable std::mutex mutex_;
  std::vector<Update> log_;  // what is not buffered yet
  std::uint64_t updates_ = 0;
  std::uint64_t removals_missed_ = 0;
  std::array<Side, 2> sides_;
};

class Snapshot {
 public:
  explicit Snapshot(const EvolvingStore& store) : store_(store) {
    const std::lock_guard lock(store.mutex_);
    updates_ = store.updates_;
    for (std::size_t d = 0; d < 2; ++d) {
      for (const auto& list : store.sides_[d]) {
        entries_[d].push_back(list.entries());
        degrees_[d].push_back(list.degree);
      }
    }
    for (const Update& update : store.log_) {
      if (update.removal && standing(update.u, update.v) == 0) continue;
      logged_[0][update.u].push_back({update.v, update.removal});
      logged_[1][update.v].push_back({update.u, update.removal});
      degrees_[0][update.u] += update.removal ? -1U : 1U;
      degrees_[1][update.v] += update.removal ? -1U : 1U;
    }
  }

  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] const std::vector<std::uint32_t>& degrees(Direction direction) const {
    return degrees_[static_cast<std::size_t>(direction)];
  }

  // Calls f with v's list in pieces of edges that are still there, the newest first.
  template <typename F>
  void read(Direction direction, VertexId v, F&& f) const {
    const auto d = static_cast<std::size_t>(direction);
    std::map<VertexId, int> removed;  // by entries newer than the ones that follow
    std::vector<VertexId> ids;
    std::uint32_t first = 0;
    const auto hand_on = [&] {
      const auto count = static_cast<std::uint32_t>(ids.size());
      f(Piece{v, 0, first, count, degrees_[d][v], ids.data(), nullptr});
      first += count;
      ids.clear();
    };
    for_each_entry(d, v, [&](Entry entry) {
      if (entry.removal) {
        ++removed[entry.v];
      } else if (removed[entry.v] > 0) {
        --removed[entry.v];
      } else {
        ids.push_back(entry.v);
        if (ids.size() == EvolvingStore::kVertexBuffer) hand_on();
      }
    });
    if (!ids.empty()) hand_on();
  }

 private:
  // Newest first: log, buffer, chain.
  template <typename F>
  void for_each_entry(std::size_t d, VertexId v, F&& f) const {
    if (const auto at = logged_[d].find(v); at != logged_[d].end())
      std::for_each(at->second.rbegin(), at->second.rend(), f);
    std::vector<Entry> stored;
    {
      const std::lock_guard lock(store_.mutex_);
      for (std::uint32_t i = 0; i < entries_[d][v]; ++i)
        stored.push_back(store_.sides_[d][v].entry(i));
    }
    std::for_each(stored.rbegin(), stored.rend(), f);
  }
  int standing(VertexId u, VertexId v) {
    int count = EvolvingStore::standing(store_.sides_[0][u], v);
    for (const Entry& entry : logged_[0][u]) {
      if (entry.v == v) count += entry.removal ? -1 : 1;
    }
    return count;
  }

  const EvolvingStore& store_;
  std::uint64_t updates_ = 0;
  std::array<std::vector<std::uint32_t>, 2> entries_;  // in buffer and chain
  std::array<std::vector<std::uint32_t>, 2> degrees_;
  std::array<std::map<VertexId, std::vector<Entry>>, 2> logged_;
};

// An engine over a snapshot; `graph` defines its ids.
class Evolving : public Engine {
 public:
  Evolving(const EvolvingStore& store, const Graph& graph) : snapshot_(store), graph_(graph) {
    report_.notes.push_back("prefix of " + std::to_string(snapshot_.updates()) + " updates");
  }

  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] EngineTraits traits() const override { return {}; }
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  [[nodiscard]] EngineReport report() const override { return report_; }
  void for_each_vertex(const VertexFn& f) override {
    f({0, graph_.id_space}, snapshot_.degrees(Direction::out));
  }
  void converge(Program& program, Frontier&& frontier) override {
    while (!frontier.empty())
      frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
  Frontier round(Program& program, Frontier&& frontier, Direction direction,
                 Mode /*push*/) override {
    MessageArray messages(graph_.id_space, program.traits().message_bytes);
    frontier.for_each([&](VertexId u) {
      const Source source{u, snapshot_.degrees(direction)[u]};
      program.begin({&source, 1}, messages.view().from(u));
    });
    Frontier next(graph_.id_space);
    Collector activations(next);
    frontier.for_each([&](VertexId u) {
      snapshot_.read(direction, u, [&](const Piece& piece) {
        program.scatter({{&piece, 1}, Access::exclusive}, messages.view().from(u), activations);
      });
    });
    if (program.traits().settles) program.settle({0, graph_.id_space}, activations);
    activations.drain();
    return next;
  }

 private:
  Snapshot snapshot_;
  Graph graph_;
  EngineReport report_;
};

}  // namespace outcore::toys
