// SPDX-License-Identifier: Apache-2.0
// Many reads and writes of whole blocks under way at once through one channel, as the shards, the
// windows and what goes back of them want: each is cut into requests of --max-request, and reads
// may be asked for while writes are still on their way.
//
// What is read is there after finish_reads(); the memory of what is written must stay as it is
// until finish_writes(). A read of a block that is being written must come after that, too
// (storage/io/backend.h).
//
// Threads: belongs to the thread that calls it.
#pragma once

#include <vector>

#include "storage/io/door.h"

namespace outcore {

class TraceWriter;

class Transfers {
 public:
  // `memory` is where all reads and writes will be; `trace`, or null, is told of every read.
  Transfers(Door& door, std::span<std::byte> memory, std::uint32_t request_bytes,
            TraceWriter* trace);

  void read(std::uint32_t file, BlockId first, std::uint64_t blocks, std::byte* into);
  void write(std::uint32_t file, BlockId first, std::uint64_t blocks, const std::byte* from);
  void finish_reads() { finish(reads_); }
  void finish_writes() { finish(writes_); }

 private:
  static constexpr std::uint64_t kReads = 0;  // tags
  static constexpr std::uint64_t kWrites = 1;

  // submit(first, blocks, offset in memory) for each request, when there is room for it.
  template <typename Submit>
  void cut(std::uint32_t file, BlockId first, std::uint64_t blocks, const Submit& submit);
  void finish(const std::uint64_t& coming);
  void reap();

  Door& door_;
  DoorChannel channel_;
  std::uint32_t request_bytes_;
  TraceWriter* trace_;
  std::uint64_t reads_ = 0;  // requests on their way
  std::uint64_t writes_ = 0;
  std::vector<std::uint64_t> tags_;  // scratch of reap
};

}  // namespace outcore
