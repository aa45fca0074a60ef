// SPDX-License-Identifier: Apache-2.0
// The canonical lists of what stands after some updates, for verifiers: sorted, and made the slow
// way. All updates are sorted by edge, in the order of arrival, and each edge's copies are counted.
// Nothing of the store in memory is used. Memory: 16 bytes an update, and the lists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "storage/container/container.h"
#include "storage/evolving/stream.h"
#include "storage/evolving/update.h"

namespace outcore::evolving {

class CanonicalLists {
 public:
  // `symmetric`: each edge that stands is at both ends, a loop once.
  explicit CanonicalLists(bool symmetric) : symmetric_(symmetric) {}

  void add(const Update& update);
  // REQUIRES: all ids are below `vertices`. Then nothing is added any more.
  void finish(VertexId vertices);
  [[nodiscard]] CsrView csr(Direction direction) const;

 private:
  // An edge, and its place in the stream with the removal in the lowest bit.
  struct Numbered {
    std::uint64_t edge;
    std::uint64_t number;
  };
  struct Lists {
    std::vector<EdgeIndex> offsets;
    std::vector<VertexId> targets;
  };
  std::vector<std::uint64_t> standing();

  bool symmetric_;
  std::vector<Numbered> numbered_;
  Lists out_;
  Lists in_;  // unless symmetric
};

// Those of the first `prefix` updates of a durable store, from its runs as they are merged on the
// disk, and from its log. REQUIRES: the runs hold no more.
CanonicalLists canonical_lists_of_store(const std::filesystem::path& store, std::uint64_t prefix,
                                        bool symmetric, VertexId vertices);
// Those of a store in persistent memory, from the entries of its chains and buffers as they lie,
// each list from its oldest entry. REQUIRES: `symmetric` if its lists are. Throws a usage Error if
// it has not `prefix` updates.
CanonicalLists canonical_lists_of_pmem_store(const std::filesystem::path& store,
                                             std::uint64_t prefix, bool symmetric,
                                             VertexId vertices);
// Those of the first `prefix` updates of a stream. Throws Error (wrong_answer) if it has fewer, or
// an id that is not below `vertices`.
CanonicalLists canonical_lists_of_stream(const std::filesystem::path& stream,
                                         const StreamOptions& options, std::uint64_t prefix,
                                         bool symmetric, VertexId vertices);
// The same of a stream that says nothing of directions: a removal of u v takes a copy of v u too,
// as in a store in memory with lists=symmetric. Each edge is at both ends.
CanonicalLists canonical_lists_of_undirected_stream(const std::filesystem::path& stream,
                                                    const StreamOptions& options,
                                                    std::uint64_t prefix, VertexId vertices);

}  // namespace outcore::evolving
