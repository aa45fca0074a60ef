// SPDX-License-Identifier: Apache-2.0
// The files of a psw layout as the engine's door numbers them: the columns as the layout has them,
// then the values.
#pragma once

#include <optional>

#include "storage/layout/edges/edge_layout.h"

namespace outcore {

struct ShardFiles {
  explicit ShardFiles(const EdgeLayout& layout)
      : runs(layout.file(EdgeColumn::runs).value()),
        targets(layout.file(EdgeColumn::targets).value()),
        weights(layout.file(EdgeColumn::weights)),
        values(static_cast<std::uint32_t>(layout.block_files().size())) {}

  std::uint32_t runs;
  std::uint32_t targets;
  std::optional<std::uint32_t> weights;
  std::uint32_t values;
};

}  // namespace outcore
