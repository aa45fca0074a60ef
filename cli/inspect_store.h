// SPDX-License-Identifier: Apache-2.0
// `outcore inspect` of a store in a folder: what it consists of.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace outcore {

nlohmann::json inspect_store(const std::string& folder);
std::string inspect_store_text(const nlohmann::json& store);
// Of one in persistent memory.
nlohmann::json inspect_pmem_store(const std::string& folder);
std::string inspect_pmem_store_text(const nlohmann::json& store);

}  // namespace outcore
