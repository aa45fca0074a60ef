// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/run_cursor.h"

#include <fmt/format.h>

#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/evolving/durable/stored_ids.h"
#include "storage/layout/running_positions.h"

namespace outcore::evolving {

RunCursor::RunCursor(Disk& disk, const Run& run, Direction direction)
    : RunCursor(disk, run, prefix_of(direction), files_of_run(disk, run)) {}

RunCursor::RunCursor(Disk& disk, const Run& run, const std::string& prefix,
                     const nlohmann::json& files)
    : id_bytes_(run.slot_bytes()),
      slots_(slots_of(run)),
      blocks_(open_file_of_run(disk, run, prefix + ".blocks", files)),
      sums_(open_file_of_run(disk, run, prefix + ".sums", files)),
      index_(open_file_of_run(disk, run, prefix + ".index", files)),
      tombstones_(open_file_of_run(disk, run, prefix + ".tombstones", files)) {
  if (run.is_oldest()) {
    const std::string file = prefix + ".long";
    long_.emplace(disk, file_of_run(run, file),
                  json_field<nlohmann::json>(files, file,
                                             disk.path(file_of_run(run, "layout.json")), "files/"));
  }
  ahead_.vertex = kNoVertex;
  if (!tombstones_.at_end()) ahead_ = tombstones_.get<Tombstone>();
  next_removals();
  next_list();
}

void RunCursor::next() {
  const VertexId before = vertex();
  if (list_ == before) {
    position_ += degree_;
    next_list();
  }
  if (tombstone_vertex() == before) next_removals();
}

void RunCursor::next_removals() {
  removals_.clear();
  removals_of_ = ahead_.vertex;
  while (ahead_.vertex != kNoVertex && ahead_.vertex == removals_of_) {
    removals_.push_back({ahead_.neighbour, ahead_.count, 0});
    ahead_.vertex = kNoVertex;
    if (!tombstones_.at_end()) ahead_ = tombstones_.get<Tombstone>();
  }
}

void RunCursor::next_list() {
  list_ = kNoVertex;
  if (index_.at_end()) return;
  if (long_) return next_in_layout();
  const std::uint64_t head = get_varint();
  const std::uint64_t vertex = vertices_ + head / 4;
  degree_ = head % 4 + 1;
  if (degree_ == 4) degree_ += get_varint();
  if (vertex >= kNoVertex) {
    throw bad_input(Place::offset(index_.path(), index_.given()),
                    fmt::format("a list of vertex {}", vertex),
                    fmt::format("a list of a vertex from {} to {}", vertices_, kNoVertex - 1),
                    "the file was changed");
  }
  list_ = static_cast<VertexId>(vertex);
  vertices_ = list_ + 1;
}

void RunCursor::next_in_layout() {
  while (list_ == kNoVertex && !index_.at_end()) {
    degree_ = index_.get<std::uint16_t>();
    if (degree_ == RunningPositions::kLong) {
      long_->get<std::uint64_t>();
      degree_ = long_->get<std::uint64_t>();
      long_->get<std::uint64_t>();
    }
    if (degree_ > 0) list_ = vertices_;
    ++vertices_;
  }
}

std::uint64_t RunCursor::get_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 63; shift += 7) {
    const auto byte = index_.get<std::uint8_t>();
    value |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) break;
  }
  return value;
}

std::span<const PairChange> RunCursor::additions() {
  additions_.clear();
  const std::uint64_t end = position_ + degree();
  for (std::uint64_t at = position_; at < end;) {
    go_to(at);
    const std::uint64_t stop = std::min(end, blocks_read_ * slots_);
    for (; at < stop; ++at) {
      const VertexId neighbour = block_[at % slots_];
      if (additions_.empty() || additions_.back().neighbour != neighbour) {
        additions_.push_back({neighbour, 0, 0});
      }
      ++additions_.back().adds;
    }
  }
  return additions_;
}

// Makes block_ the one that has this slot.
void RunCursor::go_to(std::uint64_t slot) {
  const std::uint64_t block = slot / slots_;
  if (block < blocks_read_) return;
  blocks_.skip((block - blocks_read_) * kRunBlockBytes);
  sums_.skip((block - blocks_read_) * sizeof(std::uint32_t));
  blocks_read_ = block + 1;
  const std::uint64_t offset = blocks_.given();
  block_.resize(slots_);
  const std::span<const std::byte> bytes = blocks_.take(kRunBlockBytes);
  with_id_bytes(id_bytes_, [&]<unsigned kIdBytes>() {
    for (std::size_t i = 0; i < slots_; ++i) block_[i] = get_id<kIdBytes>(&bytes[i * kIdBytes]);
  });
  const std::uint32_t found = checksum32(bytes);
  const auto expected = sums_.get<std::uint32_t>();
  if (found == expected) return;
  throw bad_input(Place::offset(blocks_.path(), offset), fmt::format("checksum {:08x}", found),
                  fmt::format("{:08x}", expected), "the file was changed");
}

}  // namespace outcore::evolving
