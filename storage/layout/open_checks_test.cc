// SPDX-License-Identifier: Apache-2.0
// Files that match their checksums but lead outside themselves are refused when a layout is opened,
// before anything follows them. Fuzzing found most of these (tests/fuzz).
#include "storage/layout/open_checks.h"

#include <gtest/gtest.h>

#include "storage/container/builder.h"
#include "storage/layout/broken_layout.h"
#include "storage/layout/coded_file.h"
#include "storage/layout/layout.h"
#include "storage/layout/parts.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

class OpenChecks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "open_checks_test" /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    // Lists of 5000 edges (several blocks in every codec), 3, 1 and none; vertex 3 has no edges.
    std::vector<Edge> edges(5000, Edge{0, 1});
    for (const VertexId v : {0, 2, 3}) edges.emplace_back(1, v);
    edges.emplace_back(2, 0);
    make_container(folder_, 4, edges, false);
  }
  void build(const LayoutChoices& choices) {
    manifest_ = folder_ / "layouts" / build_layout(folder_, choices, "", true) / "layout.json";
    const Layout whole(manifest_.parent_path());
  }
  void refuse(const std::string& text) {
    expect_error(ExitCode::bad_input, text, [&] { const Layout opened(manifest_.parent_path()); });
  }
  // Changes one value of a file, expects the refusal, and restores the file.
  template <typename T>
  void refuse(const std::string& file, std::size_t index, T value, const std::string& text) {
    std::vector<T> values(fs::file_size(manifest_.parent_path() / file) / sizeof(T));
    File::open_read(manifest_.parent_path() / file)
        .read(std::as_writable_bytes(std::span(values)), 0);
    put_sealed(manifest_, file, index, value);
    refuse(text);
    put_sealed(manifest_, file, index, values.at(index));
  }
  // The same for a coded file of `count` numbers.
  void refuse_coded(const std::string& file, std::uint64_t count, std::size_t index,
                    std::uint32_t value, const std::string& text) {
    std::vector<std::uint32_t> values = read_numbers(file, count);
    const std::uint32_t before = std::exchange(values.at(index), value);
    write_numbers(file, values);
    refuse(text);
    values[index] = before;
    write_numbers(file, values);
  }
  [[nodiscard]] std::vector<std::uint32_t> read_numbers(const std::string& file,
                                                        std::uint64_t count) const {
    std::vector<std::uint32_t> values;
    read_coded(manifest_.parent_path(), file, count, read_json(manifest_),
               [&](auto group) { values.insert(values.end(), group.begin(), group.end()); });
    return values;
  }
  void write_numbers(const std::string& file, const std::vector<std::uint32_t>& values) const {
    CodedFile coded(manifest_.parent_path() / file);
    for (const std::uint32_t value : values) coded.put(value);
    edit_json(manifest_, [&](auto& json) { json["files"][file] = coded.finish(); });
  }
  void refuse_fact(const std::string& name, const nlohmann::json& value, const std::string& text) {
    const nlohmann::json before = read_json(manifest_);
    edit_json(manifest_, [&](auto& json) { json["facts"][name] = value; });
    refuse(text);
    write_json_atomically(manifest_, before);
  }

  fs::path folder_;
  fs::path manifest_;
};

TEST_F(OpenChecks, ListsLieInTheirBlocks) {
  build({});
  const std::uint64_t slots = 6 * 1024;
  refuse("out.index", 1, ListIndex::pack(slots - 2, 3), "3 slots from slot 6142");
  refuse("out.index", 1, ListIndex::pack(ListIndex::kPositionMask, 1), "from slot 1099511627775");
  refuse("out.index", 1, ListIndex::pack(0, slots + 1), "6145 slots from slot 0");
  refuse("out.index", 1, ListIndex::pack(0, ListIndex::kLongDegree), "its record among long lists");
}

TEST_F(OpenChecks, ListsOneBehindTheOtherLieInTheirBlocks) {
  build({.pack = "csr"});
  refuse("out.index", 0, std::uint16_t{5117}, "list 2: 1 slots from slot 5120");  // 5 blocks
  refuse("out.index", 1, std::uint16_t{65534}, "list 1: 65534 slots from slot 5000");
  refuse("out.index", 0, RunningPositions::kLong, "list 0, a long one");
  refuse("out.index", 2, RunningPositions::kLong, "list 2, a long one");
}

TEST_F(OpenChecks, LongListsHaveARecordThatFits) {
  build({.codec = "svb", .inline_edges = 2});
  refuse("out.degrees", 0, std::uint32_t{4999}, "list 0, a long one");  // 5000 in the record
  refuse("out.long", 0, std::uint64_t{1}, "list 0, a long one");
  refuse("out.long", 2, std::uint64_t{0}, "list 0, a long one");
  refuse("out.long", 2, std::uint64_t{1} << 63, "list 0: 9223372036854775808 slots");
  refuse("out.index", 2, std::uint32_t{1} << 20, "list 1: 1 slots from slot 1048576");
}

TEST_F(OpenChecks, RanksAscendToTheMiniLists) {
  build({.inline_edges = 2, .mini_data = true});
  const auto theta = read_json(manifest_)["facts"]["theta"].get<std::vector<VertexId>>();
  ASSERT_EQ(theta.size(), 3U);
  const std::uint64_t positions = theta[2] + 1;
  refuse_coded("out.index", positions, 0, 1U << 30, "list 0 in slots");
  refuse_coded("out.index", positions, theta[2], 1U << 30, "list");    // the end of the last list
  refuse_coded("out.index", positions, theta[2], 0, "to 4294967296");  // which is below the others
  refuse_coded("out.index", positions, 1, 1, "list 0 in slots 0 to 1");
  refuse_fact("theta", {theta[0], theta[1], theta[1] + 1}, "");
  refuse_fact("theta", {theta[0] + 1, theta[1], theta[2]}, "theta");
  refuse_fact("theta", {theta[0], theta[1]}, "theta of 2 ids");
}

// Entries of ids after the last list are allowed; entries of ids that do not exist are refused.
TEST_F(OpenChecks, AnIndexHasNoMoreEntriesThanIds) {
  for (const auto& [choices, file] :
       {std::pair(LayoutChoices{}, "out.index"),
        std::pair(LayoutChoices{.codec = "svb", .inline_edges = 2}, "out.degrees")}) {
    build(choices);
    const bool packed = choices.inline_edges == 0;
    const auto lengthen = [&](const char* name, std::uint64_t bytes) {
      const fs::path path = manifest_.parent_path() / name;
      fs::resize_file(path, fs::file_size(path) + bytes);
      edit_json(manifest_, [&](auto& json) {
        json["files"][name] = {{"bytes", fs::file_size(path)}, {"hash", hash_file(path)}};
      });
    };
    lengthen("out.index", 8);
    if (!packed) lengthen("out.degrees", 4);
    const Layout layout(manifest_.parent_path());
    EXPECT_EQ(layout.index(Direction::out).listed(), 4U);
    EXPECT_FALSE(check_layout(manifest_.parent_path()).empty());
    lengthen(file, 8);
    refuse(packed ? "5 entries" : "6 entries");
  }
}

TEST_F(OpenChecks, IdsNameEachVertexOnce) {
  build({.number = "random"});
  const Layout layout(manifest_.parent_path());
  refuse_coded("original", 4, 2, layout.original(0), "each of 4 vertices once");
  refuse_coded("original", 4, 0, 4, "vertex 4");
  refuse_coded("original", 4, 0, kNoVertex, "3 vertices");
  refuse_coded("original", 4, 1, layout.original(0), "3 vertices");  // as a virtual id has
  refuse_fact("vertices", 3, "each of 3 vertices once");
  refuse_fact("vertices", std::uint64_t{1} << 32 | 4, "'vertices'");
  refuse_fact("vertices", -4, "'vertices'");
  refuse_fact("vertices", 4.5, "'vertices'");
  build({});
  refuse_fact("vertices", 4'000'000'000, "id_space 4");
}

TEST_F(OpenChecks, LevelsAreThoseOfThePack) {
  build(layout_preset("chunkgraph"));
  const nlohmann::json levels = read_json(manifest_)["facts"]["out_levels"];
  const auto changed = [&](std::size_t level, const char* field, std::uint64_t value) {
    nlohmann::json other = levels;
    other[level][field] = value;
    return other;
  };
  const std::uint64_t blocks = levels.back()["end_block"];
  refuse_fact("out_levels", changed(0, "chunk_bytes", 1), "levels of other chunks");
  refuse_fact("out_levels", changed(1, "first_block", blocks + 1), "levels of other chunks");
  refuse_fact("out_levels", changed(4, "end_block", blocks + 1), "levels of other chunks");
  refuse_fact("out_levels", nlohmann::json::array(), "levels of other chunks");
  put_sealed(manifest_, "out.order", 2, VertexId{4});
  const Layout layout(manifest_.parent_path());
  expect_error(ExitCode::bad_input, "vertex 4", [&] { (void)layout.read_order(Direction::out); });
  build({});
  refuse_fact("in_levels", levels, "levels of other chunks");
}

TEST_F(OpenChecks, ManifestsAreObjectsWithPlainNames) {
  build({});
  const nlohmann::json before = read_json(manifest_);
  const auto refuse_text = [&](const std::string& json, const std::string& text) {
    write_text_atomically(manifest_, json);
    refuse(text);
    expect_error(ExitCode::bad_input, text, [&] { check_layout(manifest_.parent_path()); });
    write_json_atomically(manifest_, before);
  };
  refuse_text("[]", "JSON, but array");
  refuse_text(R"({"kind": 1})", "'kind'");
  refuse_text(R"({"version": 1e999})", "numbers in range");
  std::string deep = R"({"a": )";
  deep.append(100'000, '[').append(100'000, ']').append("}");
  refuse_text(deep, "deeper than");
  edit_json(manifest_, [](auto& json) { json["files"]["/dev/zero"] = json["files"]["out.index"]; });
  expect_error(ExitCode::bad_input, "'/dev/zero'", [&] { check_layout(manifest_.parent_path()); });
}

}  // namespace
}  // namespace outcore
