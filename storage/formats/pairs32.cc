// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/progress.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"

namespace outcore {

void import_pairs32(ImportJob& job) {
  constexpr std::uint64_t kPairBytes = 2 * sizeof(VertexId);
  constexpr std::uint64_t kWindowPairs = std::uint64_t{1} << 18;
  const std::uint64_t bytes = job.file.size();
  if (bytes % kPairBytes != 0) {
    throw bad_input(Place::offset(job.file.path(), bytes - bytes % kPairBytes),
                    fmt::format("{} bytes at the end", bytes % kPairBytes),
                    "pairs of 8 bytes (was the file cut?)");
  }
  ContainerBuilder builder(job.folder, job.build);
  Progress progress("importing", bytes / kPairBytes, "edges");
  std::vector<VertexId> window;
  std::vector<Edge> batch;
  VertexId greatest = 0;
  for (std::uint64_t first = 0; first < bytes / kPairBytes; first += kWindowPairs) {
    window.resize(2 * std::min(kWindowPairs, bytes / kPairBytes - first));
    job.file.read(std::as_writable_bytes(std::span(window)), first * kPairBytes);
    batch.clear();
    for (std::size_t i = 0; i < window.size(); i += 2) {
      batch.emplace_back(window[i], window[i + 1]);
    }
    const auto most = std::max_element(window.begin(), window.end());
    if (*most == kNoVertex) {
      const auto at = static_cast<std::uint64_t>(most - window.begin());
      throw bad_input(Place::offset(job.file.path(), first * kPairBytes + at * sizeof(VertexId)),
                      fmt::format("vertex {}", kNoVertex),
                      fmt::format("a vertex id (0 to {})", kNoVertex - 1));
    }
    greatest = std::max(greatest, *most);
    builder.add(batch);
    progress.add(batch.size());
  }
  builder.finish(greatest + 1);
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
