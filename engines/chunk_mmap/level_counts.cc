// SPDX-License-Identifier: Apache-2.0
#include "engines/chunk_mmap/level_counts.h"

#include <iterator>

namespace outcore {

namespace {

struct Columns {
  std::uint64_t& touched;
  std::uint64_t& populated;
  std::uint64_t& faulted;
  std::uint64_t& refetched;
  std::uint64_t& evicted;
  std::uint64_t& most_bytes;
  std::uint64_t& now_bytes;
};

// A layout of chunks has super vertices' pages behind its levels; any other is one level.
Columns columns_of(std::size_t level, const ChunkTable& table, EngineReport& report) {
  auto& counts = report.counts;
  Columns columns[] = {
      {counts["touched_level0"], counts["populated_level0"], counts["faulted_level0"],
       counts["refetched_level0"], counts["evicted_level0"], counts["resident_level0_bytes"],
       counts["resident_now_level0_bytes"]},
      {counts["touched_level1"], counts["populated_level1"], counts["faulted_level1"],
       counts["refetched_level1"], counts["evicted_level1"], counts["resident_level1_bytes"],
       counts["resident_now_level1_bytes"]},
      {counts["touched_level2"], counts["populated_level2"], counts["faulted_level2"],
       counts["refetched_level2"], counts["evicted_level2"], counts["resident_level2_bytes"],
       counts["resident_now_level2_bytes"]},
      {counts["touched_level3"], counts["populated_level3"], counts["faulted_level3"],
       counts["refetched_level3"], counts["evicted_level3"], counts["resident_level3_bytes"],
       counts["resident_now_level3_bytes"]},
      {counts["touched_super"], counts["populated_super"], counts["faulted_super"],
       counts["refetched_super"], counts["evicted_super"], counts["resident_super_bytes"],
       counts["resident_now_super_bytes"]}};
  static_assert(std::size(columns) == ChunkTable::kMostLevels);
  const bool super = level > 0 && level + 1 == table.levels().size();
  return columns[super ? ChunkTable::kMostLevels - 1 : level];
}

}  // namespace

void tell_touched(const ChunkTable& table, const Mapper::Counts& done, EngineReport& report) {
  for (std::size_t level = 0; level < table.levels().size(); ++level) {
    const Columns columns = columns_of(level, table, report);
    columns.touched += done.touched[level];
    columns.faulted += done.faulted[level];
    report.counts["chunks_touched"] += done.touched[level];
    report.counts["chunks_faulted"] += done.faulted[level];
  }
}

void tell_residency(const Residency& residency, EngineReport& report) {
  const ChunkTable& table = residency.table();
  for (std::size_t level = 0; level < table.levels().size(); ++level) {
    const Residency::Counts& done = residency.counts()[level];
    const std::uint64_t chunk_bytes =
        std::uint64_t{table.levels()[level].blocks_per_chunk} * table.block_bytes();
    const Columns columns = columns_of(level, table, report);
    columns.populated += done.populated;
    columns.refetched += done.refetched;
    columns.evicted += done.evicted;
    columns.most_bytes += done.most * chunk_bytes;
    columns.now_bytes += done.there * chunk_bytes;
    report.counts["chunks_populated"] += done.populated;
    report.counts["chunks_refetched"] += done.refetched;
    report.counts["chunks_evicted"] += done.evicted;
  }
  report.counts["untouched_bytes"] += residency.untouched_bytes();
}

void tell_resident(const ChunkTable& table, std::size_t level, std::uint64_t bytes,
                   EngineReport& report) {
  columns_of(level, table, report).now_bytes += bytes;
}

}  // namespace outcore
