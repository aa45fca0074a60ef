// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/pmem/pmem_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/hash.h"
#include "common/sizes.h"

namespace outcore::evolving {

namespace {

constexpr std::uint64_t kMagic = 0x314d454d5054554f;  // "OUTPMEM1"
constexpr std::uint32_t kVersion = 1;

struct Header {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t sides = 0;
  std::uint64_t log_edges = 0;
  std::uint64_t bulk_bytes = 0;
  std::uint64_t partitions = 0;
  std::uint64_t bulks = 0;
  std::uint64_t hash = 0;
  [[nodiscard]] std::uint64_t right_hash() const {
    return hash_bytes({reinterpret_cast<const std::byte*>(this), offsetof(Header, hash)});
  }
};
static_assert(sizeof(Header) <= PersistentMemory::kLine);

std::uint64_t in_pages(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

PmemShape shape_of(const PersistentMemory& memory) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    return bad_input(Place::file(memory.path()), found, expected,
                     "it is no store on persistent memory, or was changed");
  };
  Header header;
  if (memory.bytes() < 4096) throw refuse(fmt::format("{} bytes", memory.bytes()), "4096 or more");
  std::memcpy(&header, memory.base(), sizeof header);
  if (header.magic != kMagic) throw refuse("another first word", "OUTPMEM1");
  if (header.version != kVersion) {
    throw bad_input(Place::file(memory.path()), fmt::format("version {}", header.version),
                    fmt::format("version {}", kVersion), "another version of outcore made it");
  }
  if (header.hash != header.right_hash()) throw refuse("a header", "one with its checksum");
  const PmemShape shape{.sides = header.sides,
                        .log_edges = header.log_edges,
                        .bulk_bytes = header.bulk_bytes,
                        .partitions = header.partitions,
                        .bulks = header.bulks};
  if (memory.bytes() < PmemImage::bytes_of(shape)) {
    throw refuse(fmt::format("{} bytes", memory.bytes()),
                 fmt::format("{} bytes", PmemImage::bytes_of(shape)));
  }
  return shape;
}

}  // namespace

// Bulks of one chain.
class PmemBulks final : public Bulks {
 public:
  PmemBulks(std::shared_ptr<PmemImage> image, std::uint64_t generation,
            std::vector<std::uint64_t> taken)
      : image_(std::move(image)), generation_(generation), taken_(std::move(taken)) {}
  ~PmemBulks() override { image_->give_back(taken_); }
  PmemBulks(const PmemBulks&) = delete;
  PmemBulks& operator=(const PmemBulks&) = delete;

  std::byte* take(std::uint64_t bytes, unsigned /*node*/) override {
    const std::uint64_t count = (bytes + bulk_bytes() - 1) / bulk_bytes();
    const std::lock_guard lock(mutex_);
    const std::uint64_t first = image_->take_bulks(count, generation_);
    for (std::uint64_t bulk = first; bulk < first + count; ++bulk) taken_.push_back(bulk);
    return base() + first * bulk_bytes();
  }
  [[nodiscard]] std::byte* base() const override {
    return image_->memory_->base() + image_->parts_.blocks;
  }
  [[nodiscard]] std::uint64_t bulk_bytes() const override { return image_->shape_.bulk_bytes; }
  [[nodiscard]] std::uint64_t taken_bytes() const override {
    const std::lock_guard lock(mutex_);
    return taken_.size() * bulk_bytes();
  }
  [[nodiscard]] std::uint64_t taken_bytes(unsigned /*node*/) const override {
    return taken_bytes();
  }
  [[nodiscard]] bool is_dram() const override { return false; }

 private:
  const std::shared_ptr<PmemImage> image_;
  const std::uint64_t generation_;
  mutable std::mutex mutex_;  // of taken_; before the image's
  std::vector<std::uint64_t> taken_;
};

PmemImage::Parts::Parts(const PmemShape& shape) {
  used = 4096;
  bulks = used + in_pages(shape.sides * ((shape.partitions + 63) / 64) * 8);
  log = bulks + in_pages(shape.bulks * 8);
  roots = log + in_pages(shape.log_edges * sizeof(LogEdge));
  blocks = roots + shape.sides * shape.partitions * kPartitionVertices * 8;
  end = blocks + shape.bulks * shape.bulk_bytes;
}

std::uint64_t PmemImage::bytes_of(const PmemShape& shape) { return Parts(shape).end; }

void PmemImage::create(PersistentMemory& memory, const PmemShape& shape) {
  memory.make_room(0, Parts(shape).roots);
  Header header{.sides = shape.sides,
                .log_edges = shape.log_edges,
                .bulk_bytes = shape.bulk_bytes,
                .partitions = shape.partitions,
                .bulks = shape.bulks};
  header.hash = header.right_hash();
  std::memcpy(memory.base(), &header, sizeof header);
  memory.flush(memory.base(), sizeof header);
  memory.fence();
}

PmemImage::PmemImage(std::shared_ptr<PersistentMemory> memory)
    : memory_(std::move(memory)), shape_(shape_of(*memory_)), parts_(shape_) {
  generation_ = std::max<std::uint64_t>(1, word(kGeneration));
  const std::uint64_t oldest = generation_;
  taken_.resize(shape_.bulks);
  for (std::uint64_t bulk = 0; bulk < shape_.bulks; ++bulk) {
    const std::uint64_t of_bulk = word(parts_.bulks + bulk * 8);
    taken_[bulk] = of_bulk >= oldest;
    generation_ = std::max(generation_, of_bulk);
  }
  if (flushed() <= head() && head() - flushed() <= shape_.log_edges) return;
  throw bad_input(Place::offset(memory_->path(), kHead),
                  fmt::format("{} updates, and {} of them flushed", head(), flushed()),
                  fmt::format("at most {} that are not flushed", shape_.log_edges),
                  "the file was changed");
}

void PmemImage::check() const {
  if (!failed_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  throw Error(ExitCode::io, failure_);
}

LogEdge* PmemImage::log() const { return reinterpret_cast<LogEdge*>(memory_->base() + parts_.log); }

void PmemImage::set_word(std::uint64_t offset, std::uint64_t value) {
  // Relaxed: the fence orders it, and other threads of the process do not read it.
  std::atomic_ref(word(offset)).store(value, std::memory_order_relaxed);
  memory_->flush(&word(offset), sizeof value);
}

void PmemImage::acknowledge(std::uint64_t head) {
  check();
  fence();
  set_word(kHead, head);
  fence();
}

void PmemImage::flush_up_to(std::uint64_t position, VertexId vertices) {
  check();
  set_word(kVertices, vertices);
  fence();
  set_word(kFlushed, position);
  fence();
}

std::uint64_t PmemImage::used_word(unsigned side, std::size_t partition) const {
  return parts_.used + (side * ((shape_.partitions + 63) / 64) + partition / 64) * 8;
}

bool PmemImage::is_used(unsigned side, std::size_t partition) const {
  // Relaxed: other threads set other bits of the word; a partition's own is set by the same thread
  // or in an earlier phase.
  const std::uint64_t bits =
      std::atomic_ref(word(used_word(side, partition))).load(std::memory_order_relaxed);
  return (bits >> (partition % 64) & 1) != 0;
}

void PmemImage::use(unsigned side, std::size_t partition) {
  if (is_used(side, partition)) return;
  const VertexId first = static_cast<VertexId>(partition * kPartitionVertices);
  try {
    memory_->make_room(root_at(side, first), std::uint64_t{kPartitionVertices} * 8);
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    fail(error.what());
    throw;
  }
  // Relaxed: see is_used().
  std::atomic_ref(word(used_word(side, partition)))
      .fetch_or(std::uint64_t{1} << (partition % 64), std::memory_order_relaxed);
  memory_->flush(&word(used_word(side, partition)), 8);
}

std::uint64_t PmemImage::root_at(unsigned side, VertexId v) const {
  return parts_.roots + (side * shape_.partitions * kPartitionVertices + v) * 8;
}

ChainRoot PmemImage::root(unsigned side, VertexId v) const {
  const std::uint64_t bits = word(root_at(side, v));
  return {.chain = static_cast<std::uint32_t>(bits),
          .entries = static_cast<std::uint32_t>(bits >> 32) & ChainRoot::kMostEntries,
          .has_removals = bits >> 63 != 0};
}

void PmemImage::set_root(unsigned side, VertexId v, const ChainRoot& root) {
  const std::uint64_t removals = root.has_removals ? 1 : 0;
  set_word(root_at(side, v), removals << 63 | std::uint64_t{root.entries} << 32 | root.chain);
}

void PmemImage::fail(const std::string& what) {
  if (failed_.load(std::memory_order_relaxed)) return;
  failure_ = fmt::format("{}; nothing is taken in until the store is opened again", what);
  failed_.store(true, std::memory_order_relaxed);
}

std::unique_ptr<Bulks> PmemImage::open_bulks() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> taken;
  for (std::uint64_t bulk = 0; bulk < shape_.bulks; ++bulk) {
    if (taken_[bulk]) taken.push_back(bulk);
  }
  return std::make_unique<PmemBulks>(shared_from_this(), generation_, std::move(taken));
}

std::unique_ptr<Bulks> PmemImage::new_generation() {
  const std::lock_guard lock(mutex_);
  return std::make_unique<PmemBulks>(shared_from_this(), ++generation_,
                                     std::vector<std::uint64_t>());
}

void PmemImage::keep_newest_generation() {
  check();
  set_word(kGeneration, generation_);
  fence();
}

std::uint64_t PmemImage::take_bulks(std::uint64_t count, std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  std::uint64_t first = 0;
  for (std::uint64_t bulk = 0; bulk < shape_.bulks && bulk - first < count; ++bulk) {
    if (taken_[bulk]) first = bulk + 1;
  }
  try {
    if (first + count > shape_.bulks) {
      throw Error(ExitCode::memory,
                  fmt::format("{}: the lists have outgrown {}", memory_->path().string(),
                              human_size(shape_.bulks * shape_.bulk_bytes)));
    }
    memory_->make_room(parts_.blocks + first * shape_.bulk_bytes, count * shape_.bulk_bytes);
  } catch (const Error& error) {
    fail(error.what());
    throw;
  }
  for (std::uint64_t bulk = first; bulk < first + count; ++bulk) {
    taken_[bulk] = true;
    set_word(parts_.bulks + bulk * 8, generation);
  }
  return first;
}

void PmemImage::give_back(const std::vector<std::uint64_t>& bulks) {
  const std::lock_guard lock(mutex_);
  for (const std::uint64_t bulk : bulks) taken_[bulk] = false;
}

}  // namespace outcore::evolving
