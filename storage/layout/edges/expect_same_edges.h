// SPDX-License-Identifier: Apache-2.0
// For tests: that a layout of edges holds the graph it was made from, shown by a reader of its own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "common/files.h"
#include "common/hash.h"
#include "storage/container/container.h"
#include "storage/layout/edges/edge_layout.h"
#include "storage/layout/layout.h"
#include "storage/layout/parts.h"

namespace outcore {

// The words of one column, each block checked against its sum.
template <typename Word = std::uint32_t>
std::vector<Word> read_column(const EdgeLayout& layout, EdgeColumn column) {
  const BlockFile& file = layout.block_files()[layout.file(column).value()];
  const std::size_t words = file.block_bytes / sizeof(Word);
  std::vector<Word> values(file.blocks() * words);
  File::open_read(file.path).read(std::as_writable_bytes(std::span(values)), 0);
  for (BlockId b = 0; b < file.blocks(); ++b) {
    EXPECT_EQ(checksum32(std::as_bytes(std::span(values).subspan(b * words, words))), file.sums[b]);
  }
  return values;
}

// A column of ids, whatever their size; local ones are not made whole.
inline std::vector<std::uint32_t> read_ids(const EdgeLayout& layout, EdgeColumn column) {
  if (layout.id_bytes() == sizeof(VertexId)) return read_column(layout, column);
  const auto ids = read_column<std::uint16_t>(layout, column);
  return {ids.begin(), ids.end()};
}

// The edges of every cell, which must lie between its intervals and ascend.
inline std::vector<std::pair<VertexId, VertexId>> read_edges(const EdgeLayout& layout) {
  const bool runs = layout.file(EdgeColumn::runs).has_value();
  const auto sources =
      runs ? read_column(layout, EdgeColumn::runs) : read_ids(layout, EdgeColumn::sources);
  const auto targets = read_ids(layout, EdgeColumn::targets);
  const std::size_t words = layout.facts().block_bytes / layout.id_bytes();
  std::vector<std::pair<VertexId, VertexId>> edges;
  for (std::uint32_t row = 0; row < layout.facts().intervals; ++row) {
    for (std::uint32_t column = 0; column < layout.facts().intervals; ++column) {
      const EdgeCell& cell = layout.cell(row, column);
      const std::size_t first = edges.size();
      const std::size_t from = cell.first_block * words;
      if (runs) {
        for (std::size_t r = 0; r < cell.runs; ++r) {
          const std::size_t at = cell.first_run_block * words + 2 * r;
          for (std::uint32_t i = 0; i < sources.at(at + 1); ++i) {
            edges.emplace_back(sources[at], targets.at(from + edges.size() - first));
          }
        }
      } else {
        for (std::size_t i = 0; i < cell.edges; ++i) {
          const bool local = layout.id_bytes() < sizeof(VertexId);
          edges.emplace_back(sources.at(from + i) + (local ? layout.intervals()[row].begin : 0),
                             targets.at(from + i) + (local ? layout.intervals()[column].begin : 0));
        }
      }
      EXPECT_EQ(edges.size() - first, cell.edges);
      const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(first);
      const auto before = [&](const auto& a, const auto& b) {
        if (!edges_by_destination(layout.choices())) return a < b;
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
      };
      EXPECT_TRUE(std::is_sorted(begin, edges.end(), before));
      for (auto edge = begin; edge != edges.end(); ++edge) {
        EXPECT_EQ(layout.intervals().of(edge->first), row);
        EXPECT_EQ(layout.intervals().of(edge->second), column);
      }
    }
  }
  return edges;
}

inline void expect_same_edges(const std::filesystem::path& folder, const std::string& name) {
  Container container(folder);
  const EdgeLayout layout(container.layout_folder(name));
  const CsrView csr = container.csr(Direction::out);
  const std::vector<VertexId> layout_of = inverse_of(layout.original_table(), csr.vertices());
  const auto id = [&](VertexId v) { return layout_of.empty() ? v : layout_of[v]; };
  std::vector<std::pair<VertexId, VertexId>> expected;
  for (VertexId u = 0; u < csr.vertices(); ++u) {
    EXPECT_EQ(layout.degrees(Direction::out)[id(u)], csr.degree(u));
    EXPECT_EQ(layout.degrees(Direction::in)[id(u)], container.csr(Direction::in).degree(u));
    for (const VertexId v : csr.list(u)) {
      expected.emplace_back(id(u), id(v));
    }
  }
  std::sort(expected.begin(), expected.end());
  auto edges = read_edges(layout);
  std::sort(edges.begin(), edges.end());
  EXPECT_EQ(edges, expected);
  EXPECT_FALSE(check_layout(container.layout_folder(name)).empty());
}

}  // namespace outcore
