// SPDX-License-Identifier: Apache-2.0
// Lists beyond what 32 bits can count, in bytes and in slots of 4 bytes: a small graph after 16 GB
// that hold nothing. (CAVE's published index has 32 bits for a position.)
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "engines/engine.h"
#include "storage/layout/broken_layout.h"
#include "tests/readers.h"
#include "tests/toy_parameters.h"
#include "workloads/workload.h"

namespace outcore {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kBlockBytes = 1 << 16;
constexpr std::uint64_t kBlocksBefore = (std::uint64_t{1} << 32) / (kBlockBytes / 4);

std::vector<std::byte> bytes_of(const fs::path& path) {
  std::vector<std::byte> bytes(fs::file_size(path));
  File::open_read(path).read(bytes, 0);
  return bytes;
}

// Puts a hole of this many bytes before the file's contents. File systems store no blocks for it.
void put_hole_before(const fs::path& path, std::uint64_t hole) {
  const std::vector<std::byte> bytes = bytes_of(path);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.seekp(static_cast<std::streamoff>(hole));
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void move_lists(const fs::path& index) {
  std::vector<std::uint64_t> entries(fs::file_size(index) / sizeof(std::uint64_t));
  File::open_read(index).read(std::as_writable_bytes(std::span(entries)), 0);
  for (std::uint64_t& entry : entries) {
    if (entry >> ListIndex::kPositionBits > 0) entry += kBlocksBefore * (kBlockBytes / 4);
  }
  File::create(index).write(std::as_bytes(std::span(entries)));
}

void move_behind_nothing(const fs::path& layout) {
  put_hole_before(layout / "out.blocks", kBlocksBefore * kBlockBytes);
  put_hole_before(layout / "out.sums", kBlocksBefore * sizeof(std::uint32_t));
  move_lists(layout / "out.index");
  edit_json(layout / "layout.json", [&](auto& json) {
    json["facts"]["blocks"] = json["facts"]["blocks"].template get<std::uint64_t>() + kBlocksBefore;
    for (const char* name : {"out.blocks", "out.sums", "out.index"}) {
      json["files"][name]["bytes"] = fs::file_size(layout / name);
    }
    for (const char* name : {"out.sums", "out.index"}) {
      json["files"][name]["hash"] = hash_file(layout / name);
    }
  });
}

std::string digest(const EngineEntry& engine, const Parameters& settings, const Layout& layout,
                   const std::string& workload) {
  EngineOptions options;
  options.settings = settings;
  options.threads = 2;
  options.frames_bytes = 64 * kBlockBytes;
  const auto made = engine.make(layout, options);
  const Workload& entry = find_workload(workload);
  return entry.run(*made, toy_parameters(entry))().digest();
}

TEST(FarAddresses, OfListsAreFollowedByBlockEngines) {
  const ToyContainer toy(small_kronecker(10, 16, 1), true);
  const fs::path path = toy.layout("firstfit", kBlockBytes);
  std::map<std::string, std::string> near;
  for (const std::string workload : {"bfs", "wcc", "kcore"}) {
    near[workload] = digest(reference_engine(), {}, Layout(path), workload);
  }
  move_behind_nothing(path);
  const Layout far(path);
  for (const auto& [workload, expected] : near) {
    for (const EngineEntry* engine : block_engines()) {
      for (const Parameters& way : ways_of(*engine)) {
        EXPECT_EQ(digest(*engine, way, far, workload), expected) << workload << engine->name;
      }
    }
  }
}

}  // namespace
}  // namespace outcore
