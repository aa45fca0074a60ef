// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "common/error.h"
#include "common/named.h"
#include "storage/formats/counted_text.h"
#include "storage/formats/import.h"

namespace outcore {

namespace {

// Row and column; both start at 1.
template <typename Edge>
bool read_ends(LineCursor& line, Edge& edge, std::uint64_t rows, bool symmetric) {
  if (!line.id(edge.source, 1, rows)) return false;
  const char* const column = line.word();
  if (!line.id(edge.target, 1, rows)) return false;
  if (!symmetric || edge.target <= edge.source) return true;
  return line.refuse(column, fmt::format("a column up to {}: a symmetric matrix is stored as its "
                                         "lower triangle",
                                         edge.source));
}

struct PatternLine {
  using Record = TextEdge;
  std::uint64_t rows = 0;
  bool symmetric = false;

  LineKind parse(LineCursor& line, TextEdge& edge) const {
    if (line.front() == '%') return LineKind::nothing;
    return read_ends(line, edge, rows, symmetric) && line.end() ? LineKind::record
                                                                : LineKind::refused;
  }
};

struct ValueLine {
  using Record = WeightedTextEdge;
  std::uint64_t rows = 0;
  bool symmetric = false;

  LineKind parse(LineCursor& line, WeightedTextEdge& edge) const {
    if (line.front() == '%') return LineKind::nothing;
    return read_ends(line, edge, rows, symmetric) && line.weight(edge.weight) && line.end()
               ? LineKind::record
               : LineKind::refused;
  }
};

struct Banner {
  bool pattern = false;
  bool symmetric = false;
};

// "%%MatrixMarket matrix coordinate real general", in any case.
Banner read_banner(HeaderLines& header, const std::filesystem::path& file) {
  std::string text;
  header.next(text);
  std::istringstream words(lower_case(text));
  std::string banner, object, format, field, symmetry, more;
  words >> banner >> object >> format >> field >> symmetry;
  const bool known_field = field == "pattern" || field == "real" || field == "integer";
  const bool known_symmetry = symmetry == "general" || symmetry == "symmetric";
  if (banner != "%%matrixmarket" || object != "matrix" || format != "coordinate" || !known_field ||
      !known_symmetry || words >> more) {
    throw bad_input(
        Place::line(file, 1), fmt::format("'{}'", text.substr(0, 80)),
        "'%%MatrixMarket matrix coordinate FIELD SYMMETRY', where FIELD is pattern, real "
        "or integer, and SYMMETRY general or symmetric");
  }
  return {field == "pattern", symmetry == "symmetric"};
}

CountedText read_sizes(HeaderLines& header, const std::filesystem::path& file) {
  constexpr const char* kSizes = "'ROWS COLUMNS ENTRIES'";
  for (std::string text; header.next(text);) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos || text[begin] == '%') continue;
    const auto numbers = header_numbers(text, 3, kSizes, header, file);
    if (numbers[0] != numbers[1]) {
      throw bad_input(Place::line(file, header.lines()),
                      fmt::format("{} rows and {} columns", numbers[0], numbers[1]),
                      "a square matrix: rows and columns are the same vertices");
    }
    return counted_text(numbers[0], numbers[2], header, file);
  }
  throw bad_input(Place::file(file), "the end of the file", kSizes);
}

}  // namespace

void import_mtx(ImportJob& job) {
  HeaderLines header(*job.source);
  const Banner banner = read_banner(header, job.file);
  const CountedText counts = read_sizes(header, job.file);
  if (banner.symmetric) job.build.edges = Edges::mirrored;
  if (banner.pattern) {
    import_counted_text(job, counts, PatternLine{counts.vertices, banner.symmetric});
  } else {
    import_counted_text(job, counts, ValueLine{counts.vertices, banner.symmetric});
  }
}

}  // namespace outcore
