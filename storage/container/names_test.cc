// SPDX-License-Identifier: Apache-2.0
#include "storage/container/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/container/builder.h"
#include "storage/container/container.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

TEST(NamesTest, AreNumberedAsTheyComeAndFoundAgain) {
  NameTable table;
  constexpr VertexId kNames = 100000;  // the table grows
  const auto name_of = [](VertexId v) { return "name " + std::to_string(v * 7919 % kNames); };
  for (const int time : {1, 2}) {
    for (VertexId v = 0; v < kNames; ++v) {
      const std::string name = name_of(v);
      ASSERT_EQ(table.vertex_of(name, hash_of_name(name)), v) << time;
    }
  }
  EXPECT_EQ(table.size(), kNames);

  const fs::path folder = fs::path(testing::TempDir()) / "names_test";
  ContainerBuilder builder(folder, {.force = true, .source = ""});
  builder.add(std::vector<Edge>{{0, 1}});
  EXPECT_EQ(builder.finish(table).vertices, kNames);
  check_container(folder, [](const std::string&) {});
  Container container(folder);
  const Names names = container.names();
  ASSERT_EQ(names.size(), kNames);
  for (VertexId v = 0; v < kNames; v += 997) {
    EXPECT_EQ(names[v], name_of(v));
    EXPECT_EQ(names.find(name_of(v)), v);
  }
  EXPECT_EQ(names.find("name"), std::nullopt);
  EXPECT_EQ(names.find(""), std::nullopt);
}

TEST(NamesTest, OfTheSameHashAreToldApart) {
  NameTable table;
  EXPECT_EQ(table.vertex_of("a", 5), 0U);
  EXPECT_EQ(table.vertex_of("b", 5), 1U);
  EXPECT_EQ(table.vertex_of("c", 5 + (std::uint64_t{1} << 32)), 2U);
  EXPECT_EQ(table.vertex_of("b", 5), 1U);
  EXPECT_EQ(table.vertex_of("a", 5), 0U);
}

}  // namespace
}  // namespace outcore
