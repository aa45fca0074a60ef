// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/list_index.h"

namespace outcore {

std::string to_string(IndexForm form) {
  switch (form) {
    case IndexForm::lengths:
      return "lengths";
    case IndexForm::sparse:
      return "sparse";
    case IndexForm::packed:
      return "packed";
    case IndexForm::in_index:
      return "in-index";
    case IndexForm::mini_data:
      return "mini-data";
  }
  return {};
}

void ListIndex::degrees(VertexRange range, std::span<std::uint32_t> out) const {
  VertexId v = range.begin;
  if (parts_.form == IndexForm::mini_data && v < first_mini_) {
    const VertexId end = std::min(range.end, first_mini_);
    parts_.positions.distances(v, end, out.data());
    v = end;
  }
  for (; v < range.end; ++v) out[v - range.begin] = static_cast<std::uint32_t>(degree(v));
}

void ListIndex::put_degrees_into_entries() {
  const unsigned width = entry_words(parts_.inline_edges);
  in_blocks_.resize(listed_);
  for (VertexId v = 0; v < listed_; ++v) {
    const std::uint64_t degree = parts_.degrees[v];
    std::uint32_t* const words = parts_.words.data() + std::uint64_t{v} * width;
    if (is_inline(degree)) {
      std::fill(words + degree, words + width, kNoVertex);  // the degree gives the list's end
      continue;
    }
    const std::uint64_t position = entry(v);
    const bool is_long = (position & kFlag) != 0 || degree >= kLongDegree;
    if (is_long) parts_.longs.try_emplace(v, LongList{degree, degree});
    const std::uint64_t packed = pack(position & kPositionMask, is_long ? kLongDegree : degree);
    words[0] = static_cast<std::uint32_t>(packed);
    words[1] = static_cast<std::uint32_t>(packed >> 32);
    in_blocks_[v] = true;
  }
  parts_.degrees = std::vector<std::uint32_t>();  // assigning {} would keep the memory
}

std::uint64_t ListIndex::memory_bytes() const {
  return parts_.running.memory_bytes() + parts_.ids.memory_bytes() +
         parts_.entries.size() * sizeof(std::uint64_t) + parts_.positions.memory_bytes() +
         (in_blocks_.size() + 7) / 8 +
         (parts_.degrees.size() + parts_.words.size() + parts_.mini.size() + parts_.theta.size() +
          parts_.weights.size()) *
             sizeof(std::uint32_t) +
         parts_.longs.size() * (sizeof(VertexId) + sizeof(LongList));
}

}  // namespace outcore
