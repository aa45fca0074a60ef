// SPDX-License-Identifier: Apache-2.0
// The Spy sits between an engine and a program and checks what the contract (engines/program.h)
// promises.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/hash.h"
#include "engines/frontier.h"
#include "engines/program.h"
#include "tests/contract/toy_graphs.h"

namespace outcore::toys {

// Passes everything on to a program. On the way it checks that a message is the one that begin()
// took last, and that begin() never takes the message of a vertex that was not activated (if the
// newest message is enough, a vertex that spoke before may be asked again). After a run,
// expect_each_edge_once() checks that every edge of a vertex carried each of its messages, and
// expect_nobody_waits() that every activated vertex has been begun since.
class Spy : public Program {
 public:
  Spy(Program& inner, const ToyGraph& g, const Frontier& first)
      : inner_(inner), g_(g), bytes_(inner.traits().message_bytes) {
    activate(first);
  }

  // The workload also activates vertices, before a round of its own.
  void activate(const Frontier& frontier) {
    frontier.for_each([&](VertexId v) { see_active(v); });
  }

  [[nodiscard]] Traits traits() const override { return inner_.traits(); }
  Priority priority(VertexId v) override { return inner_.priority(v); }
  void begin(std::span<const Source> sources, Messages out) override {
    forget(sources);
    inner_.begin(sources, out);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const VertexId v = sources[i].v;
      const bool anew = inner_.traits().newest_is_enough() && begun_[v] > 0;
      EXPECT_TRUE(waiting_[v] > 0 || anew) << "begun though not active: " << v;
      if (waiting_[v] > 0) --waiting_[v];
      ++begun_[v];
      taken_[v] = copy(out, i);
    }
  }
  void scatter(const AdjacencyBatch& batch, Messages messages, Activations& out) override {
    see(batch, messages);
    const Watched watched(*this, out);
    inner_.scatter(batch, messages, *watched);
  }
  void deliver(Combiner& combiner, Activations& out) override {
    const Watched watched(*this, out);
    inner_.deliver(combiner, *watched);
  }
  void listening(VertexRange range, Bitmap& out) override { inner_.listening(range, out); }
  bool listens(VertexId v) override { return inner_.listens(v); }
  void gather(const AdjacencyBatch& batch, Messages dense, const Bitmap* active,
              Activations& out) override {
    {
      const std::lock_guard lock(mutex_);
      count(batch.access);
      const bool taken = inner_.traits().takes_all_messages(true);
      for (const Piece& piece : batch.pieces) {
        ++pieces;
        edges_handed += piece.count;
        for (std::uint32_t i = 0; i < piece.count; ++i) {
          const VertexId u = piece.ids[i];
          if (active != nullptr && !active->get(u)) continue;
          if (taken) {
            carry(u, piece.v, copy(dense, u));
          } else {
            ++carried_[key_of(u, piece.v)];
          }
        }
      }
    }
    const Watched watched(*this, out);
    inner_.gather(batch, dense, active, *watched);
  }
  void edges(const EdgeRun& run, Messages dense, const Bitmap* active, Activations& out) override {
    {
      const std::lock_guard lock(mutex_);
      count(run.access);
      ++pieces;
      edges_handed += run.sources.size();
      for (std::size_t i = 0; i < run.sources.size(); ++i) {
        const VertexId u = run.sources[i];
        if (active == nullptr || active->get(u))
          carry(u, run.targets[i], copy(dense, run.message_each ? i : u));
      }
    }
    const Watched watched(*this, out);
    inner_.edges(run, dense, active, *watched);
  }
  void bin(const AdjacencyBatch& batch, Messages messages, Bins& out) override {
    see(batch, messages);
    inner_.bin(batch, messages, out);
  }
  void bin_kept(Combiner& combiner, Bins& out) override { inner_.bin_kept(combiner, out); }
  void drain(const Records& records, Activations& out) override {
    const Watched watched(*this, out);
    inner_.drain(records, *watched);
  }
  void settle(VertexRange range, Activations& out) override {
    const Watched watched(*this, out);
    inner_.settle(range, *watched);
  }

  // Push: every message went over every edge of its vertex exactly once. Pull (`at_most`): at most
  // once.
  void expect_each_edge_once(Direction direction = Direction::out, bool at_most = false) {
    const Lists& lists = g_.lists(direction);
    Times due;
    for (const auto& [u, times] : begun_) {
      for (const VertexId v : lists[u]) due[key_of(u, v)] += times;
    }
    for (const auto& [edge, times] : due) {
      const auto at = carried_.find(edge);
      const std::uint64_t seen = at == carried_.end() ? 0 : at->second;
      if (at_most) {
        EXPECT_LE(seen, times) << "edge " << name(edge);
      } else {
        EXPECT_EQ(seen, times) << "edge " << name(edge);
      }
    }
    for (const auto& [edge, times] : carried_) {
      EXPECT_TRUE(due.contains(edge)) << "no edge " << name(edge);
    }
  }
  // After a run to the end: several activations may have been begun as one, but the last was begun.
  void expect_nobody_waits() const {
    for (const auto& [v, waits] : waits_) {
      EXPECT_FALSE(waits) << "active, and never begun since: " << v;
    }
  }
  [[nodiscard]] std::uint64_t begun(VertexId v) const {
    const auto at = begun_.find(v);
    return at == begun_.end() ? 0 : at->second;
  }

  std::uint64_t pieces = 0;        // pieces and runs that were seen
  std::uint64_t edges_handed = 0;  // their edges, active or not
  std::uint64_t shared_calls = 0;  // scatter, gather or edges with Access::shared

 private:
  using Bytes = std::array<std::byte, kLargestMessage>;  // a message, then zeros
  struct Hash {
    std::size_t operator()(std::uint64_t edge) const { return mix(edge); }
  };
  using Times = std::unordered_map<std::uint64_t, std::uint64_t, Hash>;  // by edge

  static std::uint64_t key_of(VertexId u, VertexId v) { return std::uint64_t{u} << 32 | v; }
  static std::string name(std::uint64_t edge) {
    return std::to_string(edge >> 32) + " -> " + std::to_string(static_cast<VertexId>(edge));
  }

  // An Activations in front of the engine's own.
  class Watch : public Activations {
   public:
    Watch(Spy& spy, Activations& behind) : spy_(spy), behind_(behind) {}

   protected:
    void take(std::span<const Entry> entries) override {
      const std::lock_guard lock(spy_.mutex_);
      for (const Entry& entry : entries) {
        spy_.see_active(entry.v);
        behind_.add(entry.v, entry.priority);
      }
    }

   private:
    Spy& spy_;
    Activations& behind_;
  };
  class Watched {
   public:
    Watched(Spy& spy, Activations& behind) : watch_(std::make_unique<Watch>(spy, behind)) {}
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    ~Watched() { watch_->drain(); }
    Activations& operator*() const { return *watch_; }

   private:
    std::unique_ptr<Watch> watch_;
  };

  void see_active(VertexId v) {
    ++waiting_[v];
    waits_[v] = true;
  }
  // Called before their messages are taken: a vertex that is activated from now on may have missed
  // them.
  void forget(std::span<const Source> sources) {
    const std::lock_guard lock(mutex_);
    for (const Source& source : sources) waits_[source.v] = false;
  }
  Bytes copy(Messages messages, std::size_t slot) const {
    Bytes message = {};
    std::copy_n(messages.from(slot).as<std::byte>(), bytes_, message.begin());
    return message;
  }
  void count(Access access) { shared_calls += access == Access::shared ? 1 : 0; }
  void see(const AdjacencyBatch& batch, Messages messages) {
    const std::lock_guard lock(mutex_);
    count(batch.access);
    for (const Piece& piece : batch.pieces) {
      ++pieces;
      edges_handed += piece.count;
      for (std::uint32_t i = 0; i < piece.count; ++i)
        carry(piece.v, piece.ids[i], copy(messages, piece.slot));
    }
  }
  void carry(VertexId u, VertexId v, const Bytes& message) {
    ++carried_[key_of(u, v)];
    EXPECT_EQ(message, taken_[u]) << "not the message that begin() took of " << u;
  }

  Program& inner_;
  const ToyGraph& g_;
  std::size_t bytes_;
  std::mutex mutex_;
  std::unordered_map<VertexId, int> waiting_;  // activations that may still be begun
  std::unordered_map<VertexId, bool> waits_;   // since the vertex was last begun
  std::unordered_map<VertexId, std::uint64_t> begun_;
  std::unordered_map<VertexId, Bytes> taken_;
  Times carried_;
};

}  // namespace outcore::toys
