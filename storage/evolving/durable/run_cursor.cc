// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/run_cursor.h"

#include <fmt/format.h>

#include "common/files.h"
#include "storage/container/hashed_file.h"
#include "storage/evolving/durable/stored_ids.h"
#include "storage/layout/list_index.h"
#include "storage/layout/running_positions.h"

namespace outcore::evolving {

RunCursor::RunCursor(Disk& disk, const Run& run, Direction direction)
    : RunCursor(disk, run, prefix_of(direction), files_of_run(disk, run)) {}

RunCursor::RunCursor(Disk& disk, const Run& run, const std::string& prefix,
                     const nlohmann::json& files)
    : is_coded_(run.is_coded()),
      id_bytes_(run.plain_id_bytes()),
      slots_(slots_of(run)),
      format_(format_of(run)),
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
  block_.resize(kRunBlockBytes + kReadAhead);
  decoded_.resize(is_coded_ ? format_.most_edges() : 0);
  ahead_.vertex = kNoVertex;
  if (!tombstones_.at_end()) ahead_ = tombstones_.get<Tombstone>();
  next_removals();
  next_list();
}

void RunCursor::next() {
  const VertexId before = vertex();
  if (list_ == before) next_list();
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
  const std::uint64_t end = position_ + list_slots_;
  list_ = kNoVertex;
  if (index_.at_end()) return;
  if (long_ && is_coded_) return next_in_packed_index();
  position_ = end;
  if (long_) return next_in_lengths_index();
  const std::uint64_t head = get_varint();
  const std::uint64_t vertex = vertices_ + head / 4;
  degree_ = head % 4 + 1;
  list_is_coded_ = false;
  if (degree_ == kLeastCoded) {
    const std::uint64_t more = get_varint();
    degree_ += is_coded_ ? more / 2 : more;
    list_is_coded_ = is_coded_ && more % 2 == 1;
  }
  if (vertex >= kNoVertex) {
    throw bad_input(Place::offset(index_.path(), index_.given()),
                    fmt::format("a list of vertex {}", vertex),
                    fmt::format("a list of a vertex from {} to {}", vertices_, kNoVertex - 1),
                    "the file was changed");
  }
  list_ = static_cast<VertexId>(vertex);
  vertices_ = list_ + 1;
  place_list(end);
}

void RunCursor::place_list(std::uint64_t end) {
  position_ = end;
  list_slots_ = degree_;
  if (!is_coded_) return;
  const std::uint64_t room = kRunBlockBytes - end % kRunBlockBytes;
  if (room < (list_is_coded_ ? kLeastRoomOfCode : id_bytes_)) position_ += room;
  if (list_is_coded_) {
    list_slots_ = get_varint();
    return;
  }
  const std::uint64_t of_block = kRunBlockBytes / id_bytes_;
  const std::uint64_t begin = position_ % kRunBlockBytes;
  const std::uint64_t here = std::min(degree_, (kRunBlockBytes - begin) / id_bytes_);
  list_slots_ = here * id_bytes_;
  if (degree_ == here) return;
  const std::uint64_t whole = (degree_ - here - 1) / of_block;
  list_slots_ = kRunBlockBytes - begin + whole * kRunBlockBytes +
                (degree_ - here - whole * of_block) * id_bytes_;
}

void RunCursor::next_in_lengths_index() {
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
  list_slots_ = list_ == kNoVertex ? 0 : degree_;
}

void RunCursor::next_in_packed_index() {
  list_is_coded_ = true;
  while (list_ == kNoVertex && !index_.at_end()) {
    const auto entry = index_.get<std::uint64_t>();
    position_ = entry & ListIndex::kPositionMask;
    degree_ = entry >> ListIndex::kPositionBits;
    if (degree_ == ListIndex::kLongDegree) {
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
  if (degree() == 0) return additions_;
  if (list_is_coded_) {
    read_coded();
  } else {
    read_plain();
  }
  return additions_;
}

void RunCursor::add(VertexId neighbour) {
  if (additions_.empty() || additions_.back().neighbour != neighbour) {
    additions_.push_back({neighbour, 0, 0});
  }
  ++additions_.back().adds;
}

void RunCursor::read_plain() {
  const std::uint64_t slot_bytes = is_coded_ ? 1 : id_bytes_;
  std::uint64_t at = position_;
  for (std::uint64_t left = degree_; left > 0;) {
    go_to(at);
    const std::uint64_t begin = at % slots_ * slot_bytes;
    const std::uint64_t count = std::min(left, (kRunBlockBytes - begin) / id_bytes_);
    with_id_bytes(id_bytes_, [&]<unsigned kIdBytes>() {
      for (std::uint64_t i = 0; i < count; ++i)
        add(get_id<kIdBytes>(&block_[begin + i * kIdBytes]));
    });
    left -= count;
    at = (at / slots_ + 1) * slots_;
  }
}

void RunCursor::read_coded() {
  std::uint64_t at = position_;
  for (std::uint64_t found = 0; found < degree_;) {
    go_to(at);
    BlockPart part;
    part.slot = static_cast<std::uint32_t>(at % slots_);
    DecodedPiece piece;
    try {
      piece = format_.read(part, block_.data(), {decoded_.data(), nullptr});
    } catch (const Error&) {
      refuse_list();
    }
    const bool fits = piece.first == found && piece.count > 0 && piece.count <= degree_ - found;
    if (!fits) refuse_list();
    for (const VertexId id : std::span(piece.ids, piece.count)) add(id);
    found += piece.count;
    at = (at / slots_ + 1) * slots_;
  }
}

void RunCursor::refuse_list() const {
  throw bad_input(Place::offset(blocks_.path(), position_),
                  fmt::format("no list of {} edges, of vertex {}", degree_, list_),
                  "what the index says", "one of the two files was changed");
}

// Makes block_ the one that has this slot.
void RunCursor::go_to(std::uint64_t slot) {
  const std::uint64_t block = slot / slots_;
  if (block < blocks_read_) return;
  blocks_.skip((block - blocks_read_) * kRunBlockBytes);
  sums_.skip((block - blocks_read_) * sizeof(std::uint32_t));
  blocks_read_ = block + 1;
  const std::uint64_t offset = blocks_.given();
  const std::span<const std::byte> bytes = blocks_.take(kRunBlockBytes);
  std::copy(bytes.begin(), bytes.end(), block_.begin());
  const std::uint32_t found = checksum32(bytes);
  const auto expected = sums_.get<std::uint32_t>();
  if (found == expected) return;
  throw bad_input(Place::offset(blocks_.path(), offset), fmt::format("checksum {:08x}", found),
                  fmt::format("{:08x}", expected), "the file was changed");
}

}  // namespace outcore::evolving
