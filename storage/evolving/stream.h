// SPDX-License-Identifier: Apache-2.0
// Streams of updates, read from files and pipes, compressed or not (storage/formats/byte_source.h):
//
//   pairs32  raw little-endian u32 pairs, each an edge that is added
//   text     a line an update: "u v" or "+ u v" adds an edge, "- u v" removes one copy of it. What
//            follows after blanks (a time, a weight) is ignored; lines that begin with # or % are
//            comments
//   ocs      pages of the edge log, as 'outcore stream' writes them (stream_pages.h)
//   tel32    raw little-endian u32 triples (source, target, time), by time (timed_edges.h)
//   graphlog gfe_driver's, with insertions and removals (graphlog.h)
//
// Of a pipe updates are handed on as they come.
//
// Vertices keep their numbers. Anything else is bad_input with file and line or offset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

// Where the updates of a stream go. The reader writes them to where they are wanted.
class UpdateSink {
 public:
  virtual ~UpdateSink() = default;
  // At most `most` places, at least one. append() takes the first `count` of them.
  virtual std::span<LogEdge> room(std::uint64_t most) = 0;
  virtual void append(std::uint64_t count) = 0;
};

struct StreamOptions {
  std::string format =
      "auto";  // by how the name ends (without .gz, .zst); pairs32 if it does not tell
  unsigned threads = 1;
  std::uint64_t at_once = std::uint64_t{1} << 22;  // updates that are handed on together
};

// Without "auto".
const std::vector<std::string>& stream_formats();

// `path` "-" is standard input. What was read before an error has been handed on.
void read_stream(const std::filesystem::path& path, const StreamOptions& options, UpdateSink& sink);

}  // namespace outcore::evolving
