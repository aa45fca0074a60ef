// SPDX-License-Identifier: Apache-2.0
// The streams of gfe_driver, the field's benchmark of stores for graphs that change (De Leo, Boncz:
// Teseo and the analysis of structural dynamic graphs. VLDB 2021):
//
//   # GRAPHLOG                      the first line
//   key = value                     properties; # begins a comment
//   __BINARY_SECTION_FOLLOWS        the last line
//   ...                             from offset internal.edges.begin on: blocks
//
// A block is a raw deflate stream of three arrays of the same length, one behind the other: sources
// and targets (u64) and weights (double). It has at most internal.edges.block_size bytes before
// compression. All blocks together have internal.edges.cardinality edges. Weight -1 removes an
// edge, any other adds it. Its edges have no direction; they are handed on as they stand, source
// first.
#pragma once

#include "storage/evolving/stream.h"
#include "storage/formats/byte_source.h"

namespace outcore::evolving {

// Memory: a block. Throws bad_input for what is no graphlog, or another version's.
void read_graphlog(ByteSource& source, const StreamOptions& options, UpdateSink& sink);

}  // namespace outcore::evolving
