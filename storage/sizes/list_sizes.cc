// SPDX-License-Identifier: Apache-2.0
#include "storage/sizes/list_sizes.h"

namespace outcore {

std::uint64_t ligra_plus_list_bytes(VertexId source, std::span<const VertexId> list) {
  if (list.empty()) return 0;
  const std::uint32_t distance = list[0] > source ? list[0] - source : source - list[0];
  std::uint64_t bytes = distance < 64 ? 1 : 1 + bytes_of_7_bits(distance >> 6);
  constexpr std::uint64_t kLongestRun = 64;
  std::uint64_t run = 0;
  std::uint64_t width = 0;  // of the run's numbers
  for (std::size_t i = 1; i < list.size(); ++i) {
    const std::uint64_t own_width = bytes_of_8_bits(list[i] - list[i - 1]);
    if (run == 0 || run == kLongestRun || own_width != width) {
      ++bytes;
      run = 0;
      width = own_width;
    }
    bytes += own_width;
    ++run;
  }
  return bytes;
}

}  // namespace outcore
