// SPDX-License-Identifier: Apache-2.0
// Sorts records (sort_records.h), ascending, with `threads` threads: least significant digit first,
// by digits of up to 12 bits over those bits only in which records differ (edges of a graph of 2^24
// vertices: 4 passes). Stable. A thread has half a MiB of buffers, for weighted edges twice that.
#pragma once

#include <span>

#include "storage/formats/sort_records.h"

namespace outcore {

enum class SortBy : std::uint8_t {
  all,    // of a record
  upper,  // its highest word alone, an edge's source; what agrees in it stays in order
};

// `scratch` must be as long as `records`; the sorted ones are in either, which is returned. Record:
// EdgeKey, WeightedKey.
template <typename Record>
std::span<Record> radix_sort(std::span<Record> records, std::span<Record> scratch, unsigned threads,
                             SortBy by = SortBy::all);

}  // namespace outcore
