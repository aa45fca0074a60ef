// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/text_edges.h"

#include <fmt/format.h>

namespace outcore {

void IdCollector::settle() {
  const auto middle = ids_.begin() + static_cast<std::ptrdiff_t>(settled_);
  std::sort(middle, ids_.end());
  std::inplace_merge(ids_.begin(), middle, ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  settled_ = ids_.size();
}

IdTable IdCollector::finish(const std::filesystem::path& file) {
  settle();
  if (ids_.size() > kMostVertices) {
    throw bad_input(Place::file(file), fmt::format("{} vertices", ids_.size()),
                    fmt::format("at most {}", kMostVertices));
  }
  return IdTable(std::move(ids_));
}

void want_second_pass(const ImportJob& job, std::uint64_t greatest) {
  if (!job.passes_once) return;
  throw bad_input(Place::file(job.file), fmt::format("vertex {}", greatest),
                  fmt::format("ids below twice the number of edges and up to {}: other ids must be "
                              "renumbered, which takes a second pass, and a pipe is read once",
                              kMostVertices - 1),
                  "save it to a file and import the file");
}

}  // namespace outcore
