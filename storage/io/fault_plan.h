// SPDX-License-Identifier: Apache-2.0
// The plan of backend `fault`: what happens to request N. fault_backend.h describes its syntax.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "storage/io/backend.h"

namespace outcore {

enum class Fault : std::uint8_t { none, eio, short_end, flip, enospc, torn };

struct FaultPlan {
  std::string over = "threads";
  std::map<std::uint64_t, Fault> at;
  std::chrono::microseconds delay{0};
  std::chrono::microseconds jitter{0};
  double rate = 0;
  std::uint64_t seed = 0;

  // Throws a usage Error that names the first item that cannot be understood.
  static FaultPlan parse(const std::string& text);
  [[nodiscard]] Fault of(std::uint64_t request, Op op) const;
  [[nodiscard]] std::chrono::microseconds delay_of(std::uint64_t request) const;
};

}  // namespace outcore
