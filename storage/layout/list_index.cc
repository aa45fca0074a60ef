// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/list_index.h"

namespace outcore {

std::string to_string(IndexForm form) {
  switch (form) {
    case IndexForm::lengths:
      return "lengths";
    case IndexForm::packed:
      return "packed";
    case IndexForm::in_index:
      return "in-index";
    case IndexForm::mini_data:
      return "mini-data";
  }
  return {};
}

std::uint64_t ListIndex::memory_bytes() const {
  return parts_.running.memory_bytes() + parts_.entries.size() * sizeof(std::uint64_t) +
         parts_.positions.memory_bytes() +
         (parts_.degrees.size() + parts_.words.size() + parts_.mini.size() + parts_.theta.size() +
          parts_.weights.size()) *
             sizeof(std::uint32_t) +
         parts_.longs.size() * (sizeof(VertexId) + sizeof(LongList));
}

}  // namespace outcore
