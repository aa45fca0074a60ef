// SPDX-License-Identifier: Apache-2.0
// The folder of a store in persistent memory (medium=pmem): one file, store.pmem, which is the
// image (pmem/pmem_image.h). While it is created it is called store.pmem.pending.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "storage/evolving/pmem/pmem_image.h"
#include "storage/evolving/snapshot.h"
#include "storage/evolving/store.h"
#include "storage/evolving/stream.h"

namespace outcore::evolving {

bool is_pmem_store(const std::filesystem::path& folder);

// What is known of a store before it is recovered.
struct PmemFacts {
  std::uint64_t updates = 0;
  std::uint64_t bytes = 0;  // that the image takes
  bool symmetric = false;
};
PmemFacts facts_of_pmem_store(const std::filesystem::path& folder);

// Opens the store in a folder to go on with it, or makes an empty one, and the folder if it is
// missing. Of the knobs the image gets the directions of lists, the log and the bulks. Throws a
// usage Error where the file system gives no MAP_SYNC, or another process has the store.
std::shared_ptr<PmemImage> open_to_write(const std::filesystem::path& folder,
                                         const StoreKnobs& knobs);

// The store of a folder, for readers: recovered in their own memory. Nothing is written.
struct PmemReader {
  // Of the knobs the image settles some, as for a writer.
  PmemReader(const std::filesystem::path& folder, StoreKnobs knobs);
  PmemReader(const std::filesystem::path& folder, unsigned threads);
  std::shared_ptr<PmemImage> image;
  std::unique_ptr<Store> store;
  std::shared_ptr<Snapshot> snapshot;  // prepared
};

// Which edges stand, as algorithm:hex. An image has no checksum of what it holds.
std::string checksum_of(const Snapshot& snapshot);

// Checks its lists against one another, and against a stream whose beginning it is unless `against`
// is empty. Calls `held` with a line for each invariant that held. Throws bad_input for an image
// that cannot be, wrong_answer where lists do not fit one another or the stream.
void check_pmem_store(const std::filesystem::path& folder, const std::filesystem::path& against,
                      const StreamOptions& stream,
                      const std::function<void(const std::string&)>& held);

}  // namespace outcore::evolving
