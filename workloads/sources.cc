// SPDX-License-Identifier: Apache-2.0
#include "workloads/sources.h"

#include <fmt/format.h>

#include <charconv>
#include <mutex>
#include <optional>

#include "common/error.h"
#include "common/hash.h"

namespace outcore {

ParameterSpec source_parameter() {
  return {"source", "max-degree", "max-degree, random:SEED or a vertex id",
          ParameterSpec::Kind::vertex};
}

namespace {

struct SourceText {
  enum class Kind : std::uint8_t { max_degree, random, id } kind = Kind::id;
  std::uint64_t number = 0;
  std::string given = {};  // as it was, with the option, for errors
};

SourceText parse_source(const std::string& text, const std::string& option = "--source ") {
  const std::string given = option + text;
  if (text == "max-degree") return {SourceText::Kind::max_degree, 0, given};
  const std::string prefix = "random:";
  const bool random = text.starts_with(prefix);
  const std::string digits = random ? text.substr(prefix.size()) : text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw usage_error(given + ": write max-degree, random:SEED or a vertex id");
  }
  return {random ? SourceText::Kind::random : SourceText::Kind::id, value, given};
}

[[noreturn]] void throw_no_source(const SourceText& source) {
  throw usage_error(source.given + (source.kind == SourceText::Kind::id
                                        ? ": there is no such vertex"
                                        : ": no vertex of this graph has an edge"));
}

// The first `count` of the vertices that were offered: of those that have edges by degree or by a
// hash, ties by original id, or the one that has the id.
class Choice {
 public:
  Choice(const SourceText& source, std::size_t count)
      : source_(source), seed_(mix(source.number)), count_(count) {}

  // Can a vertex of this degree be among them? Who it is takes longer to find.
  [[nodiscard]] bool asks_for(std::uint64_t degree) const {
    switch (source_.kind) {
      case SourceText::Kind::max_degree:
        return degree >= least_;
      case SourceText::Kind::random:
        return degree > 0;
      case SourceText::Kind::id:
        break;
    }
    return true;
  }
  void offer(VertexId v, VertexId original, std::uint64_t degree) {
    if (original == kNoVertex || !asks_for(degree)) return;
    switch (source_.kind) {
      case SourceText::Kind::id:
        if (original == source_.number) offer({0, original, v});
        break;
      case SourceText::Kind::max_degree:
        offer({degree, original, v});
        break;
      case SourceText::Kind::random:
        offer({mix(seed_ ^ original), original, v});
        break;
    }
  }
  void offer(const Choice& other) {
    for (const Candidate& candidate : other.best_) offer(candidate);
  }
  std::vector<VertexId> chosen() && {
    std::sort_heap(best_.begin(), best_.end(), sooner);
    std::vector<VertexId> vertices;
    for (const Candidate& candidate : best_) vertices.push_back(candidate.v);
    if (vertices.empty()) throw_no_source(source_);
    return vertices;
  }

 private:
  struct Candidate {
    std::uint64_t rank;
    VertexId original;
    VertexId v;
  };
  static bool sooner(const Candidate& a, const Candidate& b) {
    return a.rank > b.rank || (a.rank == b.rank && a.original < b.original);
  }

  void offer(const Candidate& candidate) {
    if (best_.size() == count_) {
      if (!sooner(candidate, best_.front())) return;
      std::pop_heap(best_.begin(), best_.end(), sooner);
      best_.pop_back();
    }
    best_.push_back(candidate);
    std::push_heap(best_.begin(), best_.end(), sooner);
    if (best_.size() == count_) least_ = std::max(least_, best_.front().rank);
  }

  SourceText source_;
  std::uint64_t seed_;
  std::size_t count_;
  std::vector<Candidate> best_;  // a heap, the last of them on top
  std::uint64_t least_ = 1;      // degree that can still be among them
};

Choice choice_of(const std::string& text, std::size_t count) {
  const SourceText source = parse_source(text);
  if (source.kind == SourceText::Kind::id && count > 1) {
    throw usage_error(
        fmt::format("--source {}: that is one vertex and {} are wanted; write "
                    "max-degree or random:SEED",
                    text, count));
  }
  return {source, count};
}

}  // namespace

std::vector<VertexId> find_sources(Engine& engine, const std::string& text, std::size_t count) {
  const Graph& graph = engine.graph();
  const Choice nothing = choice_of(text, count);
  Choice choice = nothing;
  std::mutex mutex;
  engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
    Choice part = nothing;
    for (VertexId v = range.begin; v < range.end; ++v) {
      const std::uint64_t degree = degrees[v - range.begin];
      if (part.asks_for(degree)) part.offer(v, graph.original(v), degree);
    }
    const std::lock_guard lock(mutex);
    choice.offer(part);
  });
  return std::move(choice).chosen();
}

std::vector<VertexId> find_sources(const CsrView& out, const std::string& text, std::size_t count) {
  Choice choice = choice_of(text, count);
  for (VertexId v = 0; v < out.vertices(); ++v) choice.offer(v, v, out.degree(v));
  return std::move(choice).chosen();
}

VertexId find_source(Engine& engine, const std::string& text) {
  return find_sources(engine, text, 1).front();
}

VertexId find_source(const CsrView& out, const std::string& text) {
  return find_sources(out, text, 1).front();
}

void check_source(const std::string& text, VertexId vertices, EdgeIndex edges,
                  const std::string& option) {
  const SourceText source = parse_source(text, option);
  const bool there = source.kind == SourceText::Kind::id ? source.number < vertices : edges > 0;
  if (!there) throw_no_source(source);
}

}  // namespace outcore
