// SPDX-License-Identifier: Apache-2.0
#include "storage/trace/convert.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <iterator>

#include "common/error.h"
#include "common/progress.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

static_assert(std::endian::native == std::endian::little, "oracleGeneral is little-endian");

constexpr std::size_t kWriteBytes = std::size_t{1} << 20;
constexpr std::size_t kRecordBytes = 24;
constexpr std::size_t kNextAt = 16;  // of a record: its last field

// A file that gets its name when it is complete.
class BufferedFile {
 public:
  explicit BufferedFile(const fs::path& path) : pending_(path) {}

  // Append to this; what has accumulated is written out first if it is much.
  std::string& buffer() {
    if (buffer_.size() >= kWriteBytes) flush();
    return buffer_;
  }
  void flush() {
    pending_.file().write(std::as_bytes(std::span(buffer_)));
    buffer_.clear();
  }
  void commit() {
    flush();
    pending_.commit();
  }
  [[nodiscard]] File& file() { return pending_.file(); }

 private:
  PendingFile pending_;
  std::string buffer_;
};

// Calls f(round, unit) for each access.
template <typename F>
void for_each_access(TraceReader& trace, F&& f) {
  Progress progress("converting the trace", 0, "accesses");
  for (TraceEvent event; trace.next(event);) {
    if (event.kind == TraceEvent::Kind::round) continue;
    for (std::uint32_t i = 0; i < event.run.units; ++i) f(event.run.round, event.run.first + i);
    progress.add(event.run.units);
  }
}

template <typename T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

// Fills in each record's number of the next access to its unit, from the last record to the first.
void link_records(File& file, std::uint64_t units) {
  std::vector<std::int64_t> next(units, -1);
  std::vector<std::byte> block(kWriteBytes / kRecordBytes * kRecordBytes);
  for (std::uint64_t end = file.size(); end > 0;) {
    const std::uint64_t bytes = std::min<std::uint64_t>(end, block.size());
    const std::uint64_t begin = end - bytes;
    const auto records = std::span(block).first(bytes);
    file.read(records, begin);
    for (std::uint64_t at = bytes; at > 0;) {
      at -= kRecordBytes;
      std::uint64_t unit = 0;
      std::memcpy(&unit, &records[at + 4], sizeof(unit));
      std::memcpy(&records[at + kNextAt], &next[unit], sizeof(next[unit]));
      next[unit] = static_cast<std::int64_t>((begin + at) / kRecordBytes + 1);
    }
    file.write_at(records, begin);
    end = begin;
  }
}

}  // namespace

void write_csv(TraceReader& trace, const fs::path& path) {
  BufferedFile file(path);
  file.buffer() += "round,unit,bytes\n";
  for_each_access(trace, [&](std::uint64_t round, std::uint32_t unit) {
    fmt::format_to(std::back_inserter(file.buffer()), "{},{},{}\n", round, unit,
                   trace.header().unit_bytes);
  });
  file.commit();
}

void write_oracle_general(TraceReader& trace, const fs::path& path) {
  BufferedFile file(path);
  std::uint64_t units = 0;
  for_each_access(trace, [&](std::uint64_t round, std::uint32_t unit) {
    std::string& bytes = file.buffer();
    append(bytes, static_cast<std::uint32_t>(round));
    append(bytes, std::uint64_t{unit});
    append(bytes, trace.header().unit_bytes);
    append(bytes, std::int64_t{-1});
    units = std::max(units, std::uint64_t{unit} + 1);
  });
  file.flush();
  link_records(file.file(), units);
  file.commit();
}

}  // namespace outcore
