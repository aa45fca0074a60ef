// SPDX-License-Identifier: Apache-2.0
// How far one request has come. The kernel may read or write less than was asked for; the rest is
// asked for again until it is done or nothing more comes. Every backend with files uses this class,
// so all of them report failures in the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "common/files.h"
#include "storage/io/backend.h"

namespace outcore {

class RequestProgress {
 public:
  RequestProgress() = default;
  explicit RequestProgress(const Request& request) : request_(request) {}

  [[nodiscard]] const Request& request() const { return request_; }
  // The part to read or write next; nothing for a sync.
  [[nodiscard]] std::uint64_t offset() const { return request_.offset + start_; }
  [[nodiscard]] std::uint32_t bytes() const { return request_.bytes - start_; }
  [[nodiscard]] std::byte* memory() const { return request_.memory + start_; }

  // Takes the result of that part: bytes (0 for a sync), or a negative errno. True if the request
  // is complete, false if a part is left. Throws if it failed or nothing more came.
  bool take(std::int64_t result, const std::filesystem::path& path);

 private:
  [[noreturn]] void fail(std::int64_t result, const std::filesystem::path& path) const;

  Request request_;
  std::uint32_t start_ = 0;  // where the next part begins, a multiple of kAlignment
  std::uint32_t done_ = 0;   // bytes done, from the beginning of the request
};

// Carries out a request completely, blocking.
void carry_out(const File& file, const Request& request);

}  // namespace outcore
