// SPDX-License-Identifier: Apache-2.0
// Compressed files: their contents, whole and cut, and reading formats from them.
#include "storage/formats/byte_source.h"

#include <fmt/format.h>

#include "storage/formats/compress_for_tests.h"
#include "storage/formats/import_fixture.h"
#include "storage/formats/piece_reader.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class ByteSourceTest : public ImportTest {
 protected:
  static std::string read_all(const fs::path& path, std::size_t step) {
    const auto source = open_source(path);
    std::string bytes;
    std::vector<char> window(step);
    for (;;) {
      const std::size_t count = source->read(window);
      bytes.append(window.data(), count);
      if (count < step) break;
    }
    EXPECT_EQ(source->read(window), 0U);
    EXPECT_EQ(source->file().position(), fs::file_size(path));
    EXPECT_EQ(hash_text(source->file().hash()), hash_file(path));
    return bytes;
  }
  static std::string random_text(std::size_t lines) {
    std::string text;
    for (std::size_t i = 0; i < lines; ++i) {
      text += fmt::format("{} {}\n", mix(i) % 5000, mix(~i) % 5000);
    }
    return text;
  }
};

TEST_F(ByteSourceTest, ReadsWhatCompressedFilesHoldAtAnyStep) {
  const std::string text = random_text(60000);
  const fs::path plain = write("a.txt", text);
  const fs::path gz = write("a.txt.gz", gzip(text));
  const fs::path zst = write("a.txt.zst", zstd(text));
  for (const std::size_t step :
       {std::size_t{1000}, std::size_t{65536}, text.size(), text.size() + 1}) {
    for (const fs::path& path : {plain, gz, zst}) EXPECT_EQ(read_all(path, step), text) << path;
  }
  EXPECT_EQ(read_all(write("e.gz", gzip("")), 10), "");
  EXPECT_EQ(read_all(write("e.zst", zstd("")), 10), "");
}

TEST_F(ByteSourceTest, ReadsMembersAndFramesOneAfterTheOther) {
  EXPECT_EQ(read_all(write("a.gz", gzip("0 1\n") + gzip("") + gzip("1 2\n")), 3), "0 1\n1 2\n");
  EXPECT_EQ(read_all(write("a.zst", zstd("0 1\n") + zstd("") + zstd("1 2\n")), 3), "0 1\n1 2\n");
}

TEST_F(ByteSourceTest, EveryCutIsRefused) {
  const std::string text = random_text(20);
  for (const auto& [name, whole] :
       {std::pair<std::string, std::string>{"cut.el.gz", gzip(text)}, {"cut.el.zst", zstd(text)}}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      expect_refused(write(name, whole.substr(0, size)), ExitCode::bad_input,
                     fmt::format("at offset {}: found the end of the file", size));
    }
  }
}

TEST_F(ByteSourceTest, ACutFarBehindIsRefusedAfterItsEdgesWereRead) {
  const std::string text = random_text(400000);
  for (const auto& [name, whole] :
       {std::pair<std::string, std::string>{"cut.el.gz", gzip(text)}, {"cut.el.zst", zstd(text)}}) {
    expect_refused(write(name, whole.substr(0, whole.size() - 1)), ExitCode::bad_input,
                   "found the end of the file");
  }
}

TEST_F(ByteSourceTest, WhatIsNotCompressedDataIsRefused) {
  for (const char* name : {"a.el.gz", "a.el.zst"}) {
    expect_refused(write(name, "0 1\n1 2\n"), ExitCode::bad_input, "at offset");
  }
  const std::string text = random_text(2000);
  for (const auto& [name, whole] :
       {std::pair<std::string, std::string>{"a.el.gz", gzip(text)}, {"a.el.zst", zstd(text)}}) {
    expect_refused(write(name, whole + "rest"), ExitCode::bad_input, "at offset");
  }
  std::string flipped = gzip(text);
  flipped[flipped.size() / 2] ^= 1;
  expect_refused(write("a.el.gz", flipped), ExitCode::bad_input, "a.el.gz at offset");
}

TEST_F(ByteSourceTest, TextAndPairsAreReadFromCompressedFiles) {
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}};
  std::string pairs;
  append<std::uint32_t>(pairs, {0, 1, 1, 2, 2, 0});
  const std::string gr = "p sp 3 3\na 1 2 1\na 2 3 1\na 3 1 1\n";
  const std::string mtx =
      "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n";
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a", "0 1\n1 2\n2 0"},
                                    {"a.txt", "0 1\n1 2\n2 0\n"},
                                    {"a.el", "0 1\n1 2\n2 0\n"},
                                    {"a.wel", "0 1 1\n1 2 1\n2 0 1\n"},
                                    {"a.gr", gr},
                                    {"a.mtx", mtx},
                                    {"a.el32", pairs},
                                    {"a.pairs32", pairs}}) {
    EXPECT_EQ(import(write(name + ".gz", gzip(bytes))), edges) << name;
    EXPECT_EQ(import(write(name + ".zst", zstd(bytes))), edges) << name;
  }
  write("x.properties.gz", gzip("graph.x.directed = true\n"));
  write("x.v.zst", zstd("0\n1\n2\n"));
  EXPECT_EQ(import(write("x.e.gz", gzip("0 1\n1 2\n2 0\n"))), edges);
  expect_refused(write("a.sg.gz", gzip("x")), ExitCode::usage, "decompress it first");
  expect_refused(write("e.el.gz", gzip("")), ExitCode::bad_input, "found no edges");
}

TEST_F(ByteSourceTest, PiecesComeInOrderAndErrorsWhereTheyAre) {
  const std::string text = random_text(500000);
  const fs::path file = write("a.el.zst", zstd(text));
  for (const unsigned threads : {1U, 2U, 7U}) {
    const auto whole = open_source(file);
    const auto settings_for = [&](ByteSource& source) {
      return PieceSettings{.source = source, .threads = threads, .progress = "reading"};
    };
    std::vector<std::string> slots(piece_slots(settings_for(*whole)));
    std::string joined;
    read_pieces(
        settings_for(*whole),
        [&](std::size_t slot, const FilePiece& piece) { slots[slot] = piece.text; },
        [&](std::size_t slot) { joined += slots[slot]; });
    EXPECT_EQ(joined, text);
    std::size_t taken = 0;
    const auto fail_in_third = [&](std::size_t, const FilePiece& piece) {
      if (piece.offset > 2 * FilePiece::kBytes - 100) throw usage_error("third");
    };
    EXPECT_THROW(
        read_pieces(settings_for(*open_source(file)), fail_in_third, [&](std::size_t) { ++taken; }),
        Error);
    EXPECT_EQ(taken, 2U);
    const auto fail_at_once = [](std::size_t) { throw usage_error("taker"); };
    EXPECT_THROW(
        read_pieces(
            settings_for(*open_source(file)), [](std::size_t, const FilePiece&) {}, fail_at_once),
        Error);
  }
}

}  // namespace
}  // namespace outcore
