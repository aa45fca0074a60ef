// SPDX-License-Identifier: Apache-2.0
// The usage error of an engine that cannot work with the frames that it was given.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "common/error.h"

namespace outcore {

class FramesTooSmall : public Error {
 public:
  // `why` says what takes the room, and `otherwise` what else would help: ", or ...".
  FramesTooSmall(std::uint64_t given, const std::string& why, std::uint64_t least,
                 const std::string& otherwise = {})
      : Error(ExitCode::usage,
              fmt::format("--frames {} is too small: {}; give --frames {} or more{}", given, why,
                          least, otherwise)),
        least_(least) {}
  // The fewest bytes of frames that the engine can work with.
  [[nodiscard]] std::uint64_t least() const { return least_; }

 private:
  std::uint64_t least_;
};

}  // namespace outcore
