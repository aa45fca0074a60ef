// SPDX-License-Identifier: Apache-2.0
// Graphs from a pipe, which can be read only once. (Standard input and shells are in
// tests/command_line.)
#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "storage/formats/compress_for_tests.h"
#include "storage/formats/import_fixture.h"
#include "storage/formats/piece_reader.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PipeTest : public ImportTest {
 protected:
  // A writer whose import has refused and closed the pipe must get an error, not a signal.
  PipeTest() { std::signal(SIGPIPE, SIG_IGN); }
  fs::path pipe(const std::string& name) {
    EXPECT_EQ(::mkfifo((root_ / name).c_str(), 0600), 0);
    return root_ / name;
  }
  // A writer at the other end.
  static std::jthread writer(const fs::path& path, const std::string& bytes) {
    return std::jthread([=] { std::ofstream(path, std::ios::binary) << bytes; });
  }
  void expect_refused_through(const std::string& name, const std::string& bytes, ExitCode code,
                              const std::string& text, const ImportOptions& options = {}) {
    const fs::path path = pipe(name);
    const auto other_end = writer(path, bytes);
    expect_refused(path, code, text, options);
  }
  static std::string random_text(std::size_t lines) {
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) {
      text += fmt::format("{} {}\n", mix(i) % 5000, mix(~i) % 5000);
    }
    return text;
  }
};

TEST_F(PipeTest, WhatComesThroughAPipeIsWhatTheFileHolds) {
  const std::string text = random_text(400000);  // more than one piece
  std::string pairs;
  append<std::uint32_t>(pairs, {0, 1, 1, 2, 2, 0});
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a.txt", text},
      {"a.el", text},
      {"a.wel", "0 1 1\n1 2 1\n2 0 1\n"},
      {"a.gr", "c comment\n\np sp 3 3\na 1 2 1\na 2 3 1\nc\na 3 1 1\n"},
      {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n%\n3 3 3\n1 2\n2 3\n3 1"},
      {"a.pairs32", pairs}};
  for (const auto& [name, bytes] : cases) {
    const std::vector<Edge> edges = import(write(name, bytes));
    const nlohmann::json provenance = Container(graph_).facts().provenance;
    const fs::path path = pipe("pipe_" + name);
    {
      const auto other_end = writer(path, bytes);
      EXPECT_EQ(import(path), edges) << name;
    }
    const nlohmann::json through = Container(graph_).facts().provenance;
    EXPECT_EQ(through.at("imported"), "a pipe");
    for (const char* key : {"format", "bytes", "hash"}) EXPECT_EQ(through.at(key), provenance[key]);
    EXPECT_EQ(through.at("hash"), hash_file(root_ / name));
    for (const std::string& packed : {gzip(bytes), zstd(bytes)}) {
      const auto other_end = writer(path, packed);
      EXPECT_EQ(import(path), edges) << name << " compressed";
      EXPECT_EQ(Container(graph_).facts().provenance.at("bytes"), packed.size());
    }
  }
}

TEST_F(PipeTest, TheFormatIsGivenOrTextIsTakenAsSnap) {
  const fs::path path = pipe("nameless");
  {
    const auto other_end = writer(path, "# comment\n0 1 further\n1 0\n");
    EXPECT_EQ(import(path).size(), 2U);
    EXPECT_EQ(Container(graph_).facts().provenance.at("format"), "snap");
  }
  {
    const auto other_end = writer(path, gzip("0 1 5\n1 0 6\n"));
    EXPECT_EQ(import(path, {.format = "wel"}).size(), 2U);
    EXPECT_EQ(weights(), (std::vector<float>{5, 6}));
  }
  const auto other_end = writer(path, std::string("\x01\x02\x00\x03", 4));
  const std::string said = complaint(path, ExitCode::bad_input, "give --format");
  EXPECT_THAT(said, HasSubstr("found bytes that are no text, expected an edge list in text;"));
}

TEST_F(PipeTest, FormatsThatOnePassCannotReadAreRefused) {
  for (const char* format : {"sg", "wsg", "csr64", "webgraph"}) {
    expect_refused_through(
        fmt::format("p.{}", format), "x", ExitCode::usage,
        fmt::format("can be read only once, but {} is read back and forth; save it "
                    "and import the file",
                    format),
        {.format = format});
  }
  expect_refused_through("p.e", "0 1\n", ExitCode::usage, "but graphalytics has several files");
}

TEST_F(PipeTest, IdsThatWouldBeNumberedAnewAreRefused) {
  expect_refused_through("sparse.el", "0 4\n4 1\n", ExitCode::bad_input,
                         "found vertex 4, expected ids below twice the number of edges");
  // Reported at once, not after everything was read.
  expect_refused_through("huge.el", "0 4294967294\n" + random_text(200000) + "no edge\n",
                         ExitCode::bad_input, "found vertex 4294967294, expected ids");
  EXPECT_EQ(import(write("sparse_file.el", "0 4\n4 1\n")).size(), 2U);
}

TEST_F(PipeTest, WhatIsWrongIsSaidAsOfAFile) {
  expect_refused_through("a.el", "0 1\n1 x\n", ExitCode::bad_input, "a.el:2: found 'x'");
  expect_refused_through("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n",
                         ExitCode::bad_input, "a.mtx:3: found '3'");
  expect_refused_through("a.pairs32", "12345678123", ExitCode::bad_input,
                         "a.pairs32 at offset 8: found 3 bytes at the end");
  expect_refused_through("empty.el", "", ExitCode::bad_input, "found no edges");
  const std::string packed = gzip(random_text(1000));
  expect_refused_through("cut.el", packed.substr(0, packed.size() / 2), ExitCode::bad_input,
                         fmt::format("cut.el at offset {}: found the end of the file, expected "
                                     "more of its gzip data",
                                     packed.size() / 2));
}

// The other end never stops; import must not wait for it once it knows that a line is wrong.
TEST_F(PipeTest, AWrongLineEndsAnImportThoughThePipeStaysOpen) {
  const fs::path path = pipe("open.el");
  std::ofstream held;
  std::jthread other_end([&] {
    held.open(path);
    held << "0 x\n" << std::string(2 * FilePiece::kBytes, '\n') << std::flush;
  });
  expect_refused(path, ExitCode::bad_input, "open.el:1: found 'x'");
}

}  // namespace
}  // namespace outcore
