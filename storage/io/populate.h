// SPDX-License-Identifier: Apache-2.0
// Ways to bring ranges of a mapped file into memory before they are touched, so that reads are as
// large and as many at once as the device wants them, and not a page a fault.
//
//   none            nothing: pages come as they are touched, one fault after another
//   madvise         MADV_POPULATE_READ, range after range: reads and maps in one call
//   willneed        MADV_WILLNEED for all ranges, which starts their reads and waits for none; then
//                   MADV_POPULATE_READ of each, which finds its pages read or under way
//   pread           buffered reads into a buffer that nobody looks at, range after range
//   uring-madvise   MADV_POPULATE_READ by io_uring: its kernel threads wait, several at once
//   uring-read      buffered reads by io_uring, all under way at once; no thread waits
//
// A Populator belongs to one thread. Ranges are finished in the order in which they were started;
// the destructor waits for those under way. It reports no errors: what it could not bring shows
// when it is touched (GuardedMapping::check). What the system refuses is done in a simpler way and
// noted: io_uring by the same without it, MADV_POPULATE_READ (Linux 5.14) by faults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "storage/io/guarded_mapping.h"

namespace outcore {

class Populator {
 public:
  virtual ~Populator() = default;
  // A range within the file; offset a multiple of the page size.
  virtual void start(const GuardedMapping& file, std::uint64_t offset, std::uint64_t bytes) = 0;
  // Returns when the oldest range that was started is there; there must be one.
  virtual void finish_oldest() = 0;
};

using Notes = std::function<void(const std::string&)>;  // called from the Populator's thread
// `way` is one of the names above.
std::unique_ptr<Populator> make_populator(const std::string& way, const Notes& note);
// For windows (backend.h): uring-madvise, a window a part.
std::unique_ptr<Populator> make_window_populator(const Notes& note);
const std::vector<std::string>& ways_to_populate();

}  // namespace outcore
