// SPDX-License-Identifier: Apache-2.0
// What writers and readers of a run's files share (run.h has the format).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "common/ids.h"
#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/disk_stream.h"
#include "storage/evolving/durable/run.h"
#include "storage/layout/parts.h"
#include "storage/layout/pieces.h"

namespace outcore::evolving {

inline constexpr std::uint32_t kRunBlockBytes = 4096;
// Of a block.
inline std::uint32_t slots_of(const Run& run) { return kRunBlockBytes / run.slot_bytes(); }
// How its coded lists are written.
inline PieceFormat format_of(const Run& run) {
  return {codec_part(run.codec), /*weighted=*/false, kRunBlockBytes};
}
// In a newer run. The room takes a piece of one id of any codec.
inline constexpr std::uint64_t kLeastCoded = 4;
inline constexpr std::uint32_t kLeastRoomOfCode = 16;

// As in out.tombstones.
struct Tombstone {
  VertexId vertex = 0;
  VertexId neighbour = 0;
  std::uint32_t count = 0;
};

inline std::string file_of_run(const Run& run, const std::string& file) {
  return run.name + "/" + file;
}

// The names of a direction's files begin with it.
inline std::string prefix_of(Direction direction) {
  return direction == Direction::out ? "out" : "in";
}

// The run's layout.json. Throws bad_input unless it is the one that the store's manifest names.
nlohmann::json read_run_manifest(Disk& disk, const Run& run);
// What it says of the run's files.
nlohmann::json files_of_run(Disk& disk, const Run& run);
// A file of the run, with what `files` says of it.
DiskReader open_file_of_run(Disk& disk, const Run& run, const std::string& file,
                            const nlohmann::json& files);

}  // namespace outcore::evolving
