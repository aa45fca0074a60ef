// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "common/error.h"
#include "storage/evolving/kept_updates_for_tests.h"
#include "storage/evolving/multiset_for_tests.h"

namespace outcore::evolving {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path file_with(const std::string& name, const std::string& bytes) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string pairs(std::span<const std::uint32_t> ids) {
  return {reinterpret_cast<const char*>(ids.data()), ids.size_bytes()};
}

std::vector<Update> updates_of(const std::filesystem::path& path,
                               const StreamOptions& options = {}) {
  KeptUpdates kept(100);
  read_stream(path, options, kept);
  return kept.updates;
}

std::string message_of(const std::filesystem::path& path) {
  try {
    updates_of(path);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::bad_input);
    return e.what();
  }
  return "no error";
}

TEST(Stream, TextSaysWhatIsAddedAndRemoved) {
  const auto path =
      file_with("updates.txt", "# a comment\n1 2\n+ 3 4 17\n\n- 1 2\n% another\n5 6 7");
  EXPECT_THAT(updates_of(path), ElementsAre(Update{1, 2, false}, Update{3, 4, false},
                                            Update{1, 2, true}, Update{5, 6, false}));
}

TEST(Stream, PairsAreEdgesThatAreAdded) {
  std::vector<std::uint32_t> ids(2001 * 2);
  for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  const auto updates = updates_of(file_with("edges.pairs", pairs(ids)));
  ASSERT_EQ(updates.size(), 2001);
  for (std::uint32_t i = 0; i < updates.size(); ++i)
    ASSERT_EQ(updates[i], (Update{2 * i, 2 * i + 1, false}));
}

TEST(Stream, AFormatCanBeNamed) {
  EXPECT_THAT(updates_of(file_with("updates.changes", "- 7 8\n"), {.format = "text"}),
              ElementsAre(Update{7, 8, true}));
  EXPECT_THROW(updates_of(file_with("updates.changes", ""), {.format = "csv"}), Error);
}

TEST(Stream, AnEmptyOneHasNoUpdates) {
  EXPECT_THAT(updates_of(file_with("empty.pairs", "")), ElementsAre());
  EXPECT_THAT(updates_of(file_with("empty.txt", "")), ElementsAre());
}

TEST(Stream, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(message_of(file_with("words.txt", "1 2\n3 x\n")),
              HasSubstr("words.txt:2: found 'x'"));
  EXPECT_THAT(message_of(file_with("signs.txt", "1 2\n* 3 4\n")), HasSubstr("signs.txt:2"));
  EXPECT_THAT(message_of(file_with("large.txt", "1 2147483647\n")), HasSubstr("0 to 2147483646"));
  const std::vector<std::uint32_t> large = {1, 2, 3, kMostVertices};
  EXPECT_THAT(message_of(file_with("large.pairs", pairs(large))),
              HasSubstr("large.pairs at offset 12: found vertex 2147483647"));
  const std::vector<std::uint32_t> cut = {1, 2, 3};
  EXPECT_THAT(message_of(file_with("cut.pairs", pairs(cut))),
              HasSubstr("cut.pairs at offset 8: found 4 bytes at the end"));
}

TEST(Stream, APipeIsReadAsItComes) {
  const auto path = std::filesystem::path(testing::TempDir()) / "updates.pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::vector<std::uint32_t> ids(30000);
  for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  std::jthread writer([&] { std::ofstream(path, std::ios::binary) << pairs(ids); });
  EXPECT_EQ(updates_of(path).size(), ids.size() / 2);
}

}  // namespace

}  // namespace outcore::evolving
