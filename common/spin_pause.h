// SPDX-License-Identifier: Apache-2.0
// What a thread does between two looks at a lock that will be free soon.
#pragma once

namespace outcore {

inline void spin_pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

}  // namespace outcore
