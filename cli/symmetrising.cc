// SPDX-License-Identifier: Apache-2.0
#include "cli/symmetrising.h"

#include <fmt/format.h>

#include <string>

#include "common/error.h"
#include "common/shell.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// The container's folder without a trailing slash, and by its real name if it is "." or "..".
fs::path named_folder(const Container& container) {
  const fs::path folder = (container.folder() / "").parent_path();
  const bool nameless = folder.filename() == "." || folder.filename() == "..";
  return nameless ? fs::canonical(folder) : folder;
}

std::string symmetrising_command(const Container& container) {
  const std::string folder = named_folder(container).string();
  std::string made = folder + "-symmetric";
  for (int i = 2; fs::exists(made); ++i) made = fmt::format("{}-symmetric-{}", folder, i);
  return fmt::format("outcore symmetrise {} {}", shell_word(folder), shell_word(made));
}

}  // namespace

void check_symmetric(const Workload& workload, const Container& container) {
  if (!workload.needs_symmetric || container.facts().symmetric) return;
  throw usage_error(fmt::format("{} needs a symmetric graph and {} is directed; build one with: {}",
                                workload.name, container.folder().string(),
                                symmetrising_command(container)));
}

}  // namespace outcore
