// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/pmem_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <span>

#include "common/error.h"
#include "common/files.h"
#include "common/sizes.h"
#include "storage/evolving/check_store.h"
#include "storage/evolving/durable/check_durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/pmem/mapped_memory.h"

namespace outcore::evolving {

namespace fs = std::filesystem;

namespace {

constexpr const char* kImage = "store.pmem";
constexpr const char* kPending = "store.pmem.pending";

PmemShape shape_of(const StoreKnobs& knobs) {
  return {.sides = knobs.symmetric ? 1U : 2U,
          .log_edges = knobs.log_edges,
          .bulk_bytes = knobs.bulk_bytes,
          .partitions = (std::uint64_t{kMostVertices} + kPartitionVertices) / kPartitionVertices,
          .bulks = AdjacencyChain::kMostBytes / knobs.bulk_bytes};
}

void create(const fs::path& folder, const StoreKnobs& knobs) {
  if (is_durable_store(folder)) {
    throw usage_error(fmt::format("{}: the store there is one of medium=ssd; name another folder",
                                  folder.string()));
  }
  RealDisk::make(folder);
  const PmemShape shape = shape_of(knobs);
  const fs::path pending = folder / kPending;
  try {
    MappedMemory memory(pending, PmemImage::bytes_of(shape));
    PmemImage::create(memory, shape);
    memory.sync();
  } catch (const Error&) {
    std::error_code none;
    fs::remove(pending, none);
    throw;
  }
  RealDisk disk(folder);
  disk.rename(kPending, kImage);
  disk.sync_folder("");
}

// A file has addresses for far more than it takes.
std::uint64_t allocated_bytes(const fs::path& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) throw io_error(Place::file(path), "cannot stat", errno);
  return static_cast<std::uint64_t>(facts.st_blocks) * 512;
}

std::shared_ptr<PmemImage> image_to_read(const fs::path& folder) {
  return std::make_shared<PmemImage>(std::make_shared<MappedMemory>(folder / kImage, Access::read));
}

EdgeDigest digest_of(const Snapshot& snapshot, Direction direction) {
  EdgeDigest digest;
  ListReader reader(snapshot);
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    reader.for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
      for (const VertexId u : piece)
        digest.add(direction == Direction::out ? v : u, direction == Direction::out ? u : v);
    });
  }
  return digest;
}

}  // namespace

bool is_pmem_store(const fs::path& folder) { return fs::exists(folder / kImage); }

std::shared_ptr<PmemImage> open_to_write(const fs::path& folder, const StoreKnobs& knobs) {
  if (!is_pmem_store(folder)) create(folder, knobs);
  auto image =
      std::make_shared<PmemImage>(std::make_shared<MappedMemory>(folder / kImage, Access::write));
  const bool is_symmetric = image->shape().sides == 1;
  if (is_symmetric == knobs.symmetric) return image;
  throw usage_error(fmt::format("{}: the store there has {} lists; say lists={}", folder.string(),
                                is_symmetric ? "symmetric" : "directed",
                                is_symmetric ? "symmetric" : "directed"));
}

PmemReader::PmemReader(const fs::path& folder, StoreKnobs knobs) : image(image_to_read(folder)) {
  knobs.image = image;
  store = std::make_unique<Store>(knobs);
  snapshot = store->snapshot();
  snapshot->prepare(knobs.threads);
}

PmemReader::PmemReader(const fs::path& folder, unsigned threads)
    : PmemReader(folder, StoreKnobs{.threads = threads}) {}

PmemFacts facts_of_pmem_store(const fs::path& folder) {
  const auto image = image_to_read(folder);
  return {.updates = image->head(),
          .bytes = allocated_bytes(folder / kImage),
          .symmetric = image->shape().sides == 1};
}

std::string checksum_of(const Snapshot& snapshot) {
  const EdgeDigest digest = digest_of(snapshot, Direction::out);
  return fmt::format("edges:{:016x}{:016x}", digest.edges, digest.sum);
}

void check_pmem_store(const fs::path& folder, const fs::path& against, const StreamOptions& stream,
                      const std::function<void(const std::string&)>& held) {
  const PmemReader reader(folder, stream.threads);
  const Snapshot& snapshot = *reader.snapshot;
  held(fmt::format("{}: {} updates, {} of them flushed", kImage, with_commas(snapshot.updates()),
                   with_commas(reader.image->flushed())));
  const EdgeDigest out = digest_of(snapshot, Direction::out);
  if (out != digest_of(snapshot, Direction::in)) {
    throw Error(ExitCode::wrong_answer,
                fmt::format("{}: in-lists are not the out-lists, turned", folder.string()));
  }
  held(fmt::format("in-lists have the {} edges of out-lists, turned", with_commas(out.edges)));
  if (against.empty()) return;
  check_store(snapshot, against, stream);
  held(fmt::format("lists are those of the first {} updates of {}", with_commas(snapshot.updates()),
                   against.string()));
}

}  // namespace outcore::evolving
