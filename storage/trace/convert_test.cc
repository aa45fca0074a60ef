// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/convert.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>

#include "common/error.h"
#include "common/hash.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class ConvertTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // `accesses` random accesses in three rounds, the first of them round 4.
  void write_trace(std::uint64_t accesses) {
    TraceWriter writer(trace_, {.graph = "g",
                                .layout = "csr",
                                .engine = "e",
                                .workload = "bfs",
                                .unit_bytes = 512,
                                .file_units = {500, 500}});
    for (std::uint64_t i = 0; i < accesses; ++i) {
      if (i % (accesses / 3 + 1) == 0) writer.begin_round(4 + i * 3 / accesses);
      const auto units = static_cast<std::uint32_t>(1 + mix(i) % 3);
      writer.note(0, static_cast<std::uint32_t>(i % 2), mix(i) % 490, units);
    }
    writer.close();
    TraceReader reader(trace_);
    for (TraceEvent event; reader.next(event);) {
      if (event.kind == TraceEvent::Kind::round) continue;
      for (std::uint32_t i = 0; i < event.run.units; ++i) {
        accesses_.emplace_back(event.run.round, event.run.first + i);
      }
    }
  }
  [[nodiscard]] std::string contents(const fs::path& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "outcore_convert";
  const fs::path trace_ = folder_ / "t.oct";
  std::vector<std::pair<std::uint64_t, std::uint32_t>> accesses_;  // round, unit
};

TEST_F(ConvertTest, CsvHasALineAnAccess) {
  write_trace(200);
  TraceReader reader(trace_);
  write_csv(reader, folder_ / "new" / "t.csv");
  std::string expected = "round,unit,bytes\n";
  for (const auto& [round, unit] : accesses_) expected += fmt::format("{},{},512\n", round, unit);
  EXPECT_EQ(contents(folder_ / "new" / "t.csv"), expected);
}

// More records than a buffer holds, so that links go from one buffer to another.
TEST_F(ConvertTest, OracleGeneralNamesTheNextAccess) {
  write_trace(60000);
  TraceReader reader(trace_);
  write_oracle_general(reader, folder_ / "t.oracleGeneral");
  const std::string bytes = contents(folder_ / "t.oracleGeneral");
  ASSERT_EQ(bytes.size(), 24 * accesses_.size());
  ASSERT_GT(bytes.size(), 2U << 20);
  std::map<std::uint32_t, std::int64_t> next;
  for (std::size_t i = accesses_.size(); i-- > 0;) {
    const auto [round, unit] = accesses_[i];
    std::string record(24, '\0');
    const auto time = static_cast<std::uint32_t>(round);
    const std::uint64_t id = unit;
    const std::uint32_t size = 512;
    const std::int64_t after = next.contains(unit) ? next[unit] : -1;
    std::memcpy(&record[0], &time, 4);
    std::memcpy(&record[4], &id, 8);
    std::memcpy(&record[12], &size, 4);
    std::memcpy(&record[16], &after, 8);
    ASSERT_EQ(bytes.substr(24 * i, 24), record) << i;
    next[unit] = static_cast<std::int64_t>(i + 1);
  }
}

TEST_F(ConvertTest, ABrokenTraceLeavesNothing) {
  write_trace(3000);
  const std::string whole = contents(trace_);
  std::ofstream(trace_, std::ios::binary | std::ios::trunc) << whole.substr(0, whole.size() - 4);
  for (const auto convert : {write_csv, write_oracle_general}) {
    TraceReader reader(trace_);
    EXPECT_THROW(convert(reader, folder_ / "out"), Error);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace outcore
