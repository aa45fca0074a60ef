// SPDX-License-Identifier: Apache-2.0
// How to make a graph symmetric that is not.
#pragma once

#include <string>

#include "storage/container/container.h"

namespace outcore {

// The command that makes a new graph beside it of the same edges, weights and ids, in both
// directions. It overwrites nothing.
std::string symmetrising_command(const Container& container);

}  // namespace outcore
