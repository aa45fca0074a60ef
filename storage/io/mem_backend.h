// SPDX-License-Identifier: Apache-2.0
// Backend `mem`: files are read into memory when they are added and requests are copies, answered
// by submit() itself. It tests everything above it without a disk and shows what the layers above
// cost. What is written goes to the file behind as well, through the page cache, so that it is
// there when the backend is gone; a sync waits for nothing. A request that fails is queued, so that
// its error comes from reap() as everywhere.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_mem_backend(const BackendOptions& options);

}  // namespace outcore
