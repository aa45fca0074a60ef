// SPDX-License-Identifier: Apache-2.0
#include "engines/psw/transfers.h"

#include <algorithm>

#include "storage/trace/trace.h"

namespace outcore {

Transfers::Transfers(Door& door, std::span<std::byte> memory, std::uint32_t request_bytes,
                     TraceWriter* trace)
    : door_(door),
      channel_(door, memory),
      request_bytes_(request_bytes),
      trace_(trace),
      tags_(door.options().depth) {}

template <typename Submit>
void Transfers::cut(std::uint32_t file, BlockId first, std::uint64_t blocks, const Submit& submit) {
  const std::uint64_t block_bytes = door_.file(file).block_bytes;
  const std::uint64_t step = std::max<std::uint64_t>(1, request_bytes_ / block_bytes);
  for (std::uint64_t done = 0; done < blocks;) {
    const auto count = static_cast<std::uint32_t>(std::min(step, blocks - done));
    while (!submit(first + done, count, done * block_bytes)) reap();
    done += count;
  }
}

void Transfers::read(Kind kind, std::uint32_t file, BlockId first, std::uint64_t blocks,
                     std::byte* into) {
  const std::uint64_t block_bytes = door_.file(file).block_bytes;
  const std::uint64_t units = block_bytes / kAlignment;
  cut(file, first, blocks, [&](BlockId from, std::uint32_t count, std::uint64_t offset) {
    if (!channel_.read(file, from, count, into + offset, kind)) return false;
    if (trace_ != nullptr) {
      trace_->note(0, file, from * units, static_cast<std::uint32_t>(count * units));
    }
    ++under_way_[kind];
    return true;
  });
}

void Transfers::write(std::uint32_t file, BlockId first, std::uint64_t blocks,
                      const std::byte* from) {
  cut(file, first, blocks, [&](BlockId to, std::uint32_t count, std::uint64_t offset) {
    if (!channel_.write(file, to, count, from + offset, writes)) return false;
    ++under_way_[writes];
    return true;
  });
  channel_.flush();  // they go on while the caller does something else
}

void Transfers::finish(Kind kind) {
  channel_.flush();
  while (under_way_[kind] > 0) reap();
}

void Transfers::reap() {
  const std::size_t count = channel_.reap(tags_, 1);
  for (std::size_t i = 0; i < count; ++i) --under_way_[tags_[i]];
}

}  // namespace outcore
