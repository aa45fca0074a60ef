// SPDX-License-Identifier: Apache-2.0
// Which ids the vertices of a generated graph have. A generator numbers its vertices by *places*,
// in the order in which they lie in the shape; the order says which id each place gets.
#pragma once

#include <cstdint>

#include "common/ids.h"

namespace outcore {

// As the vertices lie; from the other end; or at random, by the seed.
enum class IdOrder : std::uint8_t { in_order, reversed, random };

// As the command line has it.
const char* name_of(IdOrder order);

// The id of the vertex at `place` of so many: a bijection on [0, vertices).
VertexId id_in_order(VertexId place, VertexId vertices, IdOrder order, std::uint64_t seed);

// A bijection on [0, 2^bits) chosen by the seed. It hides the structure in a Kronecker graph's ids.
// A Feistel network of four rounds, repeated until the result lies in the range.
VertexId permuted_id(VertexId id, unsigned bits, std::uint64_t seed);

}  // namespace outcore
