// SPDX-License-Identifier: Apache-2.0
#include "cli/symmetrising.h"

#include <fmt/format.h>

#include "common/shell.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Its folder without a slash at the end, and by its own name where it is called "." or "..".
fs::path named_folder(const Container& container) {
  const fs::path folder = (container.folder() / "").parent_path();
  const bool nameless = folder.filename() == "." || folder.filename() == "..";
  return nameless ? fs::canonical(folder) : folder;
}

// Would the importer of text keep all of these ids? Others it numbers anew, for which it reads
// twice, and a pipe is read once.
bool ids_pass_a_pipe(Container& container) {
  const std::span<const std::uint64_t> ids = container.ids();  // ascending
  const GraphFacts& facts = container.facts();
  const std::uint64_t end = ids.empty() ? facts.vertices : ids.back() + 1;
  return end <= 2 * facts.edges;
}

}  // namespace

std::string symmetrising_command(Container& container) {
  const fs::path folder = named_folder(container);
  // Text ends with the last vertex that has an edge; csr64 says how many there are, but knows
  // neither ids of the file's own nor weights.
  const bool weighted = container.facts().weighted;
  const bool counted = !weighted && container.ids().empty();
  const char* const format = counted ? "csr64" : weighted ? "wel" : "el";
  fs::path made;
  fs::path file;
  for (int i = 1; i == 1 || fs::exists(made) || fs::exists(file); ++i) {
    made = fmt::format("{}-symmetric{}", folder.string(), i == 1 ? "" : fmt::format("-{}", i));
    file = fmt::format("{}.{}", made.string(), format);
  }
  const std::string rest = fmt::format("{} --symmetric --drop-duplicates", shell_word(made));
  if (!counted && ids_pass_a_pipe(container)) {
    return fmt::format("outcore export {0} - --format {1} | outcore import - {2} --format {1}",
                       shell_word(folder), format, rest);
  }
  return fmt::format("outcore export {0} {1} && outcore import {1} {2} && rm {1}",
                     shell_word(folder), shell_word(file), rest);
}

}  // namespace outcore
