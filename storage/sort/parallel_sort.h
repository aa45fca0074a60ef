// SPDX-License-Identifier: Apache-2.0
// Sorts records (sort_records.h) in ascending order with `threads` threads. Stable. A thread has
// half a MiB of buffers, for weighted edges twice that.
//
// Edges without weights are distributed by their highest digit, and each digit's edges are sorted
// by vqsort (Highway's vector quicksort; the result is stable because equal edges have equal bits):
// 13 ns per edge, against 29 ns for radix passes alone (4 M edges of 2^23 vertices, one thread,
// AVX-512). Everything else is sorted by radix passes, least significant digit first, with digits
// of up to 12 bits, over only those bits in which records differ (targets of a graph of 2^24
// vertices: 2 passes).
// passes).
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
