// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/check_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/executor.h"

namespace outcore::evolving {

namespace {

// One end of an update: the edge, and its place in the stream with the removal in the lowest bit.
struct Numbered {
  std::uint64_t edge;
  std::uint64_t number;
  friend bool operator<(const Numbered& a, const Numbered& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.number < b.number;
  }
};

// Keeps the first updates of a stream.
class FirstUpdates : public UpdateSink {
 public:
  FirstUpdates(std::uint64_t wanted, bool symmetric) : wanted_(wanted), symmetric_(symmetric) {}
  std::span<LogEdge> room(std::uint64_t most) override {
    room_.resize(std::min<std::uint64_t>(most, std::uint64_t{1} << 20));
    return room_;
  }
  void append(std::uint64_t count) override {
    for (std::uint64_t i = 0; i < count && read_ < wanted_; ++i, ++read_) add(as_update(room_[i]));
  }
  [[nodiscard]] std::uint64_t read() const { return read_; }
  std::vector<Numbered>& updates() { return updates_; }

 private:
  void add(const Update& update) {
    const std::uint64_t number = read_ << 1 | (update.removes ? 1 : 0);
    updates_.push_back({std::uint64_t{update.source} << 32 | update.target, number});
    if (symmetric_ && update.source != update.target)
      updates_.push_back({std::uint64_t{update.target} << 32 | update.source, number});
  }
  std::uint64_t wanted_;
  bool symmetric_;
  std::uint64_t read_ = 0;
  std::vector<LogEdge> room_;
  std::vector<Numbered> updates_;
};

StreamEffect effect_of(std::vector<Numbered>& updates, bool symmetric) {
  std::sort(updates.begin(), updates.end());
  StreamEffect expected;
  for (std::size_t i = 0; i < updates.size();) {
    const std::uint64_t edge = updates[i].edge;
    // A symmetric store has each removal at both ends; it is counted where the source is less.
    const bool counts = !symmetric || edge >> 32 <= (edge & 0xffffffffU);
    std::uint64_t copies = 0;
    for (; i < updates.size() && updates[i].edge == edge; ++i) {
      const bool removal = (updates[i].number & 1) != 0;
      if (removal && copies == 0 && counts) ++expected.missed;
      copies += removal ? (copies > 0 ? -std::uint64_t{1} : 0) : 1;
    }
    expected.digest.add(static_cast<VertexId>(edge >> 32), static_cast<VertexId>(edge), copies);
  }
  return expected;
}

EdgeDigest digest_of(const Snapshot& snapshot, Direction direction, std::uint64_t& degrees) {
  EdgeDigest digest;
  ListReader reader(snapshot);
  degrees = 0;
  for (VertexId v = 0; v < snapshot.vertices(); ++v) {
    degrees += snapshot.degree(direction, v);
    reader.for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
      for (const VertexId u : piece)
        digest.add(direction == Direction::out ? v : u, direction == Direction::out ? u : v);
    });
  }
  return digest;
}

}  // namespace

Error differs_from_stream(const std::string& what, std::uint64_t found, std::uint64_t expected) {
  return {
      ExitCode::wrong_answer,
      fmt::format("the store differs from its stream: {} {}, expected {}", what, found, expected)};
}

StreamEffect effect_of_stream(const std::filesystem::path& stream, const StreamOptions& options,
                              std::uint64_t updates, bool symmetric) {
  FirstUpdates first(updates, symmetric);
  read_stream(stream, options, first);
  if (first.read() < updates) throw differs_from_stream("updates", updates, first.read());
  return effect_of(first.updates(), symmetric);
}

CheckedStore check_store(const Snapshot& snapshot, const std::filesystem::path& stream,
                         const StreamOptions& options) {
  const StreamEffect expected =
      effect_of_stream(stream, options, snapshot.updates(), snapshot.symmetric());
  for (const Direction direction : {Direction::out, Direction::in}) {
    const std::string lists = direction == Direction::out ? "out-lists" : "in-lists";
    std::uint64_t degrees = 0;
    const EdgeDigest digest = digest_of(snapshot, direction, degrees);
    if (digest.edges != expected.digest.edges)
      throw differs_from_stream("edges in " + lists, digest.edges, expected.digest.edges);
    if (degrees != digest.edges)
      throw differs_from_stream("degrees of " + lists, degrees, digest.edges);
    if (digest != expected.digest)
      throw differs_from_stream("digest of " + lists, digest.sum, expected.digest.sum);
  }
  if (snapshot.removals_missed() != expected.missed) {
    throw differs_from_stream("removals of edges that were not there", snapshot.removals_missed(),
                              expected.missed);
  }
  return {expected.digest.edges, expected.missed};
}

}  // namespace outcore::evolving
