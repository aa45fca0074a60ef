// SPDX-License-Identifier: Apache-2.0
// Stream-vbyte over differences (Lemire, Kurz and Rupp, Information Processing Letters 2018), by
// the library libstreamvbyte: two bits an id say how many bytes it has, those of four ids in a
// byte; all of them stand before the data, so that no branch hangs on the data.
#include <streamvbyte.h>
#include <streamvbytedelta.h>

#include "storage/layout/codec.h"

namespace outcore {

namespace {

std::size_t controls(std::size_t ids) { return (ids + 3) / 4; }

std::size_t data_bytes(std::uint32_t value) {
  return 1U + static_cast<unsigned>(value > 0xff) + static_cast<unsigned>(value > 0xffff) +
         static_cast<unsigned>(value > 0xffffff);
}

std::size_t svb_bytes(std::span<const VertexId> ids) {
  std::size_t bytes = controls(ids.size());
  VertexId before = 0;
  for (const VertexId id : ids) {
    bytes += data_bytes(id - before);
    before = id;
  }
  return bytes;
}

std::size_t svb_fit(std::span<const VertexId> ids, std::size_t room, std::size_t extra) {
  std::size_t bytes = 0;
  VertexId before = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bytes += data_bytes(ids[i] - before) + extra;
    if (bytes + controls(i + 1) > room) return i;
    before = ids[i];
  }
  return ids.size();
}

std::size_t svb_encode(std::span<const VertexId> ids, std::byte* out) {
  return streamvbyte_delta_encode(ids.data(), static_cast<std::uint32_t>(ids.size()),
                                  reinterpret_cast<std::uint8_t*>(out), 0);
}

std::uint32_t svb_decode(const std::byte*& in, std::uint32_t ids, VertexId* out) {
  in += streamvbyte_delta_decode(reinterpret_cast<const std::uint8_t*>(in), out, ids, 0);
  return ids;
}

std::optional<std::size_t> svb_extent(std::span<const std::byte> in, std::uint32_t ids) {
  std::size_t bytes = controls(ids);
  if (bytes > in.size()) return std::nullopt;
  for (std::uint32_t i = 0; i < ids; ++i) {
    bytes += 1 + (static_cast<std::size_t>(in[i / 4]) >> (i % 4 * 2) & 3);
  }
  if (bytes > in.size()) return std::nullopt;
  return bytes;
}

}  // namespace

CodecPart svb_codec() {
  return {.name = "svb",
          .help = "differences in stream-vbyte, quick to decode",
          .bytes = svb_bytes,
          .fit = svb_fit,
          .encode = svb_encode,
          .size = CodecPart::Size::ids,
          .decode = svb_decode,
          .extent = svb_extent};
}

}  // namespace outcore
