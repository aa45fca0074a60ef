// SPDX-License-Identifier: Apache-2.0
// Compresses bytes with gzip and zstd, for tests.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

namespace outcore {

inline std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string compressed(deflateBound(&stream, bytes.size()), '\0');
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

inline std::string zstd(const std::string& bytes) {
  std::string compressed(ZSTD_compressBound(bytes.size()), '\0');
  compressed.resize(
      ZSTD_compress(compressed.data(), compressed.size(), bytes.data(), bytes.size(), 3));
  return compressed;
}

}  // namespace outcore
