// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/prefix_of_log.h"

#include <fmt/format.h>

#include "common/error.h"

namespace outcore::evolving {

std::uint64_t prefix_of_log(const DurableStore& store, const std::filesystem::path& folder,
                            std::optional<std::uint64_t> prefix) {
  const std::uint64_t first = store.flushed();
  const std::uint64_t last = store.acknowledged();
  if (!prefix) return last - first;
  if (*prefix >= first && *prefix <= last) return *prefix - first;
  throw usage_error(fmt::format(
      "{} cannot be opened as its first {} updates: it has {}, and the runs hold the first {} as "
      "one; take a prefix from {} to {}",
      folder.string(), *prefix, last, first, first, last));
}

}  // namespace outcore::evolving
