// SPDX-License-Identifier: Apache-2.0
// How events lie in their file, behind its first line (docs/events.md): records of a type, each
// compressed and checked alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/events/event.h"

namespace outcore {

inline constexpr char kJsonRecord = 'J';
inline constexpr char kSegmentRecord = 'S';

// zlib's CRC-32, which readers in any language have.
std::uint32_t crc32_of(std::string_view bytes);

// type u8, bytes stored u32, bytes plain u32, crc32_of() what is stored; little-endian.
inline constexpr std::size_t kRecordHeadBytes = 13;
struct RecordHead {
  char type = 0;
  std::uint32_t stored = 0;
  std::uint32_t plain = 0;
  std::uint32_t checksum = 0;
};
std::string record_of(char type, std::size_t plain, const std::string& stored);
// REQUIRES: kRecordHeadBytes of them.
RecordHead head_of(std::string_view bytes);

// Some events of a lane, and its exact totals when they were written.
struct EventSegment {
  std::uint32_t lane = 0;
  EventTotals totals{};
  std::span<const Event> events;
};
std::string encode_segment(const EventSegment& segment);

// Appends the segment's events to its lane's. False if the bytes are no segment.
struct DecodedSegment {
  std::uint32_t lane = 0;
  EventTotals totals{};
  std::vector<Event> events;
};
bool decode_segment(std::string_view plain, DecodedSegment& into);

}  // namespace outcore
