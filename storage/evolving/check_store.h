// SPDX-License-Identifier: Apache-2.0
// Checks a snapshot against its stream, which is read again and applied the slow way: all updates
// are sorted by edge, in the order of arrival, and each edge's copies are counted. The store's
// lists are not used for that. Memory: 16 bytes an update.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/error.h"
#include "common/hash.h"
#include "storage/evolving/snapshot.h"
#include "storage/evolving/stream.h"

namespace outcore::evolving {

// Equal for equal multisets of edges, whatever their order.
struct EdgeDigest {
  std::uint64_t edges = 0;
  std::uint64_t sum = 0;
  void add(VertexId source, VertexId target, std::uint64_t copies = 1) {
    edges += copies;
    sum += mix(std::uint64_t{source} << 32 | target) * copies;
  }
  friend bool operator==(const EdgeDigest&, const EdgeDigest&) = default;
};

// What the first `updates` updates of a stream leave. In a symmetric store each edge stands at both
// ends. Throws Error (wrong_answer) if the stream has fewer.
struct StreamEffect {
  EdgeDigest digest;
  std::uint64_t missed = 0;  // removals of edges that were not there
};
StreamEffect effect_of_stream(const std::filesystem::path& stream, const StreamOptions& options,
                              std::uint64_t updates, bool symmetric);

// Says that lists hold something else than their stream says.
Error differs_from_stream(const std::string& what, std::uint64_t found, std::uint64_t expected);

struct CheckedStore {
  std::uint64_t edges = 0;            // that stand
  std::uint64_t removals_missed = 0;  // of edges that were not there
};

// Throws Error (wrong_answer) that says what differs: out-lists, in-lists, degrees, counts.
// REQUIRES: the snapshot is prepared.
CheckedStore check_store(const Snapshot& snapshot, const std::filesystem::path& stream,
                         const StreamOptions& options);

}  // namespace outcore::evolving
