// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/progress.h"
#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/formats/text_edges.h"

namespace outcore {

namespace {

// The ids that occur, ascending.
std::vector<std::uint64_t> distinct_ids(const File& file, unsigned threads) {
  std::vector<std::uint64_t> ids;
  std::size_t sorted = 0;  // ids before this are ascending and distinct
  const auto settle = [&] {
    const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(sorted);
    std::sort(middle, ids.end());
    std::inplace_merge(ids.begin(), middle, ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    sorted = ids.size();
  };
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  read_text_edges(file, threads, "collecting ids", [&](std::span<const TextEdge> edges) {
    for (const auto& [source, target] : edges) {
      ids.push_back(source);
      ids.push_back(target);
      if (ids.size() - sorted >= std::max(kLeast, sorted)) settle();
    }
  });
  settle();
  return ids;
}

void import_renumbered(ImportJob& job) {
  ContainerBuilder builder(job.folder, job.build);
  const std::vector<std::uint64_t> ids = distinct_ids(job.file, job.build.threads);
  if (ids.size() >= kNoVertex) {
    throw bad_input(Place::file(job.file.path()), fmt::format("{} vertices", ids.size()),
                    fmt::format("at most {}", kNoVertex - 1));
  }
  const auto number_of = [&](std::uint64_t id) {
    return static_cast<VertexId>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  };
  [[maybe_unused]] const int team = static_cast<int>(job.build.threads);  // unused without OpenMP
  std::vector<Edge> batch;
  read_text_edges(job.file, job.build.threads, "importing", [&](std::span<const TextEdge> edges) {
    batch.resize(edges.size());
#pragma omp parallel for num_threads(team) schedule(static)
    for (std::size_t i = 0; i < edges.size(); ++i) {
      batch[i] = {number_of(edges[i].first), number_of(edges[i].second)};
    }
    builder.add(batch);
  });
  builder.finish(static_cast<VertexId>(ids.size()), ids);
}

}  // namespace

// Most files keep their ids, so the first pass already builds with them; it is given up when they
// turn out to be sparse.
void import_snap(ImportJob& job) {
  std::optional<ContainerBuilder> builder(std::in_place, job.folder, job.build);
  std::uint64_t greatest = 0;
  std::uint64_t count = 0;
  std::vector<Edge> batch;
  read_text_edges(job.file, job.build.threads, "importing", [&](std::span<const TextEdge> edges) {
    count += edges.size();
    for (const auto& [source, target] : edges) {
      greatest = std::max({greatest, source, target});
    }
    if (greatest >= kNoVertex) return;
    batch.clear();
    for (const auto& [source, target] : edges) {
      batch.emplace_back(static_cast<VertexId>(source), static_cast<VertexId>(target));
    }
    builder->add(batch);
  });
  if (count == 0) {
    throw bad_input(Place::file(job.file.path()), "no edges", "at least one edge");
  }
  if (greatest < 2 * count && greatest < kNoVertex) {
    builder->finish(static_cast<VertexId>(greatest + 1));
    return;
  }
  builder.reset();
  import_renumbered(job);
}

void export_snap(ExportJob& job) {
  const std::span<const std::uint64_t> ids = job.container.ids();
  const auto number = [&](VertexId v) { job.file.number(ids.empty() ? v : ids[v]); };
  job.file.text(fmt::format("# Nodes: {} Edges: {}\n# FromNodeId\tToNodeId\n", job.out.vertices(),
                            job.out.edges()));
  Progress progress("exporting", job.out.edges(), "edges");
  for (VertexId v = 0; v < job.out.vertices(); ++v) {
    for (const VertexId target : job.out.list(v)) {
      number(v);
      job.file.text("\t");
      number(target);
      job.file.text("\n");
    }
    progress.add(job.out.degree(v));
  }
}

}  // namespace outcore
