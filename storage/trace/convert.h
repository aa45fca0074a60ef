// SPDX-License-Identifier: Apache-2.0
// Traces in the forms of other tools, one record an access to one unit. Both stream; the result
// appears whole under its name or not at all.
//
// CSV: a line "round,unit,bytes" that names the columns, then a line an access. `bytes` is the size
// of a unit, the same in every line: simulators want it.
//
// oracleGeneral, what libCacheSim reads fastest: 24 bytes a record, little-endian, unaligned:
// u32 time, u64 id, u32 bytes, i64 number of the next access to the same id, counted from 1 for the
// first record; -1 when there is none. `time` is the round, so it ascends, and rounds survive. What
// comes next is found in a second pass over the written records, from the end: 8 bytes a unit id.
#pragma once

#include <filesystem>

#include "storage/trace/trace.h"

namespace outcore {

// Each reads the rest of the trace. Throw what the reader throws, and io Errors.
void write_csv(TraceReader& trace, const std::filesystem::path& path);
void write_oracle_general(TraceReader& trace, const std::filesystem::path& path);

}  // namespace outcore
