// SPDX-License-Identifier: Apache-2.0
// Writes the part of one direction of a layout that stays in memory: the index in one of its forms
// (list_index.h), the lists within it, and the heads. Memory: a few MB of write buffers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "storage/layout/parts.h"

namespace outcore {

struct IndexJob {
  std::filesystem::path folder;
  std::string prefix;  // "out" or "in"
  const NumberedGraph& graph;
  const PieceFormat& format;
  Weights weights;
  IndexForm form;
  unsigned inline_edges;
  unsigned heads;
  bool straddling;  // else only a list that begins at a block can lie in several
  std::span<const std::uint64_t> positions;  // by layout id
  std::span<const VertexId> theta;           // form mini-data
};

struct IndexSummary {
  std::uint64_t longest_list = 0;
  EdgeIndex inline_edges = 0;
};

// Adds the files to the table `files`.
IndexSummary write_index(const IndexJob& job, nlohmann::json& files);

}  // namespace outcore
