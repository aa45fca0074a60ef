// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/optane_model.h"

#include <algorithm>

#include "common/error.h"

namespace outcore::evolving {

namespace {

// The line among `lines` that has this number, else the one that was used least recently.
template <typename Line>
Line& find_or_oldest(Line* begin, Line* end, std::uint64_t number) {
  Line* oldest = begin;
  for (Line* line = begin; line != end; ++line) {
    if (line->line == number) return *line;
    if (line->used < oldest->used) oldest = line;
  }
  return *oldest;
}

// Calls f(line, whole) for each cache line of a range; `whole` if the range covers it.
template <typename F>
void for_each_line(std::uint64_t place, std::uint64_t bytes, F&& f) {
  const std::uint64_t end = place + bytes;
  for (std::uint64_t line = place / OptaneModel::kCacheLine; line * OptaneModel::kCacheLine < end;
       ++line) {
    const std::uint64_t begin = line * OptaneModel::kCacheLine;
    f(line, begin >= place && begin + OptaneModel::kCacheLine <= end);
  }
}

}  // namespace

std::uint64_t OptaneCounters::bus_read_bytes() const { return bus_reads * OptaneModel::kCacheLine; }
std::uint64_t OptaneCounters::bus_written_bytes() const {
  return bus_writes * OptaneModel::kCacheLine;
}
std::uint64_t OptaneCounters::medium_read_bytes() const {
  return medium_reads * OptaneModel::kXPLine;
}
std::uint64_t OptaneCounters::medium_written_bytes() const {
  return medium_writes * OptaneModel::kXPLine;
}

OptaneModel::OptaneModel(const OptaneParameters& parameters)
    : parameters_(parameters),
      sets_(std::max<std::uint64_t>(1, parameters.cache_bytes / (kWays * kCacheLine))),
      cache_(sets_ * kWays),
      buffers_(std::size_t{parameters.dimms} * parameters.buffer_lines) {
  if (buffers_.empty()) {
    throw usage_error("a model of Optane needs a DIMM at least, with an XPBuffer of a line");
  }
}

void OptaneModel::wrote(std::uint64_t place, std::uint64_t bytes) {
  for_each_line(place, bytes,
                [&](std::uint64_t line, bool covered) { touch(line, covered).dirty = true; });
}

void OptaneModel::read(std::uint64_t place, std::uint64_t bytes) {
  for_each_line(place, bytes, [&](std::uint64_t line, bool /*covered*/) { touch(line, false); });
}

void OptaneModel::flush(std::uint64_t place, std::uint64_t bytes) {
  for_each_line(place, bytes, [&](std::uint64_t line, bool /*covered*/) {
    CacheLine* const set = &cache_[(line % sets_) * kWays];
    CacheLine& found = find_or_oldest(set, set + kWays, line);
    if (found.line == line) write_back(found);
  });
}

void OptaneModel::drain() {
  std::vector<CacheLine*> dirty;
  for (CacheLine& line : cache_) {
    if (line.dirty) dirty.push_back(&line);
  }
  std::sort(dirty.begin(), dirty.end(),
            [](const CacheLine* a, const CacheLine* b) { return a->line < b->line; });
  for (CacheLine* line : dirty) write_back(*line);
  for (XPLine& line : buffers_) evict(line);
}

OptaneModel::CacheLine& OptaneModel::touch(std::uint64_t line, bool covered) {
  CacheLine* const set = &cache_[(line % sets_) * kWays];
  CacheLine& found = find_or_oldest(set, set + kWays, line);
  ++counters_.cache_lines;
  found.used = ++clock_;
  if (found.line == line) return found;
  ++counters_.cache_misses;
  write_back(found);
  if (!covered) bus_read(line);
  found.line = line;
  return found;
}

void OptaneModel::write_back(CacheLine& line) {
  if (!line.dirty) return;
  line.dirty = false;
  bus_write(line.line);
}

void OptaneModel::bus_read(std::uint64_t line) {
  ++counters_.bus_reads;
  XPLine& found = buffered(line);
  // What was written lies there, and the rest is on the medium.
  const bool known = found.whole || (found.written >> (line % 4) & 1) != 0;
  if (known) return;
  ++counters_.medium_reads;
  found.whole = true;
}

void OptaneModel::bus_write(std::uint64_t line) {
  ++counters_.bus_writes;
  XPLine& found = buffered(line);
  found.written = static_cast<std::uint8_t>(found.written | 1U << (line % 4));
}

OptaneModel::XPLine& OptaneModel::buffered(std::uint64_t line) {
  const std::uint64_t dimm = line * kCacheLine / kInterleave % parameters_.dimms;
  XPLine* const buffer = &buffers_[dimm * parameters_.buffer_lines];
  const std::uint64_t number = line * kCacheLine / kXPLine;
  XPLine& found = find_or_oldest(buffer, buffer + parameters_.buffer_lines, number);
  found.used = ++clock_;
  if (found.line == number) return found;
  evict(found);
  found.line = number;
  return found;
}

void OptaneModel::evict(XPLine& line) {
  if (line.written != 0) {
    if (!line.whole && line.written != kAllQuarters) ++counters_.medium_reads;
    ++counters_.medium_writes;
  }
  line = {.line = kNone, .used = line.used, .written = 0, .whole = false};
}

}  // namespace outcore::evolving
