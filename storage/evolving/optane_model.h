// SPDX-License-Identifier: Apache-2.0
// Persistent memory that is not there: Intel's Optane, modelled by what moves between its levels
// (XPGraph, section II-A and Fig. 1). It keeps no bytes and no time; it counts.
//
//   cache      lines of 64 bytes, 16 ways, LRU, written back. A store that does not cover its whole
//              line reads the line first.
//     | bus    64 bytes a request: what Intel PCM counts, and so what the paper's Fig. 3(b) and 13
//     |        measure
//   XPBuffer   in each DIMM: lines of 256 bytes, LRU. It merges writes to the four quarters.
//     | medium 256 bytes a request (an *XPLine*)
//   medium     A line that leaves the XPBuffer costs one write if it is wholly known there, and a
//              read and a write if not.
//
// A line is wholly known if it came by a read or if all its quarters were written. So a small store
// to a cold line reads the medium once where the cache gives the line back while the XPBuffer still
// has it, and twice where the cache keeps it longer: the line is read for the store, forgotten, and
// read again to be merged.
//
// Caches survive a power failure in the paper's machine (eADR), so nothing is written back for
// safety's sake; flush() is the paper's proactive clwb (section IV-A).
//
// Threads: one at a time (medium.h).
#pragma once

#include <cstdint>
#include <vector>

#include "storage/evolving/medium.h"

namespace outcore::evolving {

struct OptaneParameters {
  std::uint64_t cache_bytes = std::uint64_t{1} << 20;
  unsigned dimms = 8;          // interleaved by 4 KB
  unsigned buffer_lines = 64;  // of each DIMM's XPBuffer
};

// Counted in lines: of 64 bytes in the cache and on the bus, of 256 bytes on the medium.
struct OptaneCounters {
  std::uint64_t cache_lines = 0;   // that were stored to or loaded from
  std::uint64_t cache_misses = 0;  // of these
  std::uint64_t bus_reads = 0;
  std::uint64_t bus_writes = 0;
  std::uint64_t medium_reads = 0;
  std::uint64_t medium_writes = 0;

  [[nodiscard]] std::uint64_t bus_read_bytes() const;
  [[nodiscard]] std::uint64_t bus_written_bytes() const;
  [[nodiscard]] std::uint64_t medium_read_bytes() const;
  [[nodiscard]] std::uint64_t medium_written_bytes() const;
};

class OptaneModel final : public Medium {
 public:
  static constexpr std::uint64_t kCacheLine = 64;
  static constexpr std::uint64_t kXPLine = 256;
  static constexpr unsigned kWays = 16;
  static constexpr std::uint64_t kInterleave = 4096;

  // The cache is rounded down to whole sets of kWays lines; it has one at least. Throws a usage
  // Error for no DIMMs or XPBuffers without lines.
  explicit OptaneModel(const OptaneParameters& parameters);

  // The cache for lists of this many bytes: 1/512 of them. The paper has 72 MB of cache before 40
  // GB of lists (Table III); a graph that is smaller needs a cache that is smaller too, or nothing
  // would ever leave it.
  static std::uint64_t usual_cache_bytes(std::uint64_t list_bytes) { return list_bytes / 512; }

  void wrote(std::uint64_t place, std::uint64_t bytes);
  void wrote(std::uint64_t place, std::uint64_t bytes, const void* /*data*/) override {
    wrote(place, bytes);
  }
  void read(std::uint64_t place, std::uint64_t bytes) override;
  // clwb: lines of the range that were stored to go to the DIMM. They stay in the cache.
  void flush(std::uint64_t place, std::uint64_t bytes) override;
  // Writes back everything, by ascending places: the end of a run, so that all stores are counted.
  void drain();

  [[nodiscard]] const OptaneCounters& counters() const { return counters_; }

 private:
  struct CacheLine {
    std::uint64_t line = kNone;
    std::uint64_t used = 0;
    bool dirty = false;
  };
  struct XPLine {
    std::uint64_t line = kNone;
    std::uint64_t used = 0;
    std::uint8_t written = 0;  // a bit a quarter
    bool whole = false;        // came from the medium
  };
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr std::uint8_t kAllQuarters = 0xf;

  // The line in the cache, brought there if need be. `covered`: it will be stored to as a whole.
  CacheLine& touch(std::uint64_t line, bool covered);
  void write_back(CacheLine& line);
  void bus_read(std::uint64_t line);
  void bus_write(std::uint64_t line);
  // The XPLine of a cache line in its DIMM's buffer, brought there if need be, without data.
  XPLine& buffered(std::uint64_t line);
  void evict(XPLine& line);

  OptaneParameters parameters_;
  std::uint64_t clock_ = 0;
  std::uint64_t sets_;
  std::vector<CacheLine> cache_;  // kWays lines a set
  std::vector<XPLine> buffers_;   // buffer_lines a DIMM
  OptaneCounters counters_;
};

}  // namespace outcore::evolving
