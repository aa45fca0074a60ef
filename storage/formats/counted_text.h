// SPDX-License-Identifier: Apache-2.0
// Text that states its number of vertices and edges before it lists the edges, and numbers vertices
// from 1: DIMACS, MatrixMarket. The stated numbers are checked.
#pragma once

#include <fmt/format.h>

#include "common/error.h"
#include "storage/formats/text_edges.h"

namespace outcore {

struct CountedText {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t header_lines = 0;  // up to the one with the counts
};

// Refuses counts that no graph can have. REQUIRES: `header` has just read the line with the counts.
CountedText counted_text(std::uint64_t vertices, std::uint64_t edges, const HeaderLines& header,
                         const std::filesystem::path& file);
Error wrong_count(const std::filesystem::path& file, const CountedText& counts,
                  const std::string& found);

// The numbers in `text`; throws bad_input at the header's last line unless there are `count`.
std::vector<std::uint64_t> header_numbers(const std::string& text, std::size_t count,
                                          const std::string& expected, const HeaderLines& header,
                                          const std::filesystem::path& file);

// REQUIRES: the grammar refuses ids that are out of range.
template <typename Grammar>
void import_counted_text(ImportJob& job, const CountedText& counts, const Grammar& grammar) {
  using Record = typename Grammar::Record;
  job.build.weighted = std::is_same_v<Record, WeightedTextEdge>;
  ContainerBuilder builder(job.folder, job.build);
  TextEdgeFeed<Record> feed(builder);
  std::uint64_t edges = 0;
  const LineSettings settings{.source = *job.source,
                              .threads = job.build.threads,
                              .progress = "importing",
                              .lines_before = counts.header_lines};
  read_lines(settings, grammar, [&](std::span<const Record> records) {
    edges += records.size();
    if (edges > counts.edges) throw wrong_count(job.file, counts, "more");
    feed.add(records, [](std::uint64_t id) { return static_cast<VertexId>(id - 1); });
  });
  if (edges < counts.edges) throw wrong_count(job.file, counts, fmt::format("only {}", edges));
  job.note_input(builder, *job.source);
  job.counts = builder.finish_from(static_cast<VertexId>(counts.vertices), 1);
}

}  // namespace outcore
