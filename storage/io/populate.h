// SPDX-License-Identifier: Apache-2.0
// Ways to bring ranges of a mapped file into memory before they are touched, so that reads are as
// large and as many at once as the device wants, instead of one page per fault.
//
//   none            nothing: pages come when they are touched, one fault after another
//   madvise         MADV_POPULATE_READ, range after range: reads and maps in one call
//   willneed        MADV_WILLNEED for all ranges, which starts their reads without waiting; then
//                   MADV_POPULATE_READ for each, which finds its pages read or being read
//   pread           buffered reads into a buffer that is never used, range after range
//   uring-madvise   MADV_POPULATE_READ by io_uring: its kernel threads wait, several at once
//   uring-read      buffered reads by io_uring, all in flight at once; no thread waits
//
// A Populator belongs to one thread. Ranges are finished in the order in which they were started;
// the destructor waits for the unfinished ones. It reports no errors: a page that it could not
// bring shows when it is touched (GuardedMapping::check). What the system refuses is done in a
// simpler way, and noted: without io_uring, or, if MADV_POPULATE_READ (Linux 5.14) is missing, by
// faults.
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
  // REQUIRES: the range is within the file, and offset is a multiple of the page size.
  virtual void start(const GuardedMapping& file, std::uint64_t offset, std::uint64_t bytes) = 0;
  // Returns when the oldest unfinished range is in memory. REQUIRES: there is one.
  virtual void finish_oldest() = 0;
};

using Notes = std::function<void(const std::string&)>;  // called from the Populator's thread
// `way` is one of the names above.
std::unique_ptr<Populator> make_populator(const std::string& way, const Notes& note);
// For windows (backend.h): uring-madvise, one window per part.
std::unique_ptr<Populator> make_window_populator(const Notes& note);
const std::vector<std::string>& ways_to_populate();

}  // namespace outcore
