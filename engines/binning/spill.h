// SPDX-License-Identifier: Apache-2.0
// Bins that outgrow their space, on a disk (`spill=FOLDER`): what X-Stream gathers from (Roy et
// al., SOSP 2013, section 3), where Blaze gathers a full bin at once.
//
// When buffers run short, those of the fullest bin are written out, one behind the other, and are
// empty again. At the end of the round a bin's records are read back and applied together, so that
// a round brings the states of each bin into memory once, however many records there are.
//
// The file has room for the records of every edge, but takes blocks of the disk only where it was
// written; each round begins at its front. Each buffer is a run of whole blocks with checksums. The
// file loses its name as soon as it is open: a run that dies leaves nothing.
//
// Threads: a Spill is shared. A SpillPort belongs to one worker, and must not outlive the Spill;
// the buffers that are written must outlive the port. Errors are those of the door (door.h): the
// port that throws has waited for what it had in flight, and may only be destroyed.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "common/numa.h"
#include "engines/binning/bins.h"
#include "storage/io/door.h"

namespace outcore {

class Spill {
 public:
  // `records`: the most that a round can have. Throws a usage Error if `folder` is no folder or the
  // backend does not write.
  Spill(const std::filesystem::path& folder, const BinSizes& sizes, std::uint64_t records,
        const std::string& backend, const BackendOptions& options);

  // A buffer that was written: its block in the file, and what is known of it.
  struct Written {
    BlockId block = 0;
    BinBuffer buffer;  // without data
  };
  // REQUIRES: what was written has been taken.
  void start_round() { next_slot_.store(0, std::memory_order_relaxed); }
  // The first of so many blocks, for `buffers` buffers.
  BlockId take_room(std::size_t buffers);
  void add(std::size_t bin, std::vector<Written>&& written);
  // What was written of a bin since it was last taken.
  std::vector<Written> take(std::size_t bin);

  [[nodiscard]] Door& door() { return door_; }
  [[nodiscard]] const BinSizes& sizes() const { return sizes_; }
  // Of buffers so far, in whole blocks.
  [[nodiscard]] std::uint64_t written_bytes() const { return door_.counters().written_bytes; }
  [[nodiscard]] IoCounters counters() const { return door_.counters(); }
  [[nodiscard]] std::uint64_t sums_bytes() const;

 private:
  const BinSizes sizes_;
  Door door_;
  std::atomic<std::uint64_t> next_slot_{0};  // relaxed: hands out disjoint places
  std::mutex mutex_;                         // guards bins_
  std::vector<std::vector<Written>> bins_;
};

class SpillPort {
 public:
  // `depth`: requests in flight.
  SpillPort(Spill& spill, std::size_t depth);

  // Writes all of the bin's buffers, which may then be given back.
  void write(const FullBin& full, const BinSpace& space);
  // drain(buffer) for each buffer of the bin that was written, in any order.
  void read(std::size_t bin, const BinSpace& space,
            const std::function<void(const BinBuffer&)>& drain);

  [[nodiscard]] std::uint64_t memory_bytes() const { return depth_ * spill_.sizes().buffer_bytes; }

 private:
  [[nodiscard]] std::byte* memory(std::size_t slot) const {
    return memory_.get() + slot * spill_.sizes().buffer_bytes;
  }
  void write_all(const FullBin& full, const BinSpace& space);
  void read_all(const std::vector<Spill::Written>& written, const BinSpace& space,
                const std::function<void(const BinBuffer&)>& drain);
  std::size_t reap(std::size_t at_least) { return channel_->reap(tags_, at_least); }

  Spill& spill_;
  std::size_t depth_;
  numa::Memory memory_;  // a buffer for each request that reads; outlives the channel
  std::unique_ptr<DoorChannel> channel_;
  std::vector<std::uint64_t> tags_;  // scratch
};

}  // namespace outcore
