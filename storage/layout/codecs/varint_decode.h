// SPDX-License-Identifier: Apache-2.0
// The two decoders of the codec varint, which give the same ids for any bytes.
//
// The vector decoder follows masked vbyte (Plaisance, Kurz, Lemire: Vectorized VByte Decoding,
// 2015). A value ends where the next byte has a different mark; one xor and a shift of a movemask
// find this for many bytes at once. Twelve of these bits determine the lengths of up to four next
// values, and how to shuffle their bytes into four lanes.
#pragma once

#include "storage/layout/codec.h"

namespace outcore {

using VarintDecoder = CodecPart::Decoded (*)(const std::byte* in, const std::byte* end,
                                             std::uint32_t bytes, VertexId* out);

CodecPart::Decoded varint_decode_scalar(const std::byte* in, const std::byte* end,
                                        std::uint32_t bytes, VertexId* out);
// The fastest decoder for this processor: vectors with SSSE3, otherwise scalar.
VarintDecoder varint_decoder();

}  // namespace outcore
