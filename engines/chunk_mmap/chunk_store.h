// SPDX-License-Identifier: Apache-2.0
// One worker's hold on the memory that chunks lie in. Lists are used where they lie: a file has one
// address, or two, and a block is its offset behind it.
//
//   mapped   the file's mapping. The kernel brings what is asked for, or what is touched, and keeps
//            it in the page cache (DoorView).
//   own      anonymous memory as long as the file, of which only what was brought is backed, after
//            vmcache (Leis et al., SIGMOD 2023). Blocks are read into their place past the page
//            cache, and leave by MADV_DONTNEED. It counts as the process's own, under any limit.
//
// Threads: belongs to its worker; the memory is seen by all.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/bitmap.h"
#include "engines/chunk_mmap/chunk.h"
#include "storage/io/door.h"

namespace outcore {

class ChunkStore {
 public:
  virtual ~ChunkStore() = default;
  // Where the file's first byte lies; through its windows (backend.h) if they were brought so.
  [[nodiscard]] virtual const std::byte* base(std::uint32_t file, bool window) const = 0;
  // Can whole windows be brought for less than their blocks?
  [[nodiscard]] virtual bool has_windows() const = 0;
  // Begins to bring the runs in.
  virtual void start(std::span<const DoorRun> runs) = 0;
  // Returns when the runs of the oldest start() are there and were checked.
  virtual void finish() = 0;
  // Frees memory; the runs are absent then.
  virtual void release(std::span<const DoorRun> runs) = 0;
  // Ends what was started and is not finished, after an error and by the worker whose store it is.
  // If there is any, nothing may be started afterwards.
  virtual void abandon() = 0;
  virtual void holes(std::uint64_t bytes) = 0;
  // Bytes of the run that are not in memory, and would come by a page fault.
  [[nodiscard]] virtual std::uint64_t absent(const DoorRun& run) const = 0;
  // Checks what was touched without being brought.
  virtual void check(const DoorRun& run) = 0;
};

// One more chunk of runs whose chunks ascend: neighbours are one run.
void append_chunk(const ChunkTable& table, std::uint32_t file, ChunkId chunk, bool window,
                  std::vector<DoorRun>& runs);

// Checks those of the blocks that are not marked yet, and marks them. Two workers may both check
// one: neither is told that it was right before it was.
void check_once(ChunkStore& store, Bitmap& checked, const DoorRun& run);

// Blocks at the end of a file, copied to where decoders may read a little past them.
const std::byte* padded(std::span<const std::byte> blocks, std::vector<std::byte>& copy);

std::unique_ptr<ChunkStore> mapped_store(DoorView& view, std::size_t files);

// Address space for the files of a door, without memory behind it. Throws Error (memory limit) that
// says what refused it.
class ReservedFiles {
 public:
  ReservedFiles(const Door& door, std::size_t files);
  ~ReservedFiles();
  ReservedFiles(const ReservedFiles&) = delete;
  ReservedFiles& operator=(const ReservedFiles&) = delete;
  [[nodiscard]] std::byte* base(std::uint32_t file) const { return files_[file].data(); }

 private:
  std::vector<std::span<std::byte>> files_;
};

// Requests are of at most `request_bytes`; `depth` of them are under way at once.
std::unique_ptr<ChunkStore> own_store(Door& door, const ReservedFiles& files,
                                      std::uint32_t request_bytes);

}  // namespace outcore
