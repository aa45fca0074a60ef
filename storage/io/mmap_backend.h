// SPDX-License-Identifier: Apache-2.0
// Backend `mmap`: block files are mapped, and copied from the mapping into the caller's buffers, so
// that every engine can read in this way; or used in place, through a MappedView.
//
// Parameters (--backend mmap:populate=pread,faults=random,reads=normal):
//   populate   how ranges are brought into memory before they are touched (populate.h)
//   faults     normal, random, sequential: the kernel's advice for the mapping, which decides what
//              `none`, `madvise` and `uring-madvise` read (guarded_mapping.h)
//   reads      the same for the descriptor, for `pread`, `uring-read` and `willneed`
//
// The defaults read only what is asked for; docs/architecture.md ("What the disk taught us") says
// what each way costs. For reading from front to back, use `uring-read` with reads=sequential and
// ranges of megabytes, which is nearly as fast as direct reads.
//
// Requests that wait in a channel are populated together. They finish in the order in which they
// were submitted, and the thread that reaps copies them. O_DIRECT has no meaning here: what was
// read stays in the page cache as long as the kernel likes. So a block that is asked for again may
// cost no read, and the kernel may read fewer bytes than requested (or more, with read-ahead). That
// difference is a result, not a counting error.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_mmap_backend(const BackendOptions& options);
std::vector<Parameter> mmap_parameters();

}  // namespace outcore
