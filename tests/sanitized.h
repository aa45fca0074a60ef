// SPDX-License-Identifier: Apache-2.0
// Under a sanitizer code takes up to twenty times as long. Tests that repeat one thing over many
// seeds or combinations repeat it less there: sanitizers look for races and wrong addresses, which
// the first few repetitions have too, and answers are checked by the build without them.
#pragma once

#include <cstddef>
#include <vector>

namespace outcore {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

// The cases of a sweep: under a sanitizer every fifth, so that none of the two, three or four
// values of a parameter is left out.
template <typename Case>
std::vector<Case> thinned(const std::vector<Case>& cases) {
  std::vector<Case> some;
  for (std::size_t i = 0; i < cases.size(); i += kSanitized ? 5 : 1) some.push_back(cases[i]);
  return some;
}

}  // namespace outcore
