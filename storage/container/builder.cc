// SPDX-License-Identifier: Apache-2.0
#include "storage/container/builder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <thread>
#include <type_traits>

#include "common/error.h"
#include "common/hash.h"
#include "common/progress.h"
#include "storage/container/container.h"
#include "storage/container/csr_writer.h"

namespace outcore {

namespace {

bool same_ends(EdgeKey a, EdgeKey b) { return a == b; }
bool same_ends(const WeightedKey& a, const WeightedKey& b) {
  return a.source == b.source && a.target == b.target;
}

std::uint64_t hash_of(EdgeKey key) { return mix(key); }
std::uint64_t hash_of(const WeightedKey& key) {
  return mix(mix(std::uint64_t{key.source} << 32 | key.target) ^ key.weight);
}

// A record that is not an edge: its ids are reserved.
template <typename Record>
Record no_edge();
template <>
EdgeKey no_edge() {
  return ~EdgeKey{0};
}
template <>
WeightedKey no_edge() {
  return {kNoVertex, kNoVertex, 0};
}

// 0 over all records if every edge has its mirror.
template <typename Record>
std::uint64_t imbalance(std::span<const Record> records) {
  std::uint64_t balance = 0;
  for (const Record& record : records) {
    const auto [source, target] = parts_of(record);
    if (source < target) balance += hash_of(record);
    if (source > target) balance -= hash_of(turned(record));
  }
  return balance;
}

// Reads a file of numbers from front to back through a window.
template <typename T>
class Column {
 public:
  Column(const std::filesystem::path& path, std::uint64_t count)
      : file_(File::open_read(path)), left_(count) {}

  T next() { return next(1).front(); }
  // Returns at least one number, and at most `most`.
  std::span<const T> next(std::uint64_t most) {
    if (at_ == window_.size()) {
      window_.resize(std::min<std::uint64_t>(kWindow, left_));
      file_.read(std::as_writable_bytes(std::span(window_)), read_ * sizeof(T));
      read_ += window_.size();
      left_ -= window_.size();
      at_ = 0;
    }
    const std::size_t count = std::min<std::uint64_t>(most, window_.size() - at_);
    at_ += count;
    return std::span(window_).subspan(at_ - count, count);
  }

 private:
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 16;
  File file_;
  std::uint64_t left_;
  std::uint64_t read_ = 0;
  std::vector<T> window_;
  std::size_t at_ = 0;
};

}  // namespace

ContainerBuilder::ContainerBuilder(const std::filesystem::path& folder, BuildOptions options)
    : folder_(folder),
      options_(std::move(options)),
      pending_(folder, "graph.json", options_.force) {
  if (options_.weighted) {
    weighted_sort_.emplace(pending_.path() / "scratch", options_.memory, options_.threads);
  } else {
    sort_.emplace(pending_.path() / "scratch", options_.memory, options_.threads);
  }
}

template <typename Record>
void ContainerBuilder::add_record(ExternalSort<Record>& sort, const Record& record) {
  const auto [source, target] = parts_of(record);
  ++counts_.read;
  if (source == target) {
    ++counts_.loops;
    if (options_.drop_loops) return;
  }
  sort.add(record);
  if (options_.edges == Edges::mirrored && source != target) sort.add(turned(record));
}

void ContainerBuilder::add(std::span<const Edge> edges) {
  assert(!options_.weighted);
  for (const auto& [source, target] : edges) {
    add_record(*sort_, EdgeKey{source} << 32 | target);
  }
}

void ContainerBuilder::add_weighted(std::span<const WeightedEdge> edges) {
  assert(options_.weighted);
  for (const auto& [source, target, weight] : edges) {
    assert(std::isfinite(weight));
    add_record(*weighted_sort_, WeightedKey{source, target, weight_order(weight)});
  }
}

BuildCounts ContainerBuilder::finish(VertexId vertices, std::span<const std::uint64_t> ids) {
  write_lists(vertices);
  if (!ids.empty()) {
    HashedFile file(pending_.path() / "ids");
    file.write(std::as_bytes(ids));
    files_["ids"] = file.finish();
  }
  return write_manifest(vertices);
}

BuildCounts ContainerBuilder::finish_from(VertexId vertices, std::uint64_t first_id) {
  write_lists(vertices);
  HashedFile file(pending_.path() / "ids");
  for (VertexId v = 0; v < vertices; ++v) file.put(first_id + v);
  files_["ids"] = file.finish();
  return write_manifest(vertices);
}

BuildCounts ContainerBuilder::finish(const NameTable& names) {
  const auto vertices = static_cast<VertexId>(names.size());
  write_lists(vertices);
  names.write(pending_.path(), files_);
  return write_manifest(vertices);
}

BuildCounts ContainerBuilder::finish_as(const Container& other) {
  write_lists(other.facts().vertices);
  for (const char* const name : {"ids", "names.bytes", "names.offsets", "names.order"}) {
    if (!other.manifest().at("files").contains(name)) continue;
    std::filesystem::copy_file(other.folder() / name, pending_.path() / name);
    files_[name] = file_entry(other.manifest(), name, other.folder() / "graph.json");
  }
  return write_manifest(other.facts().vertices);
}

BuildCounts ContainerBuilder::write_manifest(VertexId vertices) {
  counts_.vertices = vertices;
  counts_.symmetric = options_.edges != Edges::directed;
  const nlohmann::json manifest = {{"version", kContainerVersion},
                                   {"vertices", vertices},
                                   {"edges", counts_.edges},
                                   {"loops", counts_.stored.loops},
                                   {"parallel", counts_.stored.parallel},
                                   {"symmetric", counts_.symmetric},
                                   {"weighted", options_.weighted},
                                   {"has_ids", files_.contains("ids")},
                                   {"has_names", files_.contains("names.bytes")},
                                   {"provenance", options_.provenance},
                                   {"files", files_}};
  write_json_atomically(pending_.path() / "graph.json", sealed(manifest));
  pending_.commit();
  return counts_;
}

void ContainerBuilder::write_lists(VertexId vertices) {
  if (options_.weighted) {
    write_lists(weighted_sort_, vertices);
  } else {
    write_lists(sort_, vertices);
  }
}

template <typename Record>
void ContainerBuilder::write_lists(std::optional<ExternalSort<Record>>& sort, VertexId vertices) {
  write_out(*sort, vertices);
  if (options_.edges == Edges::directed) write_in(*sort, vertices);
  sort.reset();  // its scratch file lies in the folder
}

template <typename Record>
void ContainerBuilder::write_out(ExternalSort<Record>& sort, VertexId vertices) {
  CsrWriter writer(pending_.path(), "out", options_.weighted);
  Progress progress("merging out-edges", sort.size(), "edges");
  Record last = no_edge<Record>();
  std::vector<Record> distinct;
  std::uint64_t balance = 0;
  constexpr std::size_t kPart = std::size_t{1} << 16;
  sort.merge([&](std::span<const Record> batch) {
    for (; !batch.empty(); batch = batch.subspan(std::min(kPart, batch.size()))) {
      const auto part = batch.first(std::min(kPart, batch.size()));
      const auto kept = count_repeats(part, last, distinct);
      writer.add(kept);
      if (options_.edges == Edges::symmetric) balance += imbalance(kept);
      progress.add(part.size());
    }
  });
  if (options_.edges == Edges::symmetric) refuse_asymmetry(balance);
  writer.finish(vertices, files_);
  counts_.edges = writer.edges();
  if (!options_.drop_duplicates) counts_.stored.parallel = counts_.met_again;
  if (options_.edges != Edges::directed) counts_.met_again /= 2;  // both directions were counted
}

// Counts loops and repeated ends in the sorted `records`. `last` is the record before them, and
// afterwards their last one. Returns the records to store, which may be in `distinct`.
template <typename Record>
std::span<const Record> ContainerBuilder::count_repeats(std::span<const Record> records,
                                                        Record& last,
                                                        std::vector<Record>& distinct) {
  distinct.clear();
  for (const Record& record : records) {
    const auto [source, target] = parts_of(record);
    const bool again = same_ends(record, last);
    const bool dropped = again && options_.drop_duplicates;
    if (source == target) {
      counts_.stored.loops += dropped ? 0 : 1;
    } else {
      counts_.met_again += again ? 1 : 0;
    }
    if (options_.drop_duplicates && !again) distinct.push_back(record);
    last = record;
  }
  return options_.drop_duplicates ? std::span<const Record>(distinct) : records;
}

// In-edges are the stored out-edges, reversed and sorted again: by target alone, because they
// arrive in the order of their sources.
template <typename Record>
void ContainerBuilder::write_in(ExternalSort<Record>& sort, VertexId vertices) {
  sort.start_again(SortBy::upper);
  turn_out_lists(sort, vertices);
  CsrWriter writer(pending_.path(), "in", options_.weighted);
  sort.merge([&](std::span<const Record> batch) { writer.add(batch); });
  writer.finish(vertices, files_);
}

template <typename Record>
void ContainerBuilder::turn_out_lists(ExternalSort<Record>& sort, VertexId vertices) const {
  const std::filesystem::path folder = pending_.path();
  Column<EdgeIndex> offsets(folder / "out.offsets", std::uint64_t{vertices} + 1);
  Column<VertexId> targets(folder / "out.targets", counts_.edges);
  std::optional<Column<float>> weights;
  if (options_.weighted) weights.emplace(folder / "out.weights", counts_.edges);
  Progress progress("sorting in-edges", counts_.edges, "edges");
  EdgeIndex edge = offsets.next();
  for (VertexId source = 0; source < vertices; ++source) {
    const EdgeIndex end = offsets.next();
    progress.add(end - edge);
    while (edge < end) {
      const std::span<const VertexId> part = targets.next(end - edge);
      edge += part.size();
      for (const VertexId target : part) {
        if constexpr (std::is_same_v<Record, WeightedKey>) {
          sort.add({target, source, weight_order(weights->next())});
        } else {
          sort.add(EdgeKey{target} << 32 | source);
        }
      }
    }
  }
}

void ContainerBuilder::refuse_asymmetry(std::uint64_t balance) const {
  if (balance == 0) return;
  throw bad_input(Place::file(options_.source), "edges without their mirror",
                  "each edge in both directions, as the source says of itself",
                  "the file is broken, or it is a directed graph");
}

void check_new_graph(const std::filesystem::path& folder, bool force) {
  PendingFolder::check(folder, "graph.json", force);
}

unsigned threads_or_all(unsigned requested) {
  return requested > 0 ? requested : std::max(1U, std::thread::hardware_concurrency());
}

namespace {

template <typename AnyEdge>
void make(const std::filesystem::path& folder, VertexId vertices, std::span<const AnyEdge> edges,
          bool symmetric) {
  BuildOptions options;
  options.edges = symmetric ? Edges::mirrored : Edges::directed;
  options.weighted = std::is_same_v<AnyEdge, WeightedEdge>;
  options.provenance = {{"made_by", "make_container"}};
  ContainerBuilder builder(folder, std::move(options));
  if constexpr (std::is_same_v<AnyEdge, WeightedEdge>) {
    builder.add_weighted(edges);
  } else {
    builder.add(edges);
  }
  builder.finish(vertices);
}

}  // namespace

void make_container(const std::filesystem::path& folder, VertexId vertices,
                    std::span<const Edge> edges, bool symmetric) {
  make(folder, vertices, edges, symmetric);
}

void make_weighted_container(const std::filesystem::path& folder, VertexId vertices,
                             std::span<const WeightedEdge> edges, bool symmetric) {
  make(folder, vertices, edges, symmetric);
}

}  // namespace outcore
