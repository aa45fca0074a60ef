// SPDX-License-Identifier: Apache-2.0
// Sorts records (sort_records.h) in ascending order with `threads` threads. Stable. A thread has
// half a MiB of buffers, for weighted edges twice that.
//
// Records that fit one core's cache are sorted by radix passes, least significant digit first, over
// only those bits in which they differ. More of them are first dealt out by their highest digit, by
// all threads; then each thread sorts one digit's records after the other. docs/measured/steps.md
// has it beside a vector quicksort, whose library costs each process 3 ms before its first line.
#pragma once

#include <span>

#include "storage/sort/sort_records.h"

namespace outcore {

enum class SortBy : std::uint8_t {
  all,    // the whole record
  upper,  // its highest word, an edge's source; records with equal words keep their order
};

// REQUIRES: `scratch` is as long as `records`. The sorted records are in one of the two, which is
// returned. Record: EdgeKey, WeightedKey.
template <typename Record>
std::span<Record> parallel_sort(std::span<Record> records, std::span<Record> scratch,
                                unsigned threads, SortBy by = SortBy::all);

}  // namespace outcore
