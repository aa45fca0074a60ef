// SPDX-License-Identifier: Apache-2.0
// Writes traces in formats of other tools, one record per access to one unit. Both stream. The
// result appears whole under its name or not at all.
//
// CSV: a header line "round,unit,bytes", then one line per access. `bytes` is the size of a unit,
// the same in every line, because simulators need it.
//
// oracleGeneral, the format that libCacheSim reads fastest: 24 bytes per record, little-endian,
// unaligned: u32 time, u64 id, u32 bytes, i64 number of the next access to the same id, counted
// from 1 for the first record, or -1 if there is none. `time` is the round, so it ascends and
// rounds are kept. The next accesses are found in a second pass over the written records, from the
// end: 8 bytes per unit id.
#pragma once

#include <filesystem>

#include "storage/trace/trace.h"

namespace outcore {

// Both read the rest of the trace. They throw what the reader throws, and io Errors.
void write_csv(TraceReader& trace, const std::filesystem::path& path);
void write_oracle_general(TraceReader& trace, const std::filesystem::path& path);

}  // namespace outcore
