// SPDX-License-Identifier: Apache-2.0
// What happens around a file rather than in it: no space, no permission. (tests/command_line kills
// an import half-way.) Errors within a format's bytes are tested with that format. And results must
// not depend on the number of threads.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "storage/formats/export.h"
#include "storage/formats/import_fixture.h"
#include "tests/sanitized.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class HostileTest : public ImportTest {
 protected:
  static std::string random_text(std::size_t lines, const char* format = "{} {}\n") {
    std::string text;
    for (std::uint64_t i = 0; i < lines; ++i) {
      text += fmt::format(fmt::runtime(format), mix(i) % 5000, mix(~i) % 5000, mix(i) % 100);
    }
    return text;
  }
  // Runs `work` while no file may grow beyond `bytes`: writes fail as on a full device.
  template <typename Work>
  static void with_room_for(rlim_t bytes, const Work& work) {
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    work();
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  // The hash of every file in the folder, by name.
  static std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> hashes;
    for (const auto& entry : fs::directory_iterator(folder)) {
      hashes[entry.path().filename().string()] = hash_file(entry.path());
    }
    return hashes;
  }
};

TEST_F(HostileTest, NoRoomForTheGraphOrTheSortLeavesNothing) {
  const fs::path file = write("a.el", random_text(300000));
  with_room_for(100000, [&] {
    complaint(file, ExitCode::io, "cannot write: File too large");  // the container
    complaint(file, ExitCode::io, "scratch at offset 100000: cannot write",
              {.memory = kLeastSortMemory});
  });
  EXPECT_EQ(import(file).size(), 300000U);
}

TEST_F(HostileTest, NoRoomForAnExportLeavesNothing) {
  import(write("a.wel", random_text(300000, "{} {} {}\n")));
  for (const char* name : {"x.el", "x.wel", "x.sg", "x.wsg", "x.csr64", "x.adj", "x.bin"}) {
    with_room_for(100000, [&] {
      try {
        export_graph(graph_, root_ / name, {});
        ADD_FAILURE() << name;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::io);
        EXPECT_THAT(error.what(), HasSubstr("cannot write: File too large"));
      }
    });
    EXPECT_FALSE(fs::exists(root_ / name));
    EXPECT_FALSE(fs::exists(root_ / fmt::format("{}.pending-{}", name, ::getpid())));
  }
}

TEST_F(HostileTest, AFailedImportKeepsTheGraphThatItWasToReplace) {
  import(write("a.el", "0 1\n"));
  const auto before = contents(graph_);
  const fs::path file = write("b.el", random_text(300000));
  with_room_for(100000, [&] { EXPECT_THROW(import_graph(file, graph_, {.force = true}), Error); });
  EXPECT_EQ(contents(graph_), before);
}

TEST_F(HostileTest, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  const fs::path file = write("a.el", "0 1\n");
  fs::permissions(file, fs::perms::none);
  expect_refused(file, ExitCode::io, "Permission denied");
  fs::permissions(file, fs::perms::owner_all);
  fs::permissions(root_, fs::perms::owner_read | fs::perms::owner_exec);
  complaint(file, ExitCode::io, "Permission denied");
  fs::permissions(root_, fs::perms::owner_all);
}

TEST_F(HostileTest, ContainersAreTheSameToTheByteWithOneTwoAndSevenThreads) {
  std::vector<std::pair<fs::path, ImportOptions>> cases = {
      {write("a.el", random_text(400000)), {.memory = kLeastSortMemory}},
      {write("a.wel", random_text(300000, "{} {} {}\n")), {.symmetric = true}},
      {write("b.wel", random_text(300000, "{} {} {}\n")),
       {.drop_loops = true, .drop_duplicates = true, .memory = kLeastSortMemory}},
      {write("sparse.txt", random_text(200000, "{}000000 {}999\n")), {}},
  };
  if (kThreadSanitized) cases.resize(1);
  for (const auto& [file, options] : cases) {
    std::vector<std::map<std::string, std::string>> results;
    for (const unsigned threads : {1U, 2U, 7U}) {
      ImportOptions with_threads = options;
      with_threads.threads = threads;
      with_threads.force = true;
      import_graph(file, graph_, with_threads);
      results.push_back(contents(graph_));
    }
    EXPECT_EQ(results[1], results[0]) << file;
    EXPECT_EQ(results[2], results[0]) << file;
  }
}

TEST_F(HostileTest, IdsBeyondTheLastAreRefusedOrNumberedAnew) {
  std::string pairs;
  append<std::uint32_t>(pairs, {0, 1, 4294967294U, 0});
  expect_refused(write("a.el32", pairs), ExitCode::bad_input,
                 "a.el32 at offset 8: found vertex 4294967294, expected a vertex id (0 to "
                 "4294967293)");
  import(write("a.el", "0 4294967294\n4294967294 4294967293\n"));
  EXPECT_EQ(ids(), (std::vector<std::uint64_t>{0, 4294967293, 4294967294}));
  expect_refused(write("a.gr", "p sp 4294967295 1\na 1 4294967295 1\n"), ExitCode::bad_input,
                 "found 4294967295 vertices, expected at most 4294967294");
  // An allowed graph for which there is no space: the error names the file, and nothing is left.
  with_room_for(100000, [&] {
    complaint(write("b.gr", "p sp 4294967294 1\na 1 4294967294 1\n"), ExitCode::io,
              "out.offsets: cannot write");
  });
}

TEST_F(HostileTest, EveryCutOfAWsgFileIsRefused) {
  import(write("a.wel", "0 1 5\n1 2 6\n2 0 7\n"));
  export_graph(graph_, root_ / "a.wsg", {});
  std::stringstream bytes;
  bytes << std::ifstream(root_ / "a.wsg", std::ios::binary).rdbuf();
  const std::string whole = bytes.str();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    expect_refused(write("cut.wsg", whole.substr(0, size)), ExitCode::bad_input,
                   "cut.wsg at offset");
  }
}

}  // namespace
}  // namespace outcore
