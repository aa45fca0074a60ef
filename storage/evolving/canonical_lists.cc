// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/canonical_lists.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/log_edge.h"
#include "storage/evolving/pmem_store.h"

namespace outcore::evolving {

namespace {

// Takes the first updates of a stream, each at one end or at both.
class StreamPrefix : public UpdateSink {
 public:
  StreamPrefix(CanonicalLists& lists, std::uint64_t wanted, bool both_ends, VertexId vertices)
      : lists_(lists), wanted_(wanted), both_ends_(both_ends), vertices_(vertices) {}
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  std::span<LogEdge> room(std::uint64_t most) override {
    room_.resize(std::min<std::uint64_t>(most, std::uint64_t{1} << 20));
    return room_;
  }
  void append(std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count && taken_ < wanted_; ++i, ++taken_) {
      const Update update = as_update(room_[i]);
      if (std::max(update.source, update.target) >= vertices_) {
        throw Error(ExitCode::wrong_answer,
                    fmt::format("the stream has edge {} {}, and the store's ids are below {}",
                                update.source, update.target, vertices_));
      }
      lists_.add(update);
      if (both_ends_ && update.source != update.target)
        lists_.add({update.target, update.source, update.removes});
    }
  }

 private:
  CanonicalLists& lists_;
  std::uint64_t wanted_;
  bool both_ends_;
  VertexId vertices_;
  std::uint64_t taken_ = 0;
  std::vector<LogEdge> room_;
};

CanonicalLists first_of_stream(const std::filesystem::path& stream, const StreamOptions& options,
                               std::uint64_t prefix, CanonicalLists lists, bool both_ends,
                               VertexId vertices) {
  StreamPrefix first(lists, prefix, both_ends, vertices);
  read_stream(stream, options, first);
  if (first.taken() < prefix) {
    throw Error(ExitCode::wrong_answer, fmt::format("{} has {} updates, and the store {}",
                                                    stream.string(), first.taken(), prefix));
  }
  lists.finish(vertices);
  return lists;
}

}  // namespace

void CanonicalLists::add(const Update& update) {
  numbered_.push_back({std::uint64_t{update.source} << 32 | update.target,
                       numbered_.size() << 1 | std::uint64_t{update.removes}});
}

// The edges that stand, sorted; one that stands twice is there twice. Frees the updates.
std::vector<std::uint64_t> CanonicalLists::standing() {
  std::sort(numbered_.begin(), numbered_.end(), [](const Numbered& a, const Numbered& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.number < b.number;
  });
  std::vector<std::uint64_t> edges;
  for (std::size_t i = 0; i < numbered_.size();) {
    const std::uint64_t edge = numbered_[i].edge;
    std::uint64_t copies = 0;
    for (; i < numbered_.size() && numbered_[i].edge == edge; ++i) {
      const bool removes = (numbered_[i].number & 1) != 0;
      if (!removes) ++copies;
      if (removes && copies > 0) --copies;
    }
    edges.insert(edges.end(), copies, edge);
  }
  numbered_ = {};
  if (!symmetric_) return edges;
  for (std::size_t i = 0, count = edges.size(); i < count; ++i) {
    const std::uint64_t back = edges[i] << 32 | edges[i] >> 32;
    if (back != edges[i]) edges.push_back(back);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

void CanonicalLists::finish(VertexId vertices) {
  const std::vector<std::uint64_t> edges = standing();
  out_.offsets.assign(std::size_t{vertices} + 1, 0);
  in_.offsets.assign(std::size_t{vertices} + 1, 0);
  out_.targets.reserve(edges.size());
  for (const std::uint64_t edge : edges) {
    ++out_.offsets[(edge >> 32) + 1];
    ++in_.offsets[static_cast<VertexId>(edge) + std::size_t{1}];
    out_.targets.push_back(static_cast<VertexId>(edge));
  }
  for (std::size_t v = 0; v < vertices; ++v) {
    out_.offsets[v + 1] += out_.offsets[v];
    in_.offsets[v + 1] += in_.offsets[v];
  }
  if (symmetric_) return;
  // In the order of sources, so that in-lists ascend too.
  in_.targets.resize(edges.size());
  std::vector<EdgeIndex> next(in_.offsets.begin(), in_.offsets.end() - 1);
  for (const std::uint64_t edge : edges)
    in_.targets[next[static_cast<VertexId>(edge)]++] = static_cast<VertexId>(edge >> 32);
}

CsrView CanonicalLists::csr(Direction direction) const {
  const Lists& lists = direction == Direction::in && !symmetric_ ? in_ : out_;
  return {lists.offsets, lists.targets};
}

CanonicalLists canonical_lists_of_store(const std::filesystem::path& store, std::uint64_t prefix,
                                        bool symmetric, VertexId vertices) {
  CanonicalLists lists(symmetric);
  RealDisk disk(store);
  std::vector<Update> log;
  DurableStore durable(disk, {}, [&](std::span<const Update> updates) {
    log.insert(log.end(), updates.begin(), updates.end());
  });
  const auto standing = durable.read(Direction::out);
  VertexId vertex = 0;
  std::vector<PairChange> list;
  while (standing->next(vertex, list)) {
    for (const PairChange& change : list) {
      for (std::uint32_t i = 0; i < change.adds; ++i) lists.add({vertex, change.neighbour, false});
    }
  }
  if (prefix < durable.flushed()) {
    throw usage_error(fmt::format(
        "{} was flushed meanwhile: its runs hold {} updates now, and the answer is of the first "
        "{}; run again, or verify --against the stream",
        store.string(), durable.flushed(), prefix));
  }
  log.resize(std::min<std::uint64_t>(log.size(), prefix - durable.flushed()));
  for (const Update& update : log) lists.add(update);
  lists.finish(vertices);
  return lists;
}

CanonicalLists canonical_lists_of_pmem_store(const std::filesystem::path& store,
                                             std::uint64_t prefix, bool symmetric,
                                             VertexId vertices) {
  const PmemReader reader(store, 1);
  if (reader.snapshot->updates() != prefix) {
    throw usage_error(fmt::format(
        "{} took updates in meanwhile: it has {} now, and the answer is of the first {}; run "
        "again, or verify --against the stream",
        store.string(), reader.snapshot->updates(), prefix));
  }
  CanonicalLists lists(symmetric && !reader.snapshot->symmetric());
  const auto add = [&](VertexId v, const std::vector<Entry>& entries) {
    for (const Entry entry : entries) lists.add(as_update({v, entry}));
  };
  for (VertexId v = 0; v < reader.store->vertices(); ++v) {
    add(v, reader.store->flushed(Direction::out, v));
    add(v, reader.store->buffered(Direction::out, v));  // recovery buffers all of the log
  }
  lists.finish(vertices);
  return lists;
}

CanonicalLists canonical_lists_of_stream(const std::filesystem::path& stream,
                                         const StreamOptions& options, std::uint64_t prefix,
                                         bool symmetric, VertexId vertices) {
  return first_of_stream(stream, options, prefix, CanonicalLists(symmetric), false, vertices);
}

CanonicalLists canonical_lists_of_undirected_stream(const std::filesystem::path& stream,
                                                    const StreamOptions& options,
                                                    std::uint64_t prefix, VertexId vertices) {
  return first_of_stream(stream, options, prefix, CanonicalLists(false), true, vertices);
}

}  // namespace outcore::evolving
