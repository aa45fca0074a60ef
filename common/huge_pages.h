// SPDX-License-Identifier: Apache-2.0
// The size of a transparent huge page on the machines that we know.
#pragma once

#include <cstddef>

namespace outcore {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace outcore
