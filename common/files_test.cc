// SPDX-License-Identifier: Apache-2.0
#include "common/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Folders : public ::testing::Test {
 protected:
  Folders() : root_(fs::path(::testing::TempDir()) / "files_test"), target_(root_ / "graph") {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void make(const char* file, const char* mark, bool force) const {
    PendingFolder folder(target_, mark, force);
    write_text_atomically(folder.path() / file, "");
    folder.commit();
  }
  [[nodiscard]] std::vector<std::string> names(const fs::path& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      found.push_back(entry.path().filename());
    }
    return found;
  }
  void expect_refused(bool force, const std::string& why) const {
    try {
      const PendingFolder folder(target_, "graph.json", force);
      ADD_FAILURE() << "expected: " << why;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
    EXPECT_THAT(names(root_), ElementsAre("graph"));
  }

  fs::path root_;
  fs::path target_;
};

TEST_F(Folders, OfOneKindAreReplacedByForceOnly) {
  make("graph.json", "graph.json", false);
  write_text_atomically(target_ / "old", "");
  expect_refused(false, "give --force");
  make("new", "graph.json", true);
  EXPECT_THAT(names(target_), ElementsAre("new"));
  EXPECT_THAT(names(root_), ElementsAre("graph"));
}

TEST_F(Folders, OfAnotherKindAreNotReplaced) {
  make("precious", "graph.json", false);
  expect_refused(true, "no folder with a graph.json; delete it first");
  EXPECT_THAT(names(target_), ElementsAre("precious"));
}

TEST_F(Folders, DoNotReplaceFiles) {
  write_text_atomically(target_, "precious");
  expect_refused(true, "no folder with a graph.json");
  EXPECT_EQ(fs::file_size(target_), 8U);
}

TEST_F(Folders, ReplaceEmptyOnes) {
  fs::create_directories(target_);
  make("new", "graph.json", true);
  EXPECT_THAT(names(target_), ElementsAre("new"));
}

TEST_F(Folders, ThatAreNotFinishedLeaveTheOldOne) {
  make("graph.json", "graph.json", false);
  { const PendingFolder unfinished(target_, "graph.json", true); }
  EXPECT_THAT(names(target_), ElementsAre("graph.json"));
  EXPECT_THAT(names(root_), ElementsAre("graph"));
}

TEST(ReadJson, NamesAFolderThatStandsThere) {
  try {
    read_json(::testing::TempDir());
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(::testing::TempDir()));
  }
}

}  // namespace
}  // namespace outcore
