// SPDX-License-Identifier: Apache-2.0
// Backend `uring`: Linux io_uring, one ring per channel and so per thread. Requests are queued in
// the shared ring and passed to the kernel in batches, by flush() or by the system call in which
// reap() waits. Finished requests are taken from the ring without a call.
//
// Files and the channel's buffers are registered, so that the kernel need not look up the file and
// pin the pages for every request. The backend works without what the system refuses, and notes it:
// locked memory (RLIMIT_MEMLOCK), O_DIRECT, newer ring modes. If io_uring itself is refused (as
// containers often do), make_uring_backend returns `threads` instead.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_uring_backend(const BackendOptions& options);

}  // namespace outcore
