// SPDX-License-Identifier: Apache-2.0
#include "common/files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <span>

#include "common/error.h"
#include "common/refused_calls_for_tests.h"

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
    write_text_atomically(folder.path() / file, kManifest);
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

  static constexpr const char* kManifest = R"({"version": 1, "files": {"new": {}}})";
  fs::path root_;
  fs::path target_;
};

// A commit whose files could not be made durable is none: what was there stays.
TEST_F(Folders, AreNotCommittedWhereTheyCannotBeSynced) {
  make("graph.json", "graph.json", false);
  const auto replace = [&] {
    if (!refuse(__NR_fdatasync, EIO)) std::_Exit(0);  // the system does not let it
    try {
      make("new", "graph.json", true);
    } catch (const Error& error) {
      std::_Exit(error.code() == ExitCode::io && fs::exists(target_ / "graph.json") ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(replace(), ::testing::ExitedWithCode(0), "");
  EXPECT_THAT(names(target_), ElementsAre("graph.json"));
}

// At each of its system calls, with and without a folder to replace. Where a call is not made, the
// writer ends well.
TEST_F(Folders, ThatAWriterWasKilledInAreInNobodysWay) {
  const auto write = [&](unsigned call) {
    if (die_at(call)) make("new", "graph.json", true);
    std::_Exit(0);
  };
  const auto any = [](int /*status*/) { return true; };
  for (const bool replaces : {false, true}) {
    for (const unsigned call : {__NR_mkdir, __NR_openat, __NR_fdatasync, __NR_fsync, __NR_rename,
                                __NR_renameat2, __NR_unlink, __NR_unlinkat, __NR_rmdir}) {
      SCOPED_TRACE(fmt::format("call {}, {}", call, replaces ? "replaces" : "new"));
      fs::remove_all(target_);
      if (replaces) make("graph.json", "graph.json", false);
      EXPECT_EXIT(write(call), any, "");
      EXPECT_TRUE(!replaces || fs::exists(target_ / "graph.json") || fs::exists(target_ / "new"));
      if (fs::exists(target_ / "new")) fs::rename(target_ / "new", target_ / "graph.json");
      make("graph.json", "graph.json", true);
      EXPECT_THAT(names(root_), ElementsAre("graph"));
      EXPECT_THAT(names(target_), ElementsAre("graph.json"));
    }
  }
}

TEST_F(Folders, OfOneKindAreReplacedByForceOnly) {
  make("graph.json", "graph.json", false);
  expect_refused(false, "give --force");
  make("new", "graph.json", true);
  EXPECT_THAT(names(target_), ElementsAre("new"));
  EXPECT_THAT(names(root_), ElementsAre("graph"));
}

TEST_F(Folders, OfAnotherKindAreNotReplaced) {
  make("precious", "graph.json", false);
  expect_refused(true, "no folder with a graph.json of outcore; delete it first");
  EXPECT_THAT(names(target_), ElementsAre("precious"));
}

// Many a program calls its file graph.json.
TEST_F(Folders, WithSomebodyElsesManifestAreNotReplaced) {
  for (const char* theirs : {"", "[]", "{}", R"({"version": 3})", R"({"files": {}})"}) {
    write_text_atomically(target_ / "graph.json", theirs);
    expect_refused(true, "no folder with a graph.json of outcore");
  }
}

TEST_F(Folders, InWhichAUserKeepsSomethingAreNotReplaced) {
  make("graph.json", "graph.json", false);
  write_text_atomically(target_ / "new", "which the manifest names");
  fs::create_directories(target_ / "layouts");
  { const PendingFolder replaceable(target_, "graph.json", true); }
  write_text_atomically(target_ / "notes.txt", "precious");
  expect_refused(true, "it holds notes.txt, which outcore did not write");
  EXPECT_TRUE(fs::exists(target_ / "notes.txt"));
}

TEST_F(Folders, SweepWhatKilledWritersLeftAndNothingElse) {
  const fs::path pending = root_ / "graph.pending";
  write_text_atomically(pending / "precious", "a user's own");
  EXPECT_THROW(PendingFolder(target_, "graph.json", false), Error);
  EXPECT_TRUE(fs::exists(pending / "precious"));
  File::create_new(pending / PendingFolder::kPendingMark);
  make("graph.json", "graph.json", false);
  EXPECT_THAT(names(root_), ElementsAre("graph"));
  EXPECT_THAT(names(target_), ElementsAre("graph.json"));
}

TEST_F(Folders, AreNotBuiltWhereALinkLeads) {
  const fs::path elsewhere = root_ / "elsewhere";
  write_text_atomically(elsewhere / PendingFolder::kPendingMark, "");
  fs::create_symlink(elsewhere, root_ / "graph.pending");
  EXPECT_THROW(PendingFolder(target_, "graph.json", false), Error);
  EXPECT_TRUE(fs::exists(elsewhere / PendingFolder::kPendingMark));
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

class Files : public ::testing::Test {
 protected:
  Files() {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void expect_refused(const fs::path& path, const std::string& why) const {
    for (const auto& write : {std::function<void()>([&] { write_text_atomically(path, "new"); }),
                              std::function<void()>([&] { check_writable(path); })}) {
      try {
        write();
        ADD_FAILURE() << path << " expected: " << why;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(), HasSubstr(why + "; give the name of a file"));
      }
    }
  }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream file(root_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path root_ = fs::path(::testing::TempDir()) / "pending_files_test";
};

TEST_F(Files, DoNotReplaceWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", root_ / "link");
  expect_refused(root_ / "pipe", "is a pipe");
  expect_refused(root_ / "link", "is a pipe");
  expect_refused(root_, "is a folder");
  EXPECT_TRUE(fs::is_fifo(fs::symlink_status(root_ / "pipe")));
  EXPECT_TRUE(fs::is_symlink(root_ / "link"));
}

// Uses a device that the test creates, because a mistake here would destroy the device.
TEST_F(Files, DoNotReplaceDevices) {
  const fs::path device = root_ / "device";
  if (::mknod(device.c_str(), S_IFCHR | 0600, 0) != 0) GTEST_SKIP() << "only root makes devices";
  expect_refused(device, "is a device");
  EXPECT_TRUE(fs::is_character_file(device));
}

TEST_F(Files, AreReplacedBehindLinksWhichStay) {
  write_text_atomically(root_ / "there" / "file", "old");
  fs::create_symlink("there/file", root_ / "link");
  fs::create_symlink("link", root_ / "far");
  fs::create_symlink("there/new", root_ / "ahead");  // the target does not exist yet
  write_text_atomically(root_ / "far", "one");
  write_text_atomically(root_ / "ahead", "two");
  EXPECT_EQ(content("there/file"), "one");
  EXPECT_EQ(content("there/new"), "two");
  for (const char* link : {"link", "far", "ahead"}) EXPECT_TRUE(fs::is_symlink(root_ / link));
}

// Who may write to the folder may guess the name under which a file is written.
TEST_F(Files, AreNotWrittenThroughALinkUnderTheirPendingName) {
  std::ofstream(root_ / "victim") << "precious";
  const std::string pending = "file.pending-" + std::to_string(::getpid());
  fs::create_symlink("victim", root_ / pending);
  write_text_atomically(root_ / "file", "new");
  EXPECT_EQ(content("victim"), "precious");
  EXPECT_EQ(content("file"), "new");
  fs::create_symlink("victim", root_ / "link");
  EXPECT_THROW(File::create(root_ / "link"), Error);
  EXPECT_THROW(File::create_new(root_ / "link"), Error);
  EXPECT_THROW(File::create_new(root_ / "file"), Error);
  EXPECT_EQ(content("victim"), "precious");
}

TEST_F(Files, ThatAreTheStandardOutputAreNotReplaced) {
  const File file = File::create(root_ / "out");
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  ::dup2(file.fd(), STDOUT_FILENO);
  EXPECT_THROW(check_writable(root_ / "out"), Error);
  std::fflush(stdout);
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  check_writable(root_ / "out");
}

TEST_F(Files, ThatCannotBeWrittenLeaveTheOldOneAndNothingElse) {
  write_text_atomically(root_ / "file", "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_text_atomically(root_ / "file", std::string(100, 'x')), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(content("file"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

// The system writes the first 10 bytes. The rest must not go over them.
TEST_F(Files, ThatAreWrittenInPartGoOnWhereThePartEnds) {
  File file = File::create(root_ / "file");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {10, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::string said;
  try {
    file.write_at(std::as_bytes(std::span(std::string_view("0123456789abcdef"))), 0);
  } catch (const Error& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(said, HasSubstr("at offset 10: cannot write"));
  EXPECT_EQ(content("file"), "0123456789");
}

TEST_F(Files, SweepWhatKilledWritersLeft) {
  const std::string parent = std::to_string(::getppid());
  for (const std::string& name : std::vector<std::string>{
           "file.pending-99999999", "file.pending-" + parent, "file.pending-mine", "other"}) {
    std::ofstream(root_ / name) << "x";
  }
  write_text_atomically(root_ / "file", "new");
  EXPECT_FALSE(fs::exists(root_ / "file.pending-99999999"));    // no process has this number
  EXPECT_TRUE(fs::exists(root_ / ("file.pending-" + parent)));  // this process is running
  EXPECT_TRUE(fs::exists(root_ / "file.pending-mine"));
  EXPECT_TRUE(fs::exists(root_ / "other"));
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
