// SPDX-License-Identifier: Apache-2.0
// Writes a container's <prefix>.offsets, <prefix>.targets and, for a weighted graph,
// <prefix>.weights from edges sorted by source, target, weight.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "common/ids.h"
#include "storage/container/hashed_file.h"
#include "storage/sort/sort_records.h"

namespace outcore {

class CsrWriter {
 public:
  CsrWriter(const std::filesystem::path& folder, const std::string& prefix, bool weighted)
      : prefix_(prefix),
        offsets_(folder / (prefix + ".offsets")),
        targets_(folder / (prefix + ".targets")) {
    if (weighted) weights_.emplace(folder / (prefix + ".weights"));
  }

  // Records as in storage/sort/sort_records.h, weighted if the graph is.
  template <typename Record>
  void add(std::span<const Record> records) {
    for (; !records.empty(); records = records.subspan(std::min(kPart, records.size()))) {
      add_part(records.first(std::min(kPart, records.size())));
    }
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
  static constexpr std::size_t kPart = 4096;  // records whose columns fit on the stack

  template <typename Record>
  void add_part(std::span<const Record> records) {
    std::array<VertexId, kPart> targets;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto [source, target] = parts_of(records[i]);
      for (; begun_ <= source; ++begun_) offsets_.put(edges_ + i);
      targets[i] = target;
    }
    targets_.write(std::as_bytes(std::span(targets).first(records.size())));
    if constexpr (std::is_same_v<Record, WeightedKey>) {
      std::array<float, kPart> weights;
      for (std::size_t i = 0; i < records.size(); ++i) weights[i] = weight_of(records[i].weight);
      weights_->write(std::as_bytes(std::span(weights).first(records.size())));
    }
    edges_ += records.size();
  }

  std::string prefix_;
  HashedFile offsets_;
  HashedFile targets_;
  std::optional<HashedFile> weights_;
  std::uint64_t begun_ = 0;  // lists whose offset has been written
  EdgeIndex edges_ = 0;
};

}  // namespace outcore
