// SPDX-License-Identifier: Apache-2.0
// The two decoders of codec varint, which give the same ids for any bytes.
//
// By vectors, after masked vbyte (Plaisance, Kurz, Lemire: Vectorized VByte Decoding, 2015): a
// value ends where the mark of the next byte is another one, which one xor and a shift of a
// movemask tell of many bytes at once; twelve bits of that say how long the next values are, up to
// four of them, and how to shuffle their bytes into four lanes.
#pragma once

#include "storage/layout/codec.h"

namespace outcore {

using VarintDecoder = CodecPart::Decoded (*)(const std::byte* in, const std::byte* end,
                                             std::uint32_t bytes, VertexId* out);

CodecPart::Decoded varint_decode_scalar(const std::byte* in, const std::byte* end,
                                        std::uint32_t bytes, VertexId* out);
// The quickest that this processor has: by vectors with SSSE3, else the scalar one.
VarintDecoder varint_decoder();

}  // namespace outcore
