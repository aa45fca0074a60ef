// SPDX-License-Identifier: Apache-2.0
// Does some work in a process of its own, so that its memory and its threads are gone afterwards.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace outcore {

// The result of `work`; null if it threw or was killed. REQUIRES: no thread has been started.
nlohmann::json worked_out_aside(const std::function<nlohmann::json()>& work);

}  // namespace outcore
