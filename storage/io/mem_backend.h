// SPDX-License-Identifier: Apache-2.0
// Backend `mem`: files are read into memory when they are added. Requests are copies, answered by
// submit() itself. It tests everything above it without a disk, and shows what the layers above
// cost. Writes also go to the file, through the page cache, so that they are there when the backend
// is gone; a sync waits for nothing. A request that fails is queued, so that reap() reports its
// error as for every backend.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_mem_backend(const BackendOptions& options);

}  // namespace outcore
