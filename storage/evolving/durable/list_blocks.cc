// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/list_blocks.h"

#include <algorithm>
#include <cstring>

#include "common/hash.h"
#include "storage/evolving/durable/stored_ids.h"

namespace outcore::evolving {

namespace {

constexpr std::byte kFree{0xff};

}  // namespace

ListBlocksWriter::ListBlocksWriter(Disk& disk, const Run& run, const std::string& prefix)
    : prefix_(prefix),
      is_layout_(run.is_oldest()),
      id_bytes_(run.plain_id_bytes()),
      slot_bytes_(run.slot_bytes()),
      format_(format_of(run)),
      blocks_(disk, file_of_run(run, prefix + ".blocks")),
      sums_(disk, file_of_run(run, prefix + ".sums")) {
  block_.fill(kFree);
}

ListPlace ListBlocksWriter::put(std::span<const VertexId> ids) {
  const bool coded = codes(ids);
  // As a layout's packer does, or as a reader of a newer run knows without the ids.
  const bool begins_here =
      !coded ? room() >= id_bytes_
             : (is_layout_ ? format_.slots(ids, used_) > 0 : room() >= kLeastRoomOfCode);
  if (!begins_here) end_block();
  ListPlace place{.position = position(), .slots = 0, .coded = coded};
  if (coded) {
    put_coded(ids);
  } else {
    with_id_bytes(id_bytes_, [&]<unsigned kIdBytes>() { put_plain<kIdBytes>(ids); });
  }
  place.slots = position() - place.position;
  if (room() == 0) end_block();
  return place;
}

bool ListBlocksWriter::codes(std::span<const VertexId> ids) const {
  if (!format_.encoded()) return false;
  if (is_layout_) return true;
  return ids.size() >= kLeastCoded && format_.slots(ids) < ids.size() * id_bytes_;
}

void ListBlocksWriter::put_coded(std::span<const VertexId> ids) {
  for (std::size_t first = 0; first < ids.size();) {
    if (first > 0) end_block();
    const PieceFormat::Cut cut = format_.cut(ids.subspan(first), first, room());
    format_.write({ids.subspan(first, cut.count), {}}, first,
                  std::span(block_).subspan(used_, cut.slots));
    used_ += cut.slots;
    first += cut.count;
    ++in_block_;
  }
}

template <unsigned kIdBytes>
void ListBlocksWriter::put_plain(std::span<const VertexId> ids) {
  for (std::size_t first = 0; first < ids.size();) {
    if (first > 0) end_block();
    const std::size_t count = std::min<std::size_t>(ids.size() - first, room() / kIdBytes);
    for (const VertexId id : ids.subspan(first, count)) {
      std::memcpy(&block_[used_], &id, kIdBytes);
      used_ += kIdBytes;
    }
    first += count;
    ++in_block_;
  }
}

void ListBlocksWriter::end_block() {
  blocks_.write(block_);
  sums_.put(checksum32(block_));
  block_.fill(kFree);
  used_ = 0;
  most_in_a_block_ = std::max(most_in_a_block_, std::exchange(in_block_, 0));
}

void ListBlocksWriter::end() {
  if (used_ > 0) end_block();
}

std::uint64_t ListBlocksWriter::finish(nlohmann::json& files) {
  const std::uint64_t bytes = blocks_.bytes() + sums_.bytes();
  files[prefix_ + ".blocks"] = blocks_.finish();
  files[prefix_ + ".sums"] = sums_.finish();
  return bytes;
}

}  // namespace outcore::evolving
