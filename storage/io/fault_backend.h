// SPDX-License-Identifier: Apache-2.0
// Backend `fault`: another backend whose requests go wrong as planned, to show that whatever a
// device does, a run either gets the right bytes or stops with file, offset and errno, and never
// hangs.
//
// BackendOptions::fault_plan is a list of items separated by commas:
//
//   over:NAME   the backend underneath; default threads. Its own parameters are parted by
//               `+`: over:NAME:key=value+key=value
//   eio@N       request N (counted from 0 over all channels; reads, writes and syncs) fails with
//   EIO;
//               it reads, writes or syncs nothing
//   short@N     read N ends early: its last 4 KB are missing, as of a file that was cut. Write N
//               likewise, as on a device that is full: the rest is written, then ENOSPC
//   flip@N      one bit of what request N read or wrote is flipped (a checksum's business to
//   notice) enospc@N    write N fails with ENOSPC and writes nothing torn@N      of write N only
//   the first pages reach the file, how many is drawn from N, and it is
//               answered as if all had (a checksum's business to notice too)
//   delay:MS    every request is answered MS milliseconds late; fractions are allowed
//   jitter:MS   and up to MS milliseconds later than that, each by its own share, so that requests
//               end in another order, and workers meet in another way, with each seed
//   rate:P      each request goes wrong with probability P, in one of the ways that its kind can
//   seed:S      what `rate` and `jitter` draw from; default 0. Request N's fate depends on S, N and
//               its kind alone.
//
// A fault that request N cannot have (a sync that ends early, a read that is torn) leaves it alone.
// An empty plan changes nothing.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

// Throws a usage Error that names the item when the plan cannot be understood.
std::unique_ptr<Backend> make_fault_backend(const BackendOptions& options);

}  // namespace outcore
