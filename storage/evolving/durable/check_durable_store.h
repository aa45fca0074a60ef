// SPDX-License-Identifier: Apache-2.0
// Checks everything in a durable store's folder for damage, and its lists against one another or
// against the stream that it was made of. Nothing is written.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "storage/evolving/stream.h"

namespace outcore::evolving {

// Is it the folder of a durable store?
bool is_durable_store(const std::filesystem::path& folder);

struct StoreCheck {
  std::filesystem::path against;  // a stream whose beginning the store is; empty: none
  StreamOptions stream;
  bool salvage = false;  // look at what lies before the damage of a log
};

// Calls `held` with a line for each invariant as soon as it has been found to hold. Throws
// bad_input for the first broken place, with file and offset; wrong_answer where lists do not fit
// one another or the stream.
void check_durable_store(const std::filesystem::path& folder, const StoreCheck& check,
                         const std::function<void(const std::string&)>& held);

}  // namespace outcore::evolving
