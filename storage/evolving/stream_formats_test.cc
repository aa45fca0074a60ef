// SPDX-License-Identifier: Apache-2.0
// Streams as pages of the log, as triples with times and as gfe_driver's graphlogs: what is read
// from them, and what is said of those that are damaged or cut.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/error.h"
#include "storage/evolving/kept_updates_for_tests.h"
#include "storage/evolving/stream_pages.h"
#include "storage/evolving/timed_edges.h"
#include "storage/formats/compress_for_tests.h"

namespace outcore::evolving {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path formats_path(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

std::filesystem::path put_file(const std::string& name, const std::string& bytes) {
  std::ofstream(formats_path(name), std::ios::binary) << bytes;
  return formats_path(name);
}

std::string get_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Update> read_updates(const std::filesystem::path& path) {
  KeptUpdates kept(77);
  read_stream(path, {}, kept);
  return kept.updates;
}

// What is said of a bad stream, and how many updates were handed on before.
std::pair<std::string, std::size_t> refusal_of(const std::filesystem::path& path) {
  KeptUpdates kept(77);
  try {
    read_stream(path, {}, kept);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::bad_input);
    return {e.what(), kept.updates.size()};
  }
  return {"no error", kept.updates.size()};
}

std::vector<Update> many_updates(std::size_t count) {
  std::vector<Update> updates;
  for (std::uint32_t i = 0; i < count; ++i) updates.push_back({i, 3 * i + 1, i % 3 == 2});
  return updates;
}

std::filesystem::path written(const std::string& name, std::span<const Update> updates) {
  StreamWriter writer(formats_path(name), 2);
  writer.add(updates);
  EXPECT_FALSE(std::filesystem::exists(formats_path(name))) << "whole or not at all";
  writer.finish();
  EXPECT_EQ(writer.updates(), updates.size());
  return formats_path(name);
}

TEST(StreamPages, HoldWhatWasWritten) {
  for (const std::size_t count : {0U, 1U, 499U, 500U, 501U, 512'000U, 700'123U}) {
    std::filesystem::remove(formats_path("written.ocs"));
    const std::vector<Update> updates = many_updates(count);
    const auto path = written("written.ocs", updates);
    EXPECT_EQ(std::filesystem::file_size(path), (count + 499) / 500 * 4096);
    EXPECT_TRUE(read_updates(path) == updates) << count;
  }
  std::filesystem::remove(formats_path("written.ocs"));
  const auto path = written("written.ocs", many_updates(1234));
  EXPECT_TRUE(read_updates(put_file("written.ocs.zst", zstd(get_file(path)))) ==
              many_updates(1234));
}

TEST(StreamPages, NameThePageThatIsWrong) {
  std::filesystem::remove(formats_path("good.ocs"));
  const std::string good = get_file(written("good.ocs", many_updates(2600)));
  const auto refused = [&](const std::string& bytes) {
    return refusal_of(put_file("bad.ocs", bytes));
  };
  const auto [cut, before_cut] = refused(good.substr(0, good.size() - 100));
  EXPECT_THAT(cut, AllOf(HasSubstr("bad.ocs at offset 20480"), HasSubstr("3996 bytes at the end")));
  EXPECT_EQ(before_cut, 2500U);
  for (const std::size_t at : {0U, 9U, 500U, 4095U}) {
    std::string flipped = good;
    flipped[4096 * 2 + at] ^= 4;
    const auto [text, before] = refused(flipped);
    EXPECT_THAT(text, AllOf(HasSubstr("bad.ocs at offset 8192"), HasSubstr("checksum")));
    EXPECT_EQ(before, 1000U);
  }
  EXPECT_THAT(refused(good.substr(4096)).first,
              HasSubstr("offset 0: found page 1, expected page 0"));
  EXPECT_THAT(refused(good.substr(0, 4096) + good.substr(8192)).first,
              HasSubstr("offset 4096: found page 2"));
  LogPage page;
  page.first = 1;
  page.add({1, kMostVertices});
  page.hash = page.right_hash();
  EXPECT_THAT(refused({reinterpret_cast<const char*>(&page), sizeof page}).first,
              HasSubstr("found vertex 2147483647"));
}

TEST(TimedEdges, AreAddedInTheirOrder) {
  const std::vector<TimedEdge> edges = {{1, 2, 10}, {3, 4, 10}, {1, 2, 12}};
  const std::string bytes(reinterpret_cast<const char*>(edges.data()), 36);
  EXPECT_THAT(read_updates(put_file("times.tel32", bytes)),
              ElementsAre(Update{1, 2}, Update{3, 4}, Update{1, 2}));
  EXPECT_THAT(read_updates(put_file("times.tel32.gz", gzip(bytes))), testing::SizeIs(3));
  EXPECT_THAT(refusal_of(put_file("cut.tel32", bytes.substr(0, 31))).first,
              HasSubstr("offset 24: found 7 bytes at the end"));
}

// --- graphlogs ---

std::string raw_deflate(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string graphlog_block(std::span<const Update> updates) {
  std::string bytes;
  const auto put = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const Update& update : updates) put(std::uint64_t{update.source});
  for (const Update& update : updates) put(std::uint64_t{update.target});
  for (const Update& update : updates) put(update.removes ? -1.0 : 0.25);
  return raw_deflate(bytes);
}

struct Graphlog {
  std::vector<Update> updates = many_updates(1000);
  std::size_t block = 300;  // edges
  std::string vertices = raw_deflate(std::string(8000, 'v'));
  std::string omitted = {};  // property
  std::string magic = "# GRAPHLOG";
  std::uint64_t more = 0;  // edges that are promised and not there

  [[nodiscard]] std::string bytes() const {
    const auto header = [&](std::uint64_t begin) {
      std::string text = magic + "\n# made for a test\n\n";
      const auto put = [&](const std::string& key, std::uint64_t value) {
        if (key != omitted) text += fmt::format("{} = {:012}\n", key, value);
      };
      text += "aging_coeff = 10.5 # not a whole number\n";
      put("internal.edges.begin", begin);
      put("internal.edges.block_size", block * 24);
      put("internal.edges.cardinality", updates.size() + more);
      return text + "\n__BINARY_SECTION_FOLLOWS\n";
    };
    std::string all = header(header(0).size() + vertices.size()) + vertices;
    for (std::size_t i = 0; i < updates.size(); i += block) {
      all += graphlog_block(std::span(updates).subspan(i, std::min(block, updates.size() - i)));
    }
    return all;
  }
};

TEST(Graphlog, IsReadBlockByBlock) {
  const Graphlog log;
  EXPECT_TRUE(read_updates(put_file("some.graphlog", log.bytes())) == log.updates);
  EXPECT_TRUE(read_updates(put_file("some.graphlog.gz", gzip(log.bytes()))) == log.updates);
  EXPECT_TRUE(read_updates(put_file("one.graphlog", Graphlog{.block = 5000}.bytes())) ==
              log.updates);
  const Graphlog large{.updates = many_updates(100'000), .block = 7001};
  EXPECT_TRUE(read_updates(put_file("large.graphlog", large.bytes())) == large.updates);
}

TEST(Graphlog, OfAnotherVersionIsRefused) {
  EXPECT_THAT(refusal_of(put_file("other.graphlog", Graphlog{.magic = "# GRAPHLOX"}.bytes())).first,
              AllOf(HasSubstr("other.graphlog:1"), HasSubstr("'# GRAPHLOG'")));
  for (const std::string name :
       {"internal.edges.begin", "internal.edges.block_size", "internal.edges.cardinality"}) {
    EXPECT_THAT(refusal_of(put_file("old.graphlog", Graphlog{.omitted = name}.bytes())).first,
                AllOf(HasSubstr("found no " + name), HasSubstr("of another version")));
  }
  EXPECT_THAT(refusal_of(put_file("text.graphlog", "# GRAPHLOG\nand no more")).first,
              HasSubstr("this is no graphlog"));
}

TEST(Graphlog, ThatIsCutOrDamagedIsNamedByItsOffset) {
  const std::string good = Graphlog().bytes();
  const auto [cut, before] = refusal_of(put_file("cut.graphlog", good.substr(0, good.size() - 10)));
  EXPECT_THAT(cut, HasSubstr(fmt::format("offset {}", good.size() - 10)));
  EXPECT_THAT(cut, HasSubstr("was the stream cut?"));
  EXPECT_EQ(before, 900U) << "whole blocks were handed on";
  EXPECT_THAT(refusal_of(put_file("more.graphlog", Graphlog{.more = 5}.bytes())).first,
              HasSubstr("was the stream cut?"));
  const Graphlog log;
  std::string damaged = good;
  const std::size_t last = graphlog_block(std::span(log.updates).last(100)).size();
  damaged.replace(good.size() - last, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(refusal_of(put_file("damaged.graphlog", damaged)).first,
              AllOf(HasSubstr(fmt::format("offset {}", good.size() - last)), HasSubstr("damaged")));
  EXPECT_THAT(refusal_of(put_file("wide.graphlog",
                                  Graphlog{.updates = {{1, kMostVertices, false}}}.bytes()))
                  .first,
              HasSubstr("vertex 2147483647"));
}

}  // namespace

}  // namespace outcore::evolving
