// SPDX-License-Identifier: Apache-2.0
// What one worker tells a program of values on in-edges: gathered into a batch, in the order in
// which they are added, and handed over by one call for many edges (Program::edges).
//
// Values are read and written relaxed where they are as large as a word, so that vertices may be
// updated beside their neighbours (`deterministic=off`): what is read is some value that was
// written whole.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "engines/program.h"

namespace outcore {

// Of `bytes` bytes each.
inline void copy_value(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto relaxed = [&]<typename Word>(Word /*of the size*/) {
    auto& source = *reinterpret_cast<Word*>(const_cast<std::byte*>(from));
    auto& target = *reinterpret_cast<Word*>(to);
    std::atomic_ref(target).store(std::atomic_ref(source).load(std::memory_order_relaxed),
                                  std::memory_order_relaxed);
  };
  if (bytes == sizeof(std::uint32_t)) {
    relaxed(std::uint32_t{});
  } else if (bytes == sizeof(std::uint64_t)) {
    relaxed(std::uint64_t{});
  } else {
    std::memcpy(to, from, bytes);
  }
}

class HearingBatch {
 public:
  // For one pass; activations go to `out`.
  void start(Program& program, Activations& out, bool weighted) {
    program_ = &program;
    out_ = &out;
    bytes_ = program.traits().message_bytes;
    weighted_ = weighted;
    edges_ = 0;
  }
  void add(VertexId source, VertexId target, const std::byte* value, float weight) {
    sources_[count_] = source;
    targets_[count_] = target;
    copy_value(values_.data() + count_ * bytes_, value, bytes_);
    weights_[count_] = weight;
    if (++count_ == kBatch) hand_over();
  }
  // What was added is heard when this returns, and activations are drained.
  void flush() {
    hand_over();
    out_->drain();
  }
  // That were handed over.
  [[nodiscard]] std::uint64_t edges() const { return edges_; }

 private:
  static constexpr std::size_t kBatch = 1024;

  void hand_over() {
    if (count_ == 0) return;
    const EdgeRun run{.sources = std::span(sources_).first(count_),
                      .targets = std::span(targets_).first(count_),
                      .weights = weighted_ ? weights_.data() : nullptr,
                      .access = Access::exclusive,
                      .message_each = true};
    program_->edges(run, {values_.data(), bytes_}, nullptr, *out_);
    edges_ += count_;
    count_ = 0;
  }

  Program* program_ = nullptr;
  Activations* out_ = nullptr;
  std::size_t bytes_ = 0;
  bool weighted_ = false;
  std::size_t count_ = 0;
  std::uint64_t edges_ = 0;
  std::array<VertexId, kBatch> sources_ = {};
  std::array<VertexId, kBatch> targets_ = {};
  std::array<float, kBatch> weights_ = {};
  alignas(kLargestMessage) std::array<std::byte, kBatch* kLargestMessage> values_ = {};
};

}  // namespace outcore
