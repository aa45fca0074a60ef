// SPDX-License-Identifier: Apache-2.0
// Writes <prefix>.offsets and <prefix>.targets of a container from edges sorted by source, target.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "common/ids.h"
#include "storage/container/hashed_file.h"

namespace outcore {

class CsrWriter {
 public:
  CsrWriter(const std::filesystem::path& folder, const std::string& prefix)
      : prefix_(prefix),
        offsets_(folder / (prefix + ".offsets")),
        targets_(folder / (prefix + ".targets")) {}

  void add(VertexId source, VertexId target) {
    for (; begun_ <= source; ++begun_) offsets_.put(edges_);
    targets_.put(target);
    ++edges_;
  }
  [[nodiscard]] EdgeIndex edges() const { return edges_; }

  // Adds the two files to the table `files`.
  void finish(VertexId vertices, nlohmann::json& files) {
    for (; begun_ <= vertices; ++begun_) offsets_.put(edges_);
    files[prefix_ + ".offsets"] = offsets_.finish();
    files[prefix_ + ".targets"] = targets_.finish();
  }

 private:
  std::string prefix_;
  HashedFile offsets_;
  HashedFile targets_;
  std::uint64_t begun_ = 0;  // lists whose offset is written
  EdgeIndex edges_ = 0;
};

}  // namespace outcore
