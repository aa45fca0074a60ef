// SPDX-License-Identifier: Apache-2.0
// Backend `threads`: each channel owns `depth` threads that read with pread, so up to `depth`
// blocking reads are in flight. It is what systems without asynchronous I/O do, and the replacement
// where io_uring is refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/io/backend.h"

namespace outcore {

// Backend::notes() returns `notes`: why threads are used instead of something else.
std::unique_ptr<Backend> make_threads_backend(const BackendOptions& options,
                                              std::vector<std::string> notes = {});

}  // namespace outcore
