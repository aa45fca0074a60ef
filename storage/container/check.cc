// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "common/error.h"
#include "common/hash.h"
#include "storage/container/container.h"
#include "storage/container/hashed_file.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAdvice = "import or generate the graph again";

std::string file_of(const fs::path& folder, Direction direction, const char* what) {
  return folder / fmt::format("{}.{}", direction == Direction::out ? "out" : "in", what);
}

[[noreturn]] void broken_target(const fs::path& folder, Direction direction, EdgeIndex edge,
                                const std::string& found, const std::string& expected) {
  throw bad_input(Place::offset(file_of(folder, direction, "targets"), edge * sizeof(VertexId)),
                  found, expected, kAdvice);
}

[[noreturn]] void broken_weight(const fs::path& folder, Direction direction, EdgeIndex edge,
                                const std::string& found, const std::string& expected) {
  throw bad_input(Place::offset(file_of(folder, direction, "weights"), edge * sizeof(float)), found,
                  expected, kAdvice);
}

void check_lists(const fs::path& folder, const CsrView& csr, Direction direction) {
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    VertexId before = 0;
    for (EdgeIndex edge = csr.offsets()[v]; edge < csr.offsets()[v + 1]; ++edge) {
      const VertexId target = csr.targets()[edge];
      if (target >= csr.vertices()) {
        broken_target(folder, direction, edge, fmt::format("vertex {}", target),
                      fmt::format("0 to {}", csr.vertices() - 1));
      }
      if (target < before) {
        broken_target(folder, direction, edge,
                      fmt::format("vertex {} after {} in the list of {}", target, before, v),
                      "ascending lists");
      }
      before = target;
    }
  }
}

// REQUIRES: check_lists passed.
void check_weights(const fs::path& folder, const CsrView& csr, Direction direction) {
  for (VertexId v = 0; v < csr.vertices(); ++v) {
    const EdgeIndex first = csr.offsets()[v];
    for (EdgeIndex edge = first; edge < csr.offsets()[v + 1]; ++edge) {
      const float weight = csr.weights()[edge];
      if (!std::isfinite(weight)) {
        broken_weight(folder, direction, edge, fmt::format("weight {}", weight), "a finite number");
      }
      if (edge == first || csr.targets()[edge - 1] != csr.targets()[edge]) continue;
      if (csr.weights()[edge - 1] <= weight) continue;
      broken_weight(folder, direction, edge,
                    fmt::format("weight {} after {} of parallel edges {} -> {}", weight,
                                csr.weights()[edge - 1], v, csr.targets()[edge]),
                    "ascending weights");
    }
  }
}

// A hash of an edge and, if there is one, its weight.
std::uint64_t edge_hash(VertexId source, VertexId target, const CsrView& csr, EdgeIndex edge) {
  const std::uint64_t ends = mix(std::uint64_t{source} << 32 | target);
  if (csr.weights().empty()) return ends;
  return mix(ends ^ std::bit_cast<std::uint32_t>(csr.weights()[edge]));
}

// How often u -> v is in `csr`, with this weight if there are weights.
std::ptrdiff_t times(const CsrView& csr, VertexId u, VertexId v, float weight) {
  const auto list = csr.list(u);
  const auto [first, last] = std::equal_range(list.begin(), list.end(), v);
  if (csr.weights().empty()) return last - first;
  const auto weights = csr.weights(u).subspan(static_cast<std::size_t>(first - list.begin()),
                                              static_cast<std::size_t>(last - first));
  return std::count_if(weights.begin(), weights.end(), [&](float other) {
    return std::bit_cast<std::uint32_t>(other) == std::bit_cast<std::uint32_t>(weight);
  });
}

// Does `mirror` have v -> u for every edge u -> v of `lists`, as often and with the same weight?
// Decided by sums of hashes over the edges of both.
bool is_mirrored(const CsrView& lists, const CsrView& mirror) {
  std::uint64_t balance = 0;
  for (VertexId u = 0; u < lists.vertices(); ++u) {
    for (EdgeIndex edge = lists.offsets()[u]; edge < lists.offsets()[u + 1]; ++edge) {
      balance += edge_hash(u, lists.targets()[edge], lists, edge);
    }
    for (EdgeIndex edge = mirror.offsets()[u]; edge < mirror.offsets()[u + 1]; ++edge) {
      balance -= edge_hash(mirror.targets()[edge], u, mirror, edge);
    }
  }
  return balance == 0;
}

// Searches for the place only if there is an asymmetry to find.
void check_mirrored(const fs::path& folder, const CsrView& lists, Direction direction,
                    const CsrView& mirror) {
  if (is_mirrored(lists, mirror)) return;
  const CsrView bare_lists(lists.offsets(), lists.targets());
  const CsrView bare_mirror(mirror.offsets(), mirror.targets());
  for (VertexId u = 0; u < lists.vertices(); ++u) {
    for (EdgeIndex edge = lists.offsets()[u]; edge < lists.offsets()[u + 1]; ++edge) {
      const VertexId v = lists.targets()[edge];
      const float weight = lists.weights().empty() ? 0 : lists.weights()[edge];
      if (times(lists, u, v, weight) <= times(mirror, v, u, weight)) continue;
      if (times(bare_lists, u, v, 0) <= times(bare_mirror, v, u, 0)) {
        broken_weight(folder, direction, edge,
                      fmt::format("weight {} of edge {} -> {}", weight, u, v),
                      fmt::format("the weight of its mirror in the list of {}", v));
      }
      broken_target(folder, direction, edge, fmt::format("edge {} -> {}", u, v),
                    fmt::format("its mirror in the list of {}", v));
    }
  }
  throw bad_input(Place::file(file_of(folder, Direction::in, "targets")),
                  "in-lists with edges that no out-list has", "the out-lists turned around",
                  kAdvice);
}

void check_ids(Container& container) {
  const std::span<const std::uint64_t> ids = container.ids();
  for (std::size_t i = 1; i < ids.size(); ++i) {
    if (ids[i - 1] < ids[i]) continue;
    throw bad_input(Place::offset(container.folder() / "ids", i * sizeof(std::uint64_t)),
                    fmt::format("id {} after {}", ids[i], ids[i - 1]), "ascending ids", kAdvice);
  }
}

// REQUIRES: Container::names() passed. Vertices by ascending hash; each vertex and name once.
void check_names(const fs::path& folder, const Names& names) {
  std::vector<bool> seen(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const VertexId v = names.order()[i];
    if (!seen[v] && names.find(names[v]) == v) {
      seen[v] = true;
      continue;
    }
    throw bad_input(Place::offset(folder / "names.order", i * sizeof(VertexId)),
                    fmt::format("vertex {}, named '{}'", v, names[v]),
                    "each vertex once, by the ascending hash of a name that no other one has",
                    kAdvice);
  }
}

void check_repeats(const Container& container, const CsrView& out) {
  const EdgeRepeats found = count_repeats(out);
  const EdgeRepeats& said = *container.facts().repeats;
  if (found == said) return;
  throw bad_input(
      Place::file(container.folder() / "graph.json"),
      fmt::format("loops {}, parallel {}", said.loops, said.parallel),
      fmt::format("loops {}, parallel {}, as the lists have", found.loops, found.parallel),
      kAdvice);
}

void check_direction(Container& container, Direction direction,
                     const std::function<void(const std::string&)>& held) {
  const char* const name = direction == Direction::out ? "out" : "in";
  const CsrView csr = container.csr(direction);
  held(fmt::format("{}: file sizes", name));
  held(fmt::format("{}: offsets ascend from 0 to the number of edges", name));
  check_lists(container.folder(), csr, direction);
  held(fmt::format("{}: lists ascend, targets are vertices", name));
  if (!container.facts().weighted) return;
  check_weights(container.folder(), csr, direction);
  held(fmt::format("{}: weights are finite, those of parallel edges ascend", name));
}

}  // namespace

void check_container(const fs::path& folder, const std::function<void(const std::string&)>& held) {
  Container container(folder);
  check_direction(container, Direction::out, held);
  const CsrView out = container.csr(Direction::out);
  if (container.facts().symmetric) {
    check_mirrored(container.folder(), out, Direction::out, out);
    held("symmetric: each edge in both directions");
  } else {
    check_direction(container, Direction::in, held);
    check_mirrored(container.folder(), out, Direction::out, container.csr(Direction::in));
    held("in: the out-lists turned around");
  }
  if (container.facts().repeats) {
    check_repeats(container, out);
    held("graph.json: loops and parallel edges are as many as it says");
  }
  if (container.facts().has_ids) {
    check_ids(container);
    held("ids: ascending");
  }
  if (container.facts().has_names) {
    check_names(container.folder(), container.names());
    held("names: each vertex is found by its own");
  }
  const fs::path manifest = container.folder() / "graph.json";
  for (const std::string& name : file_names(container.manifest(), manifest)) {
    check_file_hash(container.folder() / name, file_entry(container.manifest(), name, manifest));
  }
  check_seal(container.manifest(), manifest);
  held("checksums of all files");
}

}  // namespace outcore
