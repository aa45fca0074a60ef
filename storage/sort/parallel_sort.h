// SPDX-License-Identifier: Apache-2.0
// Sorts records (sort_records.h), ascending, with `threads` threads. Stable. A thread has half a
// MiB of buffers, for weighted edges twice that.
//
// Edges without weights are dealt out by their highest digit and each digit's sorted by vqsort
// (Highway's vector quicksort, which gives what is stable because equal edges are the same bits):
// 13 ns an edge, where radix passes alone took 29 (4 M edges of 2^23 vertices, one thread,
// AVX-512). All else is sorted by radix passes, least significant digit first, by digits of up to
// 12 bits over those bits only in which records differ (targets of a graph of 2^24 vertices: 2
// passes).
#pragma once

#include <span>

#include "storage/sort/sort_records.h"

namespace outcore {

enum class SortBy : std::uint8_t {
  all,    // of a record
  upper,  // its highest word alone, an edge's source; what agrees in it stays in order
};

// `scratch` must be as long as `records`; the sorted ones are in either, which is returned. Record:
// EdgeKey, WeightedKey.
template <typename Record>
std::span<Record> parallel_sort(std::span<Record> records, std::span<Record> scratch,
                                unsigned threads, SortBy by = SortBy::all);

}  // namespace outcore
