// SPDX-License-Identifier: Apache-2.0
#include "workloads/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <ranges>
#include <string_view>

#include "common/error.h"
#include "common/hash.h"
#include "common/parse_number.h"

namespace outcore {

Parameter source_parameter(const std::string& how_many) {
  return {.name = "source",
          .fallback = "max-degree",
          .help = how_many.empty() ? "max-degree, random:SEED or a vertex id"
                                   : "max-degree, random:SEED, a vertex id or several: ID+ID",
          .kind = Parameter::Kind::vertex,
          .how_many = how_many};
}

std::optional<std::vector<std::uint64_t>> joined_ids(std::string_view text) {
  std::vector<std::uint64_t> ids;
  for (const auto& part : std::views::split(text, '+')) {
    const std::optional<std::uint64_t> id = parse_number<std::uint64_t>({part.begin(), part.end()});
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  if (ids.empty()) return std::nullopt;
  std::sort(ids.begin(), ids.end());
  return ids;
}

namespace {

struct SourceText {
  enum class Kind : std::uint8_t { max_degree, random, ids } kind = Kind::ids;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> ids = {};  // ascending
  std::string given = {};               // the text as it was given, with its option, for errors
};

SourceText parse_source(const std::string& text, const std::string& option = "--source ") {
  const std::string given = option + text;
  if (text == "max-degree") return {.kind = SourceText::Kind::max_degree, .given = given};
  const std::string prefix = "random:";
  if (text.starts_with(prefix)) {
    const auto seed = parse_number<std::uint64_t>(std::string_view(text).substr(prefix.size()));
    if (seed) return {.kind = SourceText::Kind::random, .seed = *seed, .given = given};
  } else if (const auto ids = joined_ids(text)) {
    const auto twice = std::adjacent_find(ids->begin(), ids->end());
    if (twice == ids->end()) return {.ids = *ids, .given = given};
    throw usage_error(fmt::format("{}: {} is named twice", given, *twice));
  }
  throw usage_error(given + ": write max-degree, random:SEED or a vertex id");
}

[[noreturn]] void throw_no_source(const SourceText& source) {
  if (source.kind != SourceText::Kind::ids) {
    throw usage_error(source.given + ": no vertex of this graph has an edge");
  }
  throw usage_error(source.given + (source.ids.size() == 1
                                        ? ": there is no such vertex"
                                        : ": some of these vertices do not exist"));
}

// How many sources that is if `count` are wanted (unset: exactly one).
std::size_t how_many(const SourceText& source, std::optional<std::size_t> count) {
  const std::size_t named = source.ids.size();
  if (source.kind != SourceText::Kind::ids || named == count.value_or(1)) return count.value_or(1);
  if (!count) {
    throw usage_error(
        fmt::format("{}: those are {} vertices, but this begins at one; separate "
                    "them by commas for a trial each",
                    source.given, named));
  }
  if (*count == 1) return named;
  throw usage_error(fmt::format(
      "{}: that is {} but {} are wanted; name as many (ID+ID), or write max-degree or random:SEED",
      source.given, named == 1 ? "one vertex" : fmt::format("{} vertices", named), *count));
}

// The first `count` of the vertices that were offered: with max-degree and random, of those that
// have edges, by degree or by a hash, ties by original id; otherwise those that have the given ids.
class Choice {
 public:
  Choice(const SourceText& source, std::size_t count)
      : source_(source), seed_(mix(source.seed)), count_(count) {}

  // Can a vertex of this degree be chosen? Cheaper to ask than its original id.
  [[nodiscard]] bool asks_for(std::uint64_t degree) const {
    switch (source_.kind) {
      case SourceText::Kind::max_degree:
        return degree >= least_;
      case SourceText::Kind::random:
        return degree > 0;
      case SourceText::Kind::ids:
        break;
    }
    return true;
  }
  void offer(VertexId v, VertexId original, std::uint64_t degree) {
    if (original == kNoVertex || !asks_for(degree)) return;
    switch (source_.kind) {
      case SourceText::Kind::ids:
        if (std::binary_search(source_.ids.begin(), source_.ids.end(), original)) {
          offer({0, original, v});
        }
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
    if (vertices.size() < std::max<std::size_t>(1, source_.ids.size())) throw_no_source(source_);
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
  std::vector<Candidate> best_;  // a heap with the last candidate on top
  std::uint64_t least_ = 1;      // the smallest degree that can still be chosen
};

Choice choice_of(const std::string& text, std::optional<std::size_t> count) {
  const SourceText source = parse_source(text);
  return {source, how_many(source, count)};
}

std::vector<VertexId> chosen_by(Engine& engine, Choice choice) {
  const Graph& graph = engine.graph();
  const Choice nothing = choice;
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

std::vector<VertexId> chosen_by(const CsrView& out, Choice choice) {
  for (VertexId v = 0; v < out.vertices(); ++v) choice.offer(v, v, out.degree(v));
  return std::move(choice).chosen();
}

}  // namespace

std::vector<VertexId> find_sources(Engine& engine, const std::string& text, std::size_t count) {
  return chosen_by(engine, choice_of(text, count));
}

std::vector<VertexId> find_sources(const CsrView& out, const std::string& text, std::size_t count) {
  return chosen_by(out, choice_of(text, count));
}

VertexId find_source(Engine& engine, const std::string& text) {
  return chosen_by(engine, choice_of(text, std::nullopt)).front();
}

VertexId find_source(const CsrView& out, const std::string& text) {
  return chosen_by(out, choice_of(text, std::nullopt)).front();
}

void check_source(const std::string& text, std::optional<std::size_t> count, EdgeIndex edges,
                  const std::string& option) {
  const SourceText source = parse_source(text, option);
  how_many(source, count);
  if (source.kind != SourceText::Kind::ids && edges == 0) throw_no_source(source);
}

}  // namespace outcore
