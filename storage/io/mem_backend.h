// SPDX-License-Identifier: Apache-2.0
// Backend `mem`: files are read into memory when they are added and requests are copies, answered
// by submit() itself. It tests everything above it without a disk and shows what the layers above
// cost. A request past the end of its file is queued, so that its error comes from reap() as
// everywhere.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_mem_backend(const BackendOptions& options);

}  // namespace outcore
