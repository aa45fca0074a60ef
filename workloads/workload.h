// SPDX-License-Identifier: Apache-2.0
// A workload: an algorithm in one file, with its parameters, its program and its verifier.
//
// run() asks the engine to converge or to do rounds, and returns one value per vertex in canonical
// order, so that answers can be compared across engines and layouts. verify() is an independent,
// slow check against the canonical lists (the imported file), which the program never saw.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "common/parameters.h"
#include "engines/engine.h"
#include "storage/container/container.h"

namespace outcore {

// What the values of a workload are: whole numbers (levels, 0 or 1), vertices, or real numbers.
enum class ValueKind : std::uint8_t { count, vertex, real };

// One value per canonical vertex.
struct Answer {
  std::variant<std::vector<std::uint32_t>, std::vector<float>> values;
  bool exact = true;            // the same bits from every engine; else within a tolerance
  bool names_vertices = false;  // the values are canonical ids
  nlohmann::json summary;       // what a person wants first: reached, components, ...
  // Another program's: it says nothing beside its values, and where a question has several right
  // answers (mis), any of them will do.
  bool foreign = false;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::string digest() const;
};

struct Verdict {
  std::string how;  // the independent program that checked it
  bool passed = false;
  std::string detail;  // the first wrong vertex: found, expected
};

// The canonical lists, as the importer or generator wrote them.
struct Canonical {
  CsrView out;
  CsrView in;
};

// The rest of a run, after which the engine and its memory are no longer needed: it puts the values
// into canonical order and makes the summary.
using Finish = std::function<Answer()>;

struct Workload {
  std::string name;
  std::string help;
  std::vector<Parameter> parameters;
  bool needs_symmetric = false;
  bool needs_heads = false;       // Engine::heads, as many as its parameter `heads` says
  bool needs_drive = false;       // Engine::drive
  bool needs_reverse = false;     // rounds along in-edges: Direction::in
  bool counts_rounds = false;     // each sees only earlier ones: Visibility::round
  bool needs_lengths = false;     // weights of at least 0
  std::size_t message_bytes = 4;  // of its largest messages
  ValueKind values = ValueKind::count;
  // What loops and parallel edges mean to it, for a note if the graph has any; empty: nothing.
  std::string repeats = {};
  std::string sentence = {};  // its summary in words (in_words.h)
  // The Finish that it returns may use the layout, but nothing of the engine.
  std::function<Finish(Engine&, const Parameters&)> run;
  std::function<Verdict(const Canonical&, const Answer&, const Parameters&)> verify;
};

// What the workload needs and the engine does not offer; empty if there is nothing.
std::string missing(const EngineTraits& engine, const Workload& workload);
// The same for graphs that are symmetric, or are not.
std::string missing(const EngineTraits& engine, const Workload& workload, bool symmetric);
// The same for the engine on this graph, which may lack heads, or room for messages.
std::string missing(const EngineTraits& engine, const OpenedGraph& graph, const Workload& workload);
inline bool can_run(const EngineTraits& engine, const OpenedGraph& graph,
                    const Workload& workload) {
  return missing(engine, graph, workload).empty();
}

// The level of a vertex that the search does not reach.
inline constexpr std::uint32_t kNoLevel = ~std::uint32_t{0};

// Out-degrees by layout id. Vertices without edges (half of a Kronecker graph) take no memory.
template <typename T>
State<T> out_degrees(Engine& engine, const std::string& name) {
  State<T> degrees = engine.state<T>(name);
  engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> part) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] > 0) degrees[range.begin + i] = static_cast<T>(part[i]);
    }
  });
  return degrees;
}

// The vertices for which f(v, its out-degree) holds. f is called from many threads.
template <typename F>
Frontier vertices_where(Engine& engine, F&& f) {
  Bitmap bits(engine.graph().id_space);
  engine.for_each_vertex([&](VertexRange range, std::span<const std::uint32_t> degrees) {
    bits.set_where(range.begin, range.end, [&](std::size_t v) {
      return f(static_cast<VertexId>(v), degrees[v - range.begin]);
    });
  });
  return Frontier::from_bits(std::move(bits));
}

// Calls body(first, last) for parts of [0, ids), from as many threads as the engine had, or from
// the caller alone where that is quicker. Not a team of OpenMP: its threads wait awake for what
// never comes, so a run of a few milliseconds took up to 8 more.
void for_parts_of_answer(VertexId ids, const std::function<void(VertexId, VertexId)>& body);

// The values f(layout id), in canonical order. f is called from many threads.
template <typename T, typename F>
std::vector<T> canonical_values(const Graph& graph, F&& f) {
  std::vector<T> result(graph.vertices);
  for_parts_of_answer(graph.id_space, [&](VertexId first, VertexId last) {
    for (VertexId v = first; v < last; ++v) {
      if (graph.is_real(v)) result[graph.original(v)] = f(v);
    }
  });
  return result;
}

// Puts values by layout id into canonical order.
template <typename T>
std::vector<T> in_canonical_order(const Graph& graph, const State<T>& by_layout_id) {
  return canonical_values<T>(graph, [&](VertexId v) { return by_layout_id[v]; });
}

// Compares exactly and names the first vertex that differs.
template <typename T>
Verdict compare(const std::string& how, const std::vector<T>& found,
                const std::vector<T>& expected);

// The verdict; but a failure where the answer's summary says another number than `counted`, by the
// verifier, under `name`. An answer that was put together without a summary says nothing.
Verdict check_said(Verdict verdict, const Answer& answer, const char* name, double counted);

// --- The registry (registry.cc has one line per workload) ---
const std::vector<Workload>& workloads();
const Workload& find_workload(const std::string& name);  // throws unknown_name

}  // namespace outcore
