// SPDX-License-Identifier: Apache-2.0
// What all prototypes of engines need, and their common answers.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engines/engine.h"
#include "tests/contract/toys.h"

namespace outcore::toys {

// Collects activations, each vertex once.
class Collector : public Activations {
 public:
  explicit Collector(Frontier& into) : into_(into) {}

 protected:
  void take(std::span<const Entry> entries) override {
    for (const Entry& entry : entries) into_.add(entry.v);
  }

 private:
  Frontier& into_;
};

// One slot per vertex or per source; the program decides what the bytes mean.
class MessageArray {
 public:
  MessageArray(std::size_t slots, std::size_t message_bytes)
      : storage_((slots * message_bytes + 15) / 16), bytes_(message_bytes) {}
  Messages view() { return {reinterpret_cast<std::byte*>(storage_.data()), bytes_}; }

 private:
  struct alignas(16) Line {
    std::byte bytes[16];
  };
  std::vector<Line> storage_;
  std::size_t bytes_;
};

// What every toy engine answers in the same way.
class ToyEngine : public Engine {
 public:
  explicit ToyEngine(const ToyGraph& g) : g_(g), graph_(g.view()) {}
  [[nodiscard]] const Graph& graph() const override { return graph_; }
  void for_each_vertex(const VertexFn& f) override {
    std::vector<std::uint32_t> degrees;
    for (const auto& list : g_.out) degrees.push_back(static_cast<std::uint32_t>(list.size()));
    f({0, graph_.id_space}, degrees);
  }
  // Rounds until no vertex is active.
  void converge(Program& program, Frontier&& frontier) override {
    while (!frontier.empty())
      frontier = round(program, std::move(frontier), Direction::out, Mode::any);
  }
  [[nodiscard]] EngineReport report() const override { return report_; }

 protected:
  const ToyGraph& g_;
  Graph graph_;
  EngineReport report_;
};

}  // namespace outcore::toys
