// SPDX-License-Identifier: Apache-2.0
// A sequential stream: neighbouring blocks of one file (a whole direction or an interval of it),
// read from front to back in large requests with many in flight.
//
// Threads: belongs to the thread that calls it.
#pragma once

#include <functional>
#include <vector>

#include "storage/io/door.h"
#include "storage/io/merge.h"

namespace outcore {

class BlockStream {
 public:
  // Reads through `channel` in requests of `request_bytes`, rounded to whole blocks, with as many
  // in flight as the channel allows.
  BlockStream(Door& door, DoorChannel& channel, std::uint32_t request_bytes);

  // Reads the run to `into`. REQUIRES: the channel's memory holds all of it there. `asked` is
  // called for each request in the order of submission. Returns when everything has arrived and was
  // verified.
  void read(std::uint32_t file, BlockId first, std::uint64_t blocks, std::byte* into,
            const std::function<void(const BlockRun&)>& asked = {});

 private:
  Door& door_;
  DoorChannel& channel_;
  std::uint32_t request_bytes_;
  std::vector<std::uint64_t> tags_;  // scratch
};

}  // namespace outcore
