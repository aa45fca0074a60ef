// SPDX-License-Identifier: Apache-2.0
#include "storage/events/event_coding.h"

#include <zlib.h>

#include <bit>
#include <cstring>
#include <utility>

namespace outcore {

namespace {

constexpr std::size_t kBytesOfEvent = 10;  // about

class NumberWriter {
 public:
  explicit NumberWriter(std::size_t expected) { bytes_.reserve(expected); }
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void put_signed(std::int64_t value) {
    put(static_cast<std::uint64_t>(value << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Numbers up to the end of the bytes; behind it, and behind a number of more than 64 bits, it has
// failed, and numbers are 0.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t take() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::int64_t take_signed() {
    const std::uint64_t zigzag = take();
    return static_cast<std::int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool ended() const { return !failed_ && at_ == bytes_.size(); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

void put_u32(std::string& bytes, std::size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(value >> shift));
  }
}

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string record_of(char type, std::size_t plain, const std::string& stored) {
  std::string record(1, type);
  put_u32(record, stored.size());
  put_u32(record, plain);
  put_u32(record, crc32_of(stored));
  return record + stored;
}

RecordHead head_of(std::string_view bytes) {
  return {bytes[0], u32_at(bytes, 1), u32_at(bytes, 5), u32_at(bytes, 9)};
}

std::string encode_segment(const EventSegment& segment) {
  NumberWriter numbers(kBytesOfEvent * segment.events.size());
  numbers.put(segment.lane);
  for (const EventTotal& total : segment.totals) {
    numbers.put(total.events);
    numbers.put(total.count);
    numbers.put(total.value);
  }
  numbers.put(segment.events.size());
  for (const Event& event : segment.events) numbers.put(static_cast<std::uint64_t>(event.kind));
  std::uint64_t time = 0;
  for (const Event& event : segment.events)
    numbers.put(event.time - std::exchange(time, event.time));
  std::uint32_t block = 0;
  for (const Event& event : segment.events) {
    numbers.put_signed(std::int64_t{event.block} - std::exchange(block, event.block));
  }
  for (const Event& event : segment.events) numbers.put(event.count);
  for (const Event& event : segment.events) numbers.put(event.value);
  return numbers.take();
}

bool decode_segment(std::string_view plain, DecodedSegment& into) {
  NumberReader numbers(plain);
  into.lane = static_cast<std::uint32_t>(numbers.take());
  for (EventTotal& total : into.totals) {
    total.events = numbers.take();
    total.count = numbers.take();
    total.value = numbers.take();
  }
  const std::uint64_t count = numbers.take();
  if (numbers.failed() || count > numbers.left()) return false;
  std::vector<Event>& events = into.events;
  events.assign(count, {});
  for (Event& event : events) {
    const std::uint64_t kind = numbers.take();
    if (kind >= kEventKinds) return false;
    event.kind = static_cast<EventKind>(kind);
  }
  std::uint64_t time = 0;
  for (Event& event : events) event.time = time += numbers.take();
  std::int64_t block = 0;
  for (Event& event : events) {
    // Unsigned: whatever broken bytes say, the sum is defined.
    block = static_cast<std::int64_t>(static_cast<std::uint64_t>(block) +
                                      static_cast<std::uint64_t>(numbers.take_signed()));
    event.block = static_cast<std::uint32_t>(block);
  }
  for (Event& event : events) event.count = static_cast<std::uint32_t>(numbers.take());
  for (Event& event : events) event.value = numbers.take();
  return numbers.ended();
}

}  // namespace outcore
