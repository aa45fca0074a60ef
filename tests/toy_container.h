// SPDX-License-Identifier: Apache-2.0
// A graph of a shape in its own folder, with its layouts, for tests; removed with the object.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "storage/container/builder.h"
#include "storage/layout/layout.h"
#include "workloads/graphs/shapes.h"

namespace outcore {

class ToyContainer {
 public:
  ToyContainer(const Shape& shape, bool symmetric)
      : root_(std::filesystem::temp_directory_path() /
              ("outcore-toy-" + std::to_string(::getpid()) + "-" + std::to_string(count_++))) {
    std::filesystem::create_directories(root_);
    make_container(folder(), shape.vertices, shape.edges, symmetric);
  }
  ~ToyContainer() { std::filesystem::remove_all(root_); }
  ToyContainer(const ToyContainer&) = delete;
  ToyContainer& operator=(const ToyContainer&) = delete;

  [[nodiscard]] std::filesystem::path folder() const { return root_ / "graph"; }
  [[nodiscard]] std::filesystem::path layout(const std::string& pack,
                                             std::uint32_t block_bytes = 4096) const {
    return layout(LayoutChoices{.pack = pack, .block_bytes = block_bytes});
  }
  [[nodiscard]] std::filesystem::path layout(const LayoutChoices& choices) const {
    return folder() / "layouts" / build_layout(folder(), choices, "", true);
  }

 private:
  static inline int count_ = 0;
  std::filesystem::path root_;
};

}  // namespace outcore
