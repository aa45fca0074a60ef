// SPDX-License-Identifier: Apache-2.0
// Under a sanitizer code takes up to twenty times as long. Tests that repeat one thing over many
// seeds or combinations repeat it less there: sanitizers look for races and wrong addresses, which
// the first few repetitions have too, and answers are checked by the build without them.
#pragma once

namespace outcore {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace outcore
