// SPDX-License-Identifier: Apache-2.0
// Many reads and writes of whole blocks under way at once through one channel, as the shards, the
// windows and what goes back of them want: each is cut into requests of --max-request, and reads
// may be asked for while writes are still on their way.
//
// What is read is there after finish() of its kind; the memory of what is written must stay as it
// is until finish(writes). A read of a block that is being written must come after that, too
// (storage/io/backend.h). Kinds are waited for apart: values come while arrays are made of edges.
//
// Threads: belongs to the thread that calls it.
#pragma once

#include <array>
#include <vector>

#include "storage/io/door.h"

namespace outcore {

class TraceWriter;

class Transfers {
 public:
  // `memory` is where all reads and writes will be; `trace`, or null, is told of every read.
  Transfers(Door& door, std::span<std::byte> memory, std::uint32_t request_bytes,
            TraceWriter* trace);

  enum Kind : std::uint8_t { edges, values, writes };

  // `kind`: edges (runs and weights too) or values. Requests go on their way at the latest with
  // flush().
  void read(Kind kind, std::uint32_t file, BlockId first, std::uint64_t blocks, std::byte* into);
  void write(std::uint32_t file, BlockId first, std::uint64_t blocks, const std::byte* from);
  void flush() { channel_.flush(); }
  void finish(Kind kind);

 private:
  // submit(first, blocks, offset in memory) for each request, when there is room for it.
  template <typename Submit>
  void cut(std::uint32_t file, BlockId first, std::uint64_t blocks, const Submit& submit);
  void reap();

  Door& door_;
  DoorChannel channel_;
  std::uint32_t request_bytes_;
  TraceWriter* trace_;
  std::array<std::uint64_t, 3> under_way_ = {};  // requests, by kind
  std::vector<std::uint64_t> tags_;              // scratch of reap
};

}  // namespace outcore
