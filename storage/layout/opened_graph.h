// SPDX-License-Identifier: Apache-2.0
// What all kinds of opened graphs have in common: layouts of lists (layout.h), layouts of edges
// (edges/edge_layout.h) and snapshots of stores (evolving/opened_store.h).
//
// The command line and the registry of engines need only this base. An engine reads one kind and
// takes its concrete class, which `as` returns; the members that inner loops use are there.
//
// Threads: everything except forget_lists() only reads, so any number of threads may call it.
#pragma once

#include <cassert>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/io/door.h"
#include "storage/layout/choices.h"
#include "storage/layout/original_ids.h"

namespace outcore {

// The plainest layout of a kind. REQUIRES: there are layouts of that kind.
LayoutChoices plainest_choices(GraphKind kind);

class OpenedGraph {
 public:
  virtual ~OpenedGraph() = default;

  [[nodiscard]] GraphKind kind() const { return kind_; }
  // This graph as its concrete class. REQUIRES: G::kKind == kind().
  template <typename G>
  [[nodiscard]] const G& as() const {
    assert(G::kKind == kind_);
    return static_cast<const G&>(*this);
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const nlohmann::json& manifest() const { return manifest_; }
  [[nodiscard]] const LayoutChoices& choices() const { return choices_; }
  [[nodiscard]] const CommonFacts& facts() const { return common_; }
  [[nodiscard]] const std::vector<BlockFile>& block_files() const { return block_files_; }
  // Blocks of each file as an engine's door numbers them: block_files(), then those that engines
  // write.
  [[nodiscard]] virtual std::vector<std::uint64_t> file_blocks() const;
  // Every file that an engine reads in a run, for residency and eviction.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  [[nodiscard]] bool is_real(VertexId v) const {
    return originals() == nullptr || original_.is_real(v);
  }
  // The canonical vertex of a layout id (for the reverse see inverse_of, parts.h).
  [[nodiscard]] VertexId original(VertexId v) const {
    return originals() == nullptr ? v : original_[v];
  }
  // Null if layout ids are canonical.
  [[nodiscard]] const OriginalIds* originals() const {
    return original_.empty() ? nullptr : &original_;
  }
  // The whole table; empty if layout ids are canonical.
  [[nodiscard]] std::vector<VertexId> original_table() const { return original_.all(); }

  // The memory of everything that was read on opening.
  [[nodiscard]] virtual std::uint64_t index_bytes() const;
  // Frees what is needed only to find lists or edges; ids and facts stay. No engine may use the
  // graph afterwards.
  virtual void forget_lists() = 0;

 protected:
  // What a concrete class can open.
  struct Format {
    GraphKind kind;
    int version;
  };

  // Reads and checks layout.json. If the folder holds another kind, throws a usage error that names
  // the right command.
  OpenedGraph(std::filesystem::path folder, const Format& format);
  // What is no layout has neither block files nor a manifest, and the choices of the plainest one:
  // no weights, no heads, ids as they are.
  OpenedGraph(std::filesystem::path folder, GraphKind kind, const CommonFacts& facts)
      : kind_(kind), folder_(std::move(folder)), common_(facts) {}
  OpenedGraph(const OpenedGraph&) = default;
  OpenedGraph(OpenedGraph&&) = default;
  OpenedGraph& operator=(const OpenedGraph&) = default;
  OpenedGraph& operator=(OpenedGraph&&) = default;

  std::vector<BlockFile> block_files_;
  OriginalIds original_;

 private:
  GraphKind kind_;
  std::filesystem::path folder_;
  nlohmann::json manifest_;
  LayoutChoices choices_;
  CommonFacts common_;
};

// The files that the manifest in a layout's folder lists.
std::vector<std::filesystem::path> layout_files(const std::filesystem::path& folder,
                                                const nlohmann::json& manifest);

}  // namespace outcore
