// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "common/error.h"
#include "common/progress.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/formats/piece_reader.h"

namespace outcore {

namespace {

constexpr std::size_t kPairBytes = 2 * sizeof(VertexId);

// A piece's pairs, and what is wrong with them.
struct ParsedPairs {
  std::vector<Edge> edges;
  VertexId greatest = 0;
  std::optional<std::uint64_t> wrong;  // offset of a vertex that is too large
  std::optional<std::uint64_t> cut;    // offset of an incomplete pair
  std::size_t rest = 0;                // bytes of that pair

  void parse(const FilePiece& piece) {
    rest = piece.text.size() % kPairBytes;
    if (rest > 0) cut = piece.offset + piece.text.size() - rest;
    edges.resize(piece.text.size() / kPairBytes);
    greatest = 0;
    const char* at = piece.text.data();
    for (Edge& edge : edges) {
      std::memcpy(&edge.first, at, sizeof(VertexId));
      std::memcpy(&edge.second, at + sizeof(VertexId), sizeof(VertexId));
      at += kPairBytes;
      greatest = std::max({greatest, edge.first, edge.second});
    }
    if (greatest < kMostVertices) return;
    const auto found = std::find_if(edges.begin(), edges.end(), [](const Edge& edge) {
      return std::max(edge.first, edge.second) >= kMostVertices;
    });
    const auto pairs_before = static_cast<std::uint64_t>(found - edges.begin());
    wrong = piece.offset + pairs_before * kPairBytes +
            (found->first >= kMostVertices ? 0 : sizeof(VertexId));
    greatest = found->first >= kMostVertices ? found->first : found->second;
  }

  void refuse(const std::filesystem::path& file) const {
    if (wrong) {
      throw bad_input(Place::offset(file, *wrong), fmt::format("vertex {}", greatest),
                      fmt::format("a vertex id (0 to {})", kMostVertices - 1));
    }
    if (cut) {
      throw bad_input(Place::offset(file, *cut), fmt::format("{} bytes at the end", rest),
                      "pairs of 8 bytes (was the file cut?)");
    }
  }
};

}  // namespace

void import_pairs32(ImportJob& job) {
  ContainerBuilder builder(job.folder, job.build);
  const PieceSettings settings{.source = *job.source,
                               .threads = job.build.threads,
                               .record_bytes = kPairBytes,
                               .progress = "importing"};
  std::vector<ParsedPairs> parsed(piece_slots(settings));
  VertexId greatest = 0;
  std::uint64_t count = 0;
  read_pieces(
      settings, [&](std::size_t slot, const FilePiece& piece) { parsed[slot].parse(piece); },
      [&](std::size_t slot) {
        parsed[slot].refuse(job.file);
        greatest = std::max(greatest, parsed[slot].greatest);
        count += parsed[slot].edges.size();
        builder.add(parsed[slot].edges);
      });
  if (count == 0) throw no_edges(job.file);
  job.note_input(builder, *job.source);
  job.counts = builder.finish(greatest + 1);
}

void export_pairs32(ExportJob& job) {
  Progress progress("exporting", job.out.edges(), "edges");
  for (VertexId v = 0; v < job.out.vertices(); ++v) {
    for (const VertexId target : job.out.list(v)) {
      job.file.put(v);
      job.file.put(target);
    }
    progress.add(job.out.degree(v));
  }
}

}  // namespace outcore
