// SPDX-License-Identifier: Apache-2.0
// Backend `fault`: another backend whose reads go wrong as planned, to show that whatever a device
// does, a run either gets the right bytes or stops with file, offset and errno, and never hangs.
//
// BackendOptions::fault_plan is a list of items separated by commas:
//
//   over:NAME   the backend underneath; default threads. Its own parameters are parted by
//               `+`: over:NAME:key=value+key=value
//   eio@N       request N (counted from 0 over all channels) fails with EIO
//   short@N     request N ends early: its last 4 KB are missing, as of a file that was cut
//   flip@N      one bit of what request N read is flipped (a checksum's business to notice)
//   delay:MS    every request is answered MS milliseconds late; fractions are allowed
//   jitter:MS   and up to MS milliseconds later than that, each by its own share, so that requests
//               end in another order, and workers meet in another way, with each seed
//   rate:P      each request goes wrong with probability P, in one of the three ways
//   seed:S      what `rate` and `jitter` draw from; default 0. Request N's fate depends on S and N
//               alone.
//
// An empty plan changes nothing.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

// Throws a usage Error that names the item when the plan cannot be understood.
std::unique_ptr<Backend> make_fault_backend(const BackendOptions& options);

}  // namespace outcore
