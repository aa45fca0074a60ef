// SPDX-License-Identifier: Apache-2.0
// Backend `mmap`: block files mapped, and copied from there into the caller's buffers, so that
// every engine can read that way; or seen where they lie, through a MappedView.
//
// Parameters (--backend mmap:populate=pread,faults=random,reads=normal):
//   populate   how ranges are brought into memory before they are touched (populate.h)
//   faults     normal, random, sequential: what the kernel is told of the mapping, which decides
//              what `none`, `madvise` and `uring-madvise` read (guarded_mapping.h)
//   reads      the same of the descriptor, for `pread`, `uring-read` and `willneed`
//
// The defaults read what is asked for and nothing else; docs/architecture.md ("What the disk taught
// us") says what each way costs. What is read from front to back wants
// `uring-read` with reads=sequential and ranges of megabytes, which comes near to direct reads.
//
// Requests that wait in a channel are populated together; they are finished in the order in which
// they were submitted, and copied by the thread that reaps. O_DIRECT has no meaning here: what was
// read stays in the page cache as long as the kernel likes, so a block that is asked for again may
// cost no read, and kernel bytes may be fewer than requested (or more, with read-ahead). That
// difference is a result, not a fault of counting.
#pragma once

#include <memory>

#include "storage/io/backend.h"

namespace outcore {

std::unique_ptr<Backend> make_mmap_backend(const BackendOptions& options);
std::vector<Parameter> mmap_parameters();

}  // namespace outcore
