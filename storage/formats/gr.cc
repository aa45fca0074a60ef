// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"
#include "storage/formats/counted_text.h"
#include "storage/formats/import.h"

namespace outcore {

namespace {

constexpr const char* kProblem = "'p sp VERTICES ARCS'";

struct GrLine {
  using Record = WeightedTextEdge;
  std::uint64_t vertices = 0;

  LineKind parse(LineCursor& line, WeightedTextEdge& edge) const {
    if (line.front() == 'c') return LineKind::nothing;
    if (line.front() != 'a') {
      line.refuse_word("an arc (a FROM TO WEIGHT) or a comment (c)");
      return LineKind::refused;
    }
    line.skip(1);
    return line.id(edge.source, 1, vertices) && line.id(edge.target, 1, vertices) &&
                   line.weight(edge.weight) && line.end()
               ? LineKind::record
               : LineKind::refused;
  }
};

}  // namespace

void import_gr(ImportJob& job) {
  HeaderLines header(*job.source);
  for (std::string text; header.next(text);) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos || text[begin] == 'c') continue;
    if (text.compare(begin, 4, "p sp") != 0) {
      throw bad_input(Place::line(job.file, header.lines()),
                      fmt::format("'{}'", text.substr(begin, 40)), kProblem);
    }
    const auto numbers = header_numbers(text.substr(begin + 4), 2, kProblem, header, job.file);
    const CountedText counts = counted_text(numbers[0], numbers[1], header, job.file);
    import_counted_text(job, counts, GrLine{counts.vertices});
    return;
  }
  throw bad_input(Place::file(job.file), "the end of the file", kProblem);
}

}  // namespace outcore
