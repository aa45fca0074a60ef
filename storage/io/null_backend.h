// SPDX-License-Identifier: Apache-2.0
// Backend `null`: every read is answered at once with zeroes, whatever the files contain, and every
// write is answered and forgotten; files stay as they are. What remains of a run is what the engine
// itself costs. Its answers mean nothing, so its traits say that it has no contents: the Door
// verifies no checksums, and `outcore run` verifies no answers.
//
// Zeroes instead of whatever was in the buffer, because engines follow the ids that they read, and
// vertex 0 always exists. Reads past the end of a file fail as in every backend.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_null_backend(const BackendOptions& options);

}  // namespace outcore
