// SPDX-License-Identifier: Apache-2.0
// The container: a folder that holds one graph.
//
//   graph.json            version, counts, flags, provenance, size and xxh3 of every file below,
//                         and a checksum of graph.json itself (hashed_file.h, sealed)
//   out.offsets           n + 1 little-endian u64: where each vertex's list begins, in edges
//   out.targets           m little-endian u32: the lists, each sorted ascending
//   out.weights           m little-endian float32: the weight of each target, in the same order;
//                         only in a weighted graph. All are finite; those of parallel edges ascend
//   in.offsets in.targets the same for in-edges; only in a directed graph
//   in.weights
//   ids                   n little-endian u64: the id that the imported file gave each vertex;
//                         absent if it is the vertex's own number
//   names.bytes names.offsets names.order
//                         the name that the file gave each vertex, if it has names instead of
//                         numbers (names.h); then there is no `ids`
//   layouts/<name>/       one folder per layout (storage/layout/layout.h)
//
// graph.json counts loops and parallel edges in "loops" and "parallel", and has "has_names" if
// there are names. Older graphs have none of these fields, and older readers ignore them.
//
// This is the *canonical* CSR: converters and verifiers read it, engines never do (a test corrupts
// it, and they still answer). All numbers are little-endian. The version is 3; others are refused.
// A container appears whole or not at all: it is written under a temporary name and renamed
// (common/files.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/container/names.h"

namespace outcore {

inline constexpr int kContainerVersion = 3;

// The edges that keep the graph from being a simple one. In a symmetric graph both directions
// count, as for all its edges; a loop is stored once.
struct EdgeRepeats {
  std::uint64_t loops = 0;     // from a vertex to itself
  std::uint64_t parallel = 0;  // not loops, with the same ends as the edge before
  friend bool operator==(const EdgeRepeats&, const EdgeRepeats&) = default;
};

struct GraphFacts {
  std::string name;
  VertexId vertices = 0;
  EdgeIndex edges = 0;     // directed edges as stored: a symmetric graph counts each twice
  bool symmetric = false;  // each edge is stored in both directions
  bool has_ids = false;
  bool has_names = false;
  bool weighted = false;
  std::optional<EdgeRepeats> repeats;  // unset: not counted when the graph was made
  nlohmann::json provenance;  // how it was made: generator and parameters, or imported file
};

// One direction of the canonical CSR, mapped.
class CsrView {
 public:
  CsrView(std::span<const EdgeIndex> offsets, std::span<const VertexId> targets,
          std::span<const float> weights = {})
      : offsets_(offsets), targets_(targets), weights_(weights) {}
  [[nodiscard]] VertexId vertices() const { return static_cast<VertexId>(offsets_.size() - 1); }
  [[nodiscard]] EdgeIndex edges() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> list(VertexId v) const {
    return targets_.subspan(offsets_[v], offsets_[v + 1] - offsets_[v]);
  }
  // One weight per target of list(v); empty if the graph has none.
  [[nodiscard]] std::span<const float> weights(VertexId v) const {
    if (weights_.empty()) return {};
    return weights_.subspan(offsets_[v], offsets_[v + 1] - offsets_[v]);
  }
  [[nodiscard]] std::uint64_t degree(VertexId v) const { return offsets_[v + 1] - offsets_[v]; }
  [[nodiscard]] std::span<const EdgeIndex> offsets() const { return offsets_; }
  [[nodiscard]] std::span<const VertexId> targets() const { return targets_; }
  [[nodiscard]] std::span<const float> weights() const { return weights_; }

 private:
  std::span<const EdgeIndex> offsets_;
  std::span<const VertexId> targets_;
  std::span<const float> weights_;
};

// Counts loops and parallel edges. REQUIRES: lists ascend.
EdgeRepeats count_repeats(const CsrView& csr);

class Container {
 public:
  // Reads only graph.json; files are mapped when asked for. Throws bad_input on anything
  // unexpected.
  explicit Container(std::filesystem::path folder);
  // For a graph that is in no container, such as that of a store: has these facts, but no files and
  // no layouts. REQUIRES: the facts say that the graph has no ids, names or weights of its own.
  static Container without_files(std::filesystem::path folder, GraphFacts facts);
  ~Container();
  Container(Container&&) noexcept;
  Container& operator=(Container&&) noexcept;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const GraphFacts& facts() const { return facts_; }
  [[nodiscard]] const nlohmann::json& manifest() const { return manifest_; }
  [[nodiscard]] std::filesystem::path layout_folder(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> layouts() const;

  // The canonical lists; in a symmetric graph `in` is `out`. Mapping them checks the sizes and that
  // every list lies within the targets; check_container checks the targets themselves.
  CsrView csr(Direction direction);
  // The imported file's id of each vertex; empty if it is the vertex's own number.
  std::span<const std::uint64_t> ids();
  // The imported file's name of each vertex; empty if it has numbers. Mapping them checks that each
  // name lies within the file; check_container checks the rest.
  Names names();

 private:
  struct Mapping;
  Container() = default;
  template <typename T>
  std::span<const T> mapped(const std::string& name, std::uint64_t count);

  std::filesystem::path folder_;
  nlohmann::json manifest_;
  GraphFacts facts_;
  std::vector<std::unique_ptr<Mapping>> mappings_;
};

// Throws bad_input for the first broken place. Checks sizes, monotone offsets, targets in range,
// sorted lists, finite weights, symmetry, counts of loops and parallel edges, in-lists equal to the
// transposed out-lists (weights included), ascending ids, names that can be found, and checksums.
// Layouts are checked by check_graph (storage/inspect/check_graph.h). Calls `held` with a line for
// each invariant as soon as it has been found to hold.
void check_container(const std::filesystem::path& folder,
                     const std::function<void(const std::string&)>& held);

}  // namespace outcore
