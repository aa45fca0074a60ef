// SPDX-License-Identifier: Apache-2.0
// Writes <prefix>.offsets, <prefix>.targets and, of a weighted graph, <prefix>.weights of a
// container from edges sorted by source, target, weight.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/ids.h"
#include "storage/container/hashed_file.h"

namespace outcore {

class CsrWriter {
 public:
  CsrWriter(const std::filesystem::path& folder, const std::string& prefix, bool weighted)
      : prefix_(prefix),
        offsets_(folder / (prefix + ".offsets")),
        targets_(folder / (prefix + ".targets")) {
    if (weighted) weights_.emplace(folder / (prefix + ".weights"));
  }

  void add(VertexId source, VertexId target) {
    for (; begun_ <= source; ++begun_) offsets_.put(edges_);
    targets_.put(target);
    ++edges_;
  }
  void add(VertexId source, VertexId target, float weight) {
    add(source, target);
    weights_->put(weight);
  }
  [[nodiscard]] EdgeIndex edges() const { return edges_; }

  // Adds the files to the table `files`.
  void finish(VertexId vertices, nlohmann::json& files) {
    for (; begun_ <= vertices; ++begun_) offsets_.put(edges_);
    files[prefix_ + ".offsets"] = offsets_.finish();
    files[prefix_ + ".targets"] = targets_.finish();
    if (weights_) files[prefix_ + ".weights"] = weights_->finish();
  }

 private:
  std::string prefix_;
  HashedFile offsets_;
  HashedFile targets_;
  std::optional<HashedFile> weights_;
  std::uint64_t begun_ = 0;  // lists whose offset is written
  EdgeIndex edges_ = 0;
};

}  // namespace outcore
