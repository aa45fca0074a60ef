// SPDX-License-Identifier: Apache-2.0
#include "storage/source/stream.h"

#include <algorithm>

namespace outcore {

BlockStream::BlockStream(Door& door, DoorChannel& channel, std::uint32_t request_bytes)
    : door_(door), channel_(channel), request_bytes_(request_bytes), tags_(door.options().depth) {}

void BlockStream::read(std::uint32_t file, BlockId first, std::uint64_t blocks, std::byte* into,
                       const std::function<void(const BlockRun&)>& asked) {
  const std::size_t block_bytes = door_.file(file).block_bytes;
  const std::uint64_t step = std::max<std::uint64_t>(1, request_bytes_ / block_bytes);
  for (std::uint64_t done = 0; done < blocks || channel_.in_flight() > 0;) {
    while (done < blocks) {
      const auto count = static_cast<std::uint32_t>(std::min(step, blocks - done));
      if (!channel_.read(file, first + done, count, into + done * block_bytes, done)) break;
      if (asked) asked({first + done, count});
      done += count;
    }
    channel_.flush();
    if (channel_.in_flight() > 0) channel_.reap(tags_, 1);
  }
}

}  // namespace outcore
