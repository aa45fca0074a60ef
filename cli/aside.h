// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own, of which only the result stays: neither its memory nor its threads.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace outcore {

// What `work` gives; null where it threw or was killed. REQUIRES: no thread has been started.
nlohmann::json worked_out_aside(const std::function<nlohmann::json()>& work);

}  // namespace outcore
