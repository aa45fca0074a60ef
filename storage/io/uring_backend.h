// SPDX-License-Identifier: Apache-2.0
// Backend `uring`: Linux io_uring, one ring per channel and so per thread. Requests are queued in
// the shared ring and handed to the kernel in batches, by flush() or by the same system call in
// which reap() waits; finished ones are taken from the ring without a call.
//
// Files and the channel's buffers are registered, which spares the kernel looking up the file and
// pinning the pages in every request. What the system refuses is done without, and noted: locked
// memory (RLIMIT_MEMLOCK), O_DIRECT, newer ring modes; where io_uring itself is refused (containers
// often do), make_uring_backend returns `threads` instead.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_uring_backend(const BackendOptions& options);

}  // namespace outcore
