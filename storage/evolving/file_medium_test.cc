// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/file_medium.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "common/error.h"
#include "storage/evolving/store.h"

namespace outcore::evolving {

namespace {

TEST(FileMedium, TheFileHasWhatWasWrittenWhereItWas) {
  FileMedium medium(testing::TempDir());
  const std::array<Entry, 2> first = {7, 9};
  const Entry second = 11;
  medium.wrote(4096, sizeof(first), &first);
  medium.wrote(4100, sizeof(second), &second);
  medium.sync();
  std::array<Entry, 2> there = {};
  medium.file().read(std::as_writable_bytes(std::span(there)), 4096);
  EXPECT_EQ(there, (std::array<Entry, 2>{7, 11}));
  EXPECT_EQ(medium.writes(), 2);
  EXPECT_EQ(medium.written_bytes(), 12);
}

TEST(FileMedium, EachEdgeAndDirectionIsAWriteOfItsOwn) {
  FileMedium medium(testing::TempDir());
  Store store({.threads = 2,
               .archiving = Archiving::edge_by_edge,
               .log_edges = 4096,
               .threshold = 1024,
               .bulk_bytes = 65536,
               .medium = &medium});
  std::vector<LogEdge> edges;
  for (std::uint32_t i = 0; i < 3000; ++i) edges.push_back({i % 100, i % 77});
  store.add_edges(edges);
  store.flush_all();
  // And those of the log, of headers and of links.
  EXPECT_GT(medium.writes(), 2 * edges.size());
  EXPECT_GT(medium.written_bytes(),
            edges.size() * sizeof(LogEdge) + 2 * edges.size() * sizeof(Entry));
}

TEST(FileMedium, NamesAFolderThatIsNone) { EXPECT_THROW(FileMedium("/nowhere/at/all"), Error); }

}  // namespace

}  // namespace outcore::evolving
