// SPDX-License-Identifier: Apache-2.0
// System calls that fail, as on another kernel or in a container, or at which a process is killed;
// for tests.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace outcore {

// Which argument of a call, from 0, has which value.
struct Argument {
  unsigned number = 0;
  unsigned value = 0;
};

// Has the kernel act so (SECCOMP_RET_...) at a system call of the calling thread and those it
// starts; false where the system does not let it. With `only`, only at calls with this argument.
inline bool act_at(unsigned call, unsigned action, std::optional<Argument> only = std::nullopt) {
  const auto loads = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
  };
  const auto skip_unless = [](unsigned value, unsigned char instructions) {
    return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions);
  };
  const auto answer = [](unsigned value) { return sock_filter BPF_STMT(BPF_RET | BPF_K, value); };
  std::vector<sock_filter> filter = {loads(offsetof(seccomp_data, nr))};
  if (!only) {
    filter.insert(filter.end(), {skip_unless(call, 1), answer(action)});
  } else {
    filter.insert(filter.end(),
                  {skip_unless(call, 3), loads(offsetof(seccomp_data, args) + only->number * 8),
                   skip_unless(only->value, 1), answer(action)});
  }
  filter.push_back(answer(SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Makes a system call fail.
inline bool refuse(unsigned call, int error, std::optional<Argument> only = std::nullopt) {
  return act_at(call, SECCOMP_RET_ERRNO | static_cast<unsigned>(error), only);
}

// Kills the process instead of its first such call.
inline bool die_at(unsigned call) { return act_at(call, SECCOMP_RET_KILL_PROCESS); }

}  // namespace outcore
