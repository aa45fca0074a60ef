// SPDX-License-Identifier: Apache-2.0
// Sorts records (sort_records.h), ascending, with `threads` threads: least significant digit first,
// by windows of 11 bits over those bits only in which records differ (edges of a graph of 2^22
// vertices: 4 passes).
#pragma once

#include <span>

#include "storage/formats/sort_records.h"

namespace outcore {

// `scratch` must be as long as `records`; its contents are lost. Record: EdgeKey, WeightedKey.
template <typename Record>
void radix_sort(std::span<Record> records, std::span<Record> scratch, unsigned threads);

}  // namespace outcore
