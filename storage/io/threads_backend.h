// SPDX-License-Identifier: Apache-2.0
// Backend `threads`: each channel owns `depth` threads that read with pread, so exactly up to
// `depth` blocking reads are in flight. What systems without asynchronous I/O do, and what stands
// in where io_uring is refused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/io/backend.h"

namespace outcore {

// `notes` are passed on by Backend::notes(): why threads were taken instead of something else.
std::unique_ptr<Backend> make_threads_backend(const BackendOptions& options,
                                              std::vector<std::string> notes = {});

}  // namespace outcore
