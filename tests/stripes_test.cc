// SPDX-License-Identifier: Apache-2.0
// Layouts over several disks: what is written where, what is left when they are replaced, and what
// is said of stripes that are not the layout's.
#include "storage/layout/stripes.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/inspect/layout_stats.h"
#include "storage/layout/broken_layout.h"
#include "tests/toy_container.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

const Shape& striped_shape() {
  static const Shape kShape = small_kronecker(11, 16, 1);
  return kShape;
}

class Stripes : public testing::Test {
 protected:
  Stripes() : toy_(striped_shape(), false) {
    for (const char* disk : {"a", "b"}) fs::create_directory(toy_.folder().parent_path() / disk);
  }
  [[nodiscard]] fs::path disk(const std::string& name) const {
    return fs::canonical(toy_.folder().parent_path() / name);
  }
  [[nodiscard]] Disks two_disks() const {
    return Disks::parse(disk("a").string() + "," + disk("b").string(), "4K");
  }
  fs::path build(const Disks& disks, const LayoutChoices& choices = {.pack = "csr"}) const {
    return toy_.folder() / "layouts" / build_layout(toy_.folder(), choices, "striped", true, disks);
  }
  [[nodiscard]] static std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  ToyContainer toy_;
};

std::string contents(const fs::path& path) {
  std::string text(fs::file_size(path), '\0');
  File::open_read(path).read(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

TEST_F(Stripes, HoldTheBlocksOfOneFileWithinAStripeOfEqual) {
  const std::string whole = contents(toy_.layout("csr") / "out.blocks");
  for (const auto& [count, stripe] : {std::pair{2U, 4096U}, std::pair{3U, 8192U}}) {
    const fs::path folder = build(Disks::parse(std::to_string(count), std::to_string(stripe)));
    EXPECT_FALSE(fs::exists(folder / "out.blocks"));
    std::string put_together;
    std::vector<std::string> stripes;
    for (unsigned i = 0; i < count; ++i)
      stripes.push_back(contents(folder / fmt::format("out.blocks.{}", i)));
    for (const std::string& one : stripes) {
      EXPECT_LE(one.size(), stripes.front().size());
      EXPECT_LE(stripes.front().size() - one.size(), stripe);
    }
    for (std::size_t unit = 0; put_together.size() < whole.size(); ++unit)
      put_together += stripes[unit % count].substr(unit / count * stripe, stripe);
    EXPECT_TRUE(put_together == whole);
    EXPECT_EQ(check_layout(folder).size(), check_layout(toy_.layout("csr")).size());
  }
}

TEST_F(Stripes, AreInspectedAsOneFileIs) {
  const LayoutChoices choices = {.pack = "lplf", .codec = "svb"};
  const Layout striped(build(Disks::parse("3", "4K"), choices));
  const Layout one(toy_.layout(choices));
  const auto striped_stats = layout_stats(striped);
  const auto stats = layout_stats(one);
  ASSERT_EQ(striped_stats.size(), stats.size());
  for (std::size_t i = 0; i < stats.size(); ++i) {
    EXPECT_EQ(striped_stats[i].lists, stats[i].lists);
    EXPECT_EQ(striped_stats[i].cut_lists, stats[i].cut_lists);
    EXPECT_EQ(striped_stats[i].levels[0].free_bytes(), stats[i].levels[0].free_bytes());
  }
}

TEST_F(Stripes, LieOnTheirDisksAndLeaveWithTheLayout) {
  const fs::path folder = build(two_disks());
  EXPECT_TRUE(fs::is_symlink(folder / "out.blocks.1"));
  EXPECT_EQ(fs::read_symlink(folder / "out.blocks.1").parent_path(), disk("b"));
  EXPECT_EQ(files_in(disk("a")), 2U) << "out and in";
  EXPECT_EQ(files_in(disk("b")), 2U);
  build(two_disks());
  EXPECT_EQ(files_in(disk("a")), 2U) << "the same again";
  std::ofstream(disk("a") / "somebody's") << "data";
  build(two_disks(), {.number = "random", .pack = "csr"});
  EXPECT_EQ(files_in(disk("a")), 3U) << "the earlier layout's are gone, and nobody else's";
  EXPECT_NO_THROW(static_cast<void>(Layout(folder)));
  build({});
  EXPECT_EQ(files_in(disk("a")), 1U);
  EXPECT_EQ(files_in(disk("b")), 0U);
  EXPECT_TRUE(fs::exists(folder / "out.blocks"));
}

// What a killed build left: a file that no layout uses, and one that was not finished.
TEST_F(Stripes, OfABuildThatWasKilledAreRemovedByTheNext) {
  build(two_disks());
  const std::string label = stripes_label(toy_.folder(), "striped");
  std::ofstream(disk("a") / (label + "-0123456789abcdef.out.blocks.0")) << "left";
  std::ofstream(disk("b") / (label + ".out.blocks.1.pending")) << "left";
  build(two_disks());
  EXPECT_EQ(files_in(disk("a")), 2U);
  EXPECT_EQ(files_in(disk("b")), 2U);
}

TEST_F(Stripes, OfABuildThatFailsAreRemoved) {
  const fs::path folder = build(two_disks());
  fs::create_directory(disk("b") /
                       (stripes_label(toy_.folder(), "striped") + ".in.blocks.1.pending"));
  EXPECT_THROW(build(two_disks(), {.number = "random", .pack = "csr"}), Error);
  EXPECT_EQ(files_in(disk("a")), 2U);
  EXPECT_FALSE(check_layout(folder).empty()) << "the layout that stood still stands";
}

TEST_F(Stripes, ThatAreMissingCutOrAnothersAreNamed) {
  const fs::path folder = build(two_disks());
  const fs::path stripe = fs::read_symlink(folder / "out.blocks.1");
  const std::string bytes = contents(stripe);
  const auto refused = [&](ExitCode code, const std::string& text) {
    expect_error(code, text, [&] { static_cast<void>(Layout(folder)); });
    expect_error(code, "out.blocks.1", [&] { static_cast<void>(Layout(folder)); });
  };
  fs::rename(stripe, stripe.string() + ".away");
  refused(ExitCode::bad_input, "stripe 2 of 2, at " + stripe.string());
  refused(ExitCode::bad_input, "mount its disk");
  fs::rename(stripe.string() + ".away", stripe);
  fs::resize_file(stripe, bytes.size() - 4096);
  refused(ExitCode::bad_input, fmt::format("{} bytes", bytes.size() - 4096));
  // Of another layout, of the same size: no block has its checksum.
  fs::resize_file(stripe, bytes.size());
  std::string other = bytes;
  for (char& byte : other) byte = static_cast<char>(byte ^ 1);
  std::ofstream(stripe, std::ios::binary) << other;
  const Layout layout(folder);
  expect_error(ExitCode::bad_input, "out.blocks.1 at offset 0", [&] { check_layout(folder); });
}

TEST_F(Stripes, RefuseManifestsThatCannotBe) {
  const fs::path manifest = build(two_disks()) / "layout.json";
  for (const auto& [files, bytes] : {std::pair{0, 4096}, std::pair{65, 4096}, std::pair{2, 4095}}) {
    edit_json(manifest, [&](auto& json) {
      json["stripes"] = {{"files", files}, {"bytes", bytes}};
    });
    expect_error(ExitCode::bad_input, fmt::format("{} stripes of {} bytes", files, bytes),
                 [&] { static_cast<void>(Layout(manifest.parent_path())); });
  }
}

TEST_F(Stripes, RefuseDisksThatCannotBe) {
  const auto refused = [](const std::string& disks, const std::string& stripe,
                          const std::string& text) {
    expect_error(ExitCode::usage, text, [&] { Disks::parse(disks, stripe); });
  };
  refused("0", "64K", "expected 1 to 64 disks");
  refused("65", "64K", "expected 1 to 64 disks");
  refused("/none", "64K", "'/none' is not a folder");
  refused(disk("a").string() + ",", "64K", "'' is not a folder");
  refused("2", "1000", "whole blocks, such as 64K");
  EXPECT_FALSE(Disks::parse("1", "64K").striped());
  expect_error(ExitCode::usage, "--stripe 4.0 KiB",
               [&] { build(Disks::parse("2", "4K"), {.pack = "csr", .block_bytes = 8192}); });
  LayoutChoices grid;
  set_pack(grid, "grid:p=2");
  expect_error(ExitCode::usage, "--disks with --pack grid",
               [&] { build(Disks::parse("2", "4K"), grid); });
}

}  // namespace
}  // namespace outcore
