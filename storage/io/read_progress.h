// SPDX-License-Identifier: Apache-2.0
// How far one request has come. The kernel may deliver less than was asked for; what is missing is
// read again until it is there or the file turns out to end. Every backend that reads files follows
// a request with one of these, so all of them report failures in the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "common/files.h"
#include "storage/io/backend.h"

namespace outcore {

class ReadProgress {
 public:
  ReadProgress() = default;
  explicit ReadProgress(const ReadRequest& request) : request_(request) {}

  [[nodiscard]] const ReadRequest& request() const { return request_; }
  // The part that is to be read now.
  [[nodiscard]] std::uint64_t offset() const { return request_.offset + start_; }
  [[nodiscard]] std::uint32_t bytes() const { return request_.bytes - start_; }
  [[nodiscard]] std::byte* into() const { return request_.into + start_; }

  // Takes the result of reading that part: bytes, or a negative errno. True when the request is
  // complete, false when there is a part left to read; throws when it failed or the file ended.
  bool take(std::int64_t result, const std::filesystem::path& path);

 private:
  ReadRequest request_;
  std::uint32_t start_ = 0;    // where the next part begins, a multiple of kAlignment
  std::uint32_t arrived_ = 0;  // bytes seen so far, from the beginning of the request
};

// Reads all of a request, blocking.
void read_fully(const File& file, const ReadRequest& request);

}  // namespace outcore
