// SPDX-License-Identifier: Apache-2.0
// Backend `fault`: another backend whose requests go wrong as planned. It shows that, whatever a
// device does, a run either gets the right bytes or stops with file, offset and errno, and never
// hangs.
//
// BackendOptions::fault_plan is a list of items separated by commas:
//
//   over:NAME   the backend underneath; default threads. Its own parameters are separated by `+`:
//               over:NAME:key=value+key=value
//   eio@N       request N (counted from 0 over all channels; reads, writes and syncs) fails with
//               EIO and reads, writes or syncs nothing
//   short@N     read N ends early: its last 4 KB are missing, as if the file had been cut. Write N
//               also ends early, as on a full device: the rest is written, then ENOSPC
//   flip@N      one bit of what request N read or wrote is flipped (a checksum must notice)
//   enospc@N    write N fails with ENOSPC and writes nothing
//   torn@N      only the first pages of write N reach the file (their number is drawn from N), but
//               it is answered as if all had (a checksum must notice)
//   delay:MS    every request is answered MS milliseconds late; fractions are allowed
//   jitter:MS   and up to MS milliseconds later, each request by its own share, so that with each
//               seed requests end in another order and workers meet in another way
//   rate:P      each request goes wrong with probability P, in one of the ways possible for it
//   seed:S      what `rate` and `jitter` draw from; default 0. What happens to request N depends
//               only on S, N and its kind
//
// A fault that is impossible for request N (a sync that ends early, a torn read) has no effect on
// it. An empty plan changes nothing.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

// Throws a usage Error that names the first item that cannot be understood.
std::unique_ptr<Backend> make_fault_backend(const BackendOptions& options);

}  // namespace outcore
