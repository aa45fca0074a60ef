// SPDX-License-Identifier: Apache-2.0
#include "storage/container/builder.h"

#include <algorithm>
#include <thread>

#include "common/error.h"
#include "common/hash.h"
#include "common/progress.h"
#include "storage/container/container.h"
#include "storage/container/csr_writer.h"

namespace outcore {

namespace {

constexpr std::uint64_t key_of(VertexId source, VertexId target) {
  return std::uint64_t{source} << 32 | target;
}
constexpr VertexId source_of(std::uint64_t key) { return static_cast<VertexId>(key >> 32); }
constexpr VertexId target_of(std::uint64_t key) { return static_cast<VertexId>(key); }

}  // namespace

ContainerBuilder::ContainerBuilder(const std::filesystem::path& folder, BuildOptions options)
    : folder_(folder), options_(std::move(options)), pending_(folder, options_.force) {
  sort_.emplace(pending_.path() / "scratch", options_.memory, options_.threads);
}

void ContainerBuilder::add(std::span<const Edge> edges) {
  const bool mirror = options_.edges == Edges::mirrored;
  for (const auto& [source, target] : edges) {
    if (source == target && options_.drop_loops) continue;
    sort_->add(key_of(source, target));
    if (mirror && source != target) sort_->add(key_of(target, source));
  }
}

void ContainerBuilder::finish(VertexId vertices, std::span<const std::uint64_t> ids) {
  write_out(vertices);
  if (options_.edges == Edges::directed) write_in(vertices);
  if (!ids.empty()) {
    HashedFile file(pending_.path() / "ids");
    file.write(std::as_bytes(ids));
    files_["ids"] = file.finish();
  }
  const nlohmann::json manifest = {{"version", kContainerVersion},
                                   {"vertices", vertices},
                                   {"edges", edges_},
                                   {"symmetric", options_.edges != Edges::directed},
                                   {"has_ids", !ids.empty()},
                                   {"provenance", options_.provenance},
                                   {"files", files_}};
  write_json_atomically(pending_.path() / "graph.json", manifest);
  pending_.commit();
}

void ContainerBuilder::write_out(VertexId vertices) {
  CsrWriter writer(pending_.path(), "out");
  Progress progress("merging out-edges", sort_->size(), "edges");
  std::uint64_t last = ~std::uint64_t{0};  // no edge: its ids are reserved
  std::uint64_t balance = 0;               // 0 at the end when every edge has its mirror
  sort_->merge([&](std::span<const std::uint64_t> batch) {
    for (const std::uint64_t key : batch) {
      if (options_.drop_duplicates && key == last) continue;
      last = key;
      const VertexId source = source_of(key);
      const VertexId target = target_of(key);
      writer.add(source, target);
      if (source < target) balance += mix(key);
      if (source > target) balance -= mix(key_of(target, source));
    }
    progress.add(batch.size());
  });
  sort_.reset();
  if (options_.edges == Edges::symmetric) refuse_asymmetry(balance);
  writer.finish(vertices, files_);
  edges_ = writer.edges();
}

// In-edges are the out-edges that were kept, turned around and sorted again.
void ContainerBuilder::write_in(VertexId vertices) {
  const File offsets = File::open_read(pending_.path() / "out.offsets");
  const File targets = File::open_read(pending_.path() / "out.targets");
  ExternalSort sort(pending_.path() / "scratch", options_.memory, options_.threads);
  Progress progress("sorting in-edges", edges_, "edges");
  constexpr std::size_t kBatch = std::size_t{1} << 16;
  std::vector<EdgeIndex> ends(kBatch);
  std::vector<VertexId> batch(kBatch);
  EdgeIndex edge = 0;
  for (std::uint64_t first = 0; first < vertices; first += kBatch) {
    ends.resize(std::min<std::uint64_t>(kBatch, vertices - first));
    offsets.read(std::as_writable_bytes(std::span(ends)), (first + 1) * sizeof(EdgeIndex));
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (; edge < ends[i]; ++edge) {
        if (edge % kBatch == 0) {
          const std::size_t loaded = std::min<std::uint64_t>(kBatch, edges_ - edge);
          targets.read(std::as_writable_bytes(std::span(batch).first(loaded)),
                       edge * sizeof(VertexId));
          progress.add(loaded);
        }
        sort.add(key_of(batch[edge % kBatch], static_cast<VertexId>(first + i)));
      }
    }
  }
  CsrWriter writer(pending_.path(), "in");
  sort.merge([&](std::span<const std::uint64_t> keys) {
    for (const std::uint64_t key : keys) writer.add(source_of(key), target_of(key));
  });
  writer.finish(vertices, files_);
}

void ContainerBuilder::refuse_asymmetry(std::uint64_t balance) const {
  if (balance == 0) return;
  throw bad_input(Place::file(options_.source), "edges without their mirror",
                  "each edge in both directions, as the source says of itself",
                  "the file is broken, or it is a directed graph");
}

unsigned threads_or_all(unsigned requested) {
  return requested > 0 ? requested : std::max(1U, std::thread::hardware_concurrency());
}

void make_container(const std::filesystem::path& folder, VertexId vertices,
                    std::span<const Edge> edges, bool symmetric) {
  BuildOptions options;
  options.edges = symmetric ? Edges::mirrored : Edges::directed;
  options.provenance = {{"made_by", "make_container"}};
  ContainerBuilder builder(folder, std::move(options));
  builder.add(edges);
  builder.finish(vertices);
}

}  // namespace outcore
