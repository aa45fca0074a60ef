// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/edges/edge_values.h"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>

#include "common/error.h"
#include "common/hash.h"
#include "storage/container/hashed_file.h"
#include "storage/layout/layout_command.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBlocks = "values.blocks";
constexpr const char* kSums = "values.sums";
constexpr const char* kOpen = "values.open";
constexpr std::size_t kZeroBytes = std::size_t{1} << 20;

void write_zeros(File& file, std::uint64_t bytes) {
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(bytes, kZeroBytes));
  for (std::uint64_t at = 0; at < bytes; at += kZeroBytes) {
    file.write_at(std::span(zeros).first(std::min<std::uint64_t>(bytes - at, kZeroBytes)), at);
  }
}

std::vector<std::uint32_t> sums_of_zeros(std::uint64_t blocks, std::uint32_t block_bytes) {
  return std::vector<std::uint32_t>(blocks, checksum32(std::vector<std::byte>(block_bytes)));
}

// The sums, and the sum of them.
void write_sums(const fs::path& folder, std::span<const std::uint32_t> sums) {
  const std::uint32_t sum = checksum32(std::as_bytes(sums));
  File file = File::create(folder / kSums);
  file.write(std::as_bytes(sums));
  file.write(std::as_bytes(std::span(&sum, 1)));
}

// Of every file the size that its entry has; returns the number of blocks.
std::uint64_t checked_blocks(const EdgeLayout& layout) {
  const fs::path path = layout.folder() / "layout.json";
  const nlohmann::json entry = file_entry(layout.manifest(), kBlocks, path);
  const auto bytes = json_field<std::uint64_t>(entry, "bytes", path);
  const std::uint64_t blocks = bytes / layout.facts().block_bytes;
  const std::uint64_t of_edges = layout.value_blocks();
  if (blocks != of_edges) {
    throw bad_input(Place::file(layout.folder() / kBlocks), fmt::format("{} blocks", blocks),
                    fmt::format("{}, what the edges take", of_edges), kBuildAgain);
  }
  check_file_size(layout.folder() / kBlocks, entry, blocks * layout.facts().block_bytes);
  check_file_size(layout.folder() / kSums, file_entry(layout.manifest(), kSums, path),
                  (blocks + 1) * sizeof(std::uint32_t));
  return blocks;
}

std::vector<std::uint32_t> read_sums(const fs::path& folder, std::uint64_t blocks) {
  const fs::path path = folder / kSums;
  std::vector<std::uint32_t> sums(blocks + 1);
  File::open_read(path).read(std::as_writable_bytes(std::span(sums)), 0);
  const std::uint32_t expected = sums.back();
  sums.pop_back();
  const std::uint32_t found = checksum32(std::as_bytes(std::span(sums)));
  if (found == expected) return sums;
  throw bad_input(Place::file(path), fmt::format("sum of sums {:08x}", found),
                  fmt::format("{:08x}", expected), kBuildAgain);
}

fs::path folder_with_values(const EdgeLayout& layout) {
  if (layout.facts().value_bytes > 0) return layout.folder();
  throw usage_error(fmt::format("{} has no values on edges; {}", layout.folder().string(),
                                how_to_have(graph_of_layout(layout.folder()), {.pack = "psw"})));
}

}  // namespace

EdgeValues::EdgeValues(const EdgeLayout& layout)
    : folder_(folder_with_values(layout)),
      value_bytes_(layout.facts().value_bytes),
      block_bytes_(layout.facts().block_bytes),
      lock_(File::open_update(folder_ / kBlocks)) {
  if (::flock(lock_.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw usage_error(
          fmt::format("{}: another process is writing these values", (folder_ / kBlocks).string()));
    }
    throw io_error(Place::file(folder_ / kBlocks), "cannot lock", errno);
  }
  const std::uint64_t blocks = checked_blocks(layout);
  if (fs::exists(folder_ / kOpen)) {
    write_zeros(lock_, blocks * block_bytes_);
    sums_ = sums_of_zeros(blocks, block_bytes_);
  } else {
    sums_ = read_sums(folder_, blocks);
    File::create(folder_ / kOpen);
  }
}

BlockFile EdgeValues::take_file() {
  return {.path = folder_ / kBlocks,
          .block_bytes = block_bytes_,
          .sums = std::move(sums_),
          .writable = true};
}

void EdgeValues::close(const Door& door, std::uint32_t file) {
  if (!door.backend().traits().contents) return;
  write_sums(folder_, door.file(file).sums);
  fs::remove(folder_ / kOpen);
}

void create_edge_values(const fs::path& folder, std::uint64_t blocks, std::uint32_t block_bytes,
                        nlohmann::json& files) {
  File file = File::create(folder / kBlocks);
  write_zeros(file, blocks * block_bytes);
  write_sums(folder, sums_of_zeros(blocks, block_bytes));
  files[kBlocks] = {{"bytes", blocks * block_bytes}};
  files[kSums] = {{"bytes", (blocks + 1) * sizeof(std::uint32_t)}};
}

void check_edge_values(const EdgeLayout& layout) {
  const std::uint64_t blocks = checked_blocks(layout);
  const fs::path path = layout.folder() / kBlocks;
  if (fs::exists(layout.folder() / kOpen)) {
    throw bad_input(Place::file(path), "values that a process writes, or died writing",
                    "values that were closed", "the next run that writes them sets them to 0");
  }
  const std::vector<std::uint32_t> sums = read_sums(layout.folder(), blocks);
  const File file = File::open_read(path);
  std::vector<std::byte> block(layout.facts().block_bytes);
  for (BlockId b = 0; b < blocks; ++b) {
    file.read(block, b * block.size());
    if (checksum32(block) == sums[b]) continue;
    throw bad_input(Place::offset(path, b * block.size()),
                    fmt::format("block checksum {:08x}", checksum32(block)),
                    fmt::format("{:08x}", sums[b]), kBuildAgain);
  }
}

}  // namespace outcore
