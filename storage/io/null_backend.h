// SPDX-License-Identifier: Apache-2.0
// Backend `null`: every read is answered at once, and with zeroes, whatever the files hold, and
// every write is answered and forgotten: files stay as they are. What remains of a run over it is
// what the engine itself costs; its answers mean nothing, so its traits say that there are no
// contents: the Door checks no sums then, `outcore run` verifies nothing.
//
// Zeroes, and not what stood in the buffer, because engines follow the ids that they read: vertex 0
// is always there. Reads past the end of a file fail as everywhere.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_null_backend(const BackendOptions& options);

}  // namespace outcore
