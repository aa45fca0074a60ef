// SPDX-License-Identifier: Apache-2.0
// Parquet and Arrow: a Python program reads the columns batch by batch and sends them through a
// pipe, numeric ids as raw records, names as CSV.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/formats/field_lines.h"
#include "storage/formats/import.h"
#include "storage/formats/piece_reader.h"
#include "storage/formats/python.h"

namespace outcore {

namespace {

// Arguments: path, format. Prints the columns' names as JSON.
const char* const kColumns = R"(
import json, sys
try:
    import pyarrow.dataset
except ImportError:
    sys.exit(77)
path, form = sys.argv[1:]
try:
    print(json.dumps(pyarrow.dataset.dataset(path, format=form).schema.names))
except Exception as error:
    sys.exit(" ".join(str(error).split()))
)";

// Arguments: path, format, "number" or "string", the columns. Writes the edges: an id is a u64, a
// weight a float32, both little-endian.
const char* const kEdges = R"(
import sys
try:
    import numpy
    import pyarrow
    import pyarrow.csv
    import pyarrow.dataset
except ImportError:
    sys.exit(77)
path, form, ids, *names = sys.argv[1:]
end = pyarrow.uint64() if ids == "number" else pyarrow.string()
types = [end, end, pyarrow.float32()][: len(names)]
parts = numpy.dtype([("s", "<u8"), ("t", "<u8"), ("w", "<f4")][: len(names)])
schema = pyarrow.schema(list(zip("stw", types)))
bare = pyarrow.csv.WriteOptions(include_header=False)
most = 1 << 17
room = numpy.empty(most, parts)  # of all batches: fresh memory would cost a page fault each 4 KB
rows = 0

def column(batch, at):
    found = batch.column(at)
    if found.null_count:
        sys.exit(f"column '{names[at]}' has empty cells; expected a value in each row")
    try:
        return found.cast(types[at])
    except pyarrow.ArrowException as error:
        said = " ".join(str(error).split())
        advice = "; --ids string takes names" if at < 2 and ids == "number" else ""
        sys.exit(f"column '{names[at]}', rows from {rows}: {said}{advice}")

try:
    table = pyarrow.dataset.dataset(path, format=form)
    for batch in table.to_batches(columns=names, batch_size=most):
        columns = [column(batch, at) for at in range(len(names))]
        rows += batch.num_rows
        if ids == "number":
            edges = room[: batch.num_rows]
            for name, values in zip(parts.names, columns):
                edges[name] = values.to_numpy(zero_copy_only=False)
            sys.stdout.buffer.write(edges)
        else:
            named = pyarrow.RecordBatch.from_arrays(columns, schema=schema)
            pyarrow.csv.write_csv(named, sys.stdout.buffer, bare)
    sys.stdout.buffer.flush()
except BrokenPipeError:
    sys.exit("the edges were not read to the end")
except (pyarrow.ArrowException, OSError) as error:
    sys.exit(" ".join(str(error).split()))
)";

std::vector<std::string> read_columns(const std::filesystem::path& file, const char* form) {
  ChildProcess child(python_command(kColumns, {file.string(), form}));
  const auto source = open_pipe(child.take_output(), file);
  HeaderLines lines(*source);
  std::string names;
  lines.next(names);
  check_python(child.wait(), file);
  return nlohmann::json::parse(names).get<std::vector<std::string>>();
}

// Parses the records that kEdges writes.
template <typename Edge>
void parse_records(std::string_view bytes, std::vector<Edge>& edges) {
  constexpr bool kWeighted = std::is_same_v<Edge, WeightedTextEdge>;
  constexpr std::size_t kEnds = 2 * sizeof(std::uint64_t);
  constexpr std::size_t kBytes = kEnds + (kWeighted ? sizeof(float) : 0);
  edges.resize(bytes.size() / kBytes);  // of one that was cut off, check_python tells
  const char* at = bytes.data();
  for (Edge& edge : edges) {
    std::memcpy(&edge.source, at, sizeof edge.source);
    std::memcpy(&edge.target, at + sizeof edge.source, sizeof edge.target);
    if constexpr (kWeighted) std::memcpy(&edge.weight, at + kEnds, sizeof edge.weight);
    at += kBytes;
  }
}

template <typename Edge>
void refuse_records(const std::filesystem::path& file, std::span<const Edge> edges) {
  for (const Edge& edge : edges) {
    if (std::max(edge.source, edge.target) > kGreatestTextId) {
      throw bad_input(Place::file(file), fmt::format("vertex {}", kGreatestTextId + 1),
                      fmt::format("a vertex id (0 to {})", kGreatestTextId));
    }
    if constexpr (std::is_same_v<Edge, WeightedTextEdge>) {
      if (std::isfinite(edge.weight)) continue;
      throw bad_input(Place::file(file), fmt::format("weight {}", edge.weight), "a finite number");
    }
  }
}

// Runs the program that sends edges, a new one for each pass.
class ColumnarEdges {
 public:
  ColumnarEdges(ImportJob& job, const char* form)
      : job_(job), command_{job.file.string(), form, job.columns.ids} {
    const std::vector<std::string> names = read_columns(job.file, form);
    const EdgeColumns columns = choose_columns(names, job.columns, Place::file(job.file));
    command_.insert(command_.end(), {names[columns.source], names[columns.target]});
    if (columns.weight) command_.push_back(names[*columns.weight]);
    weighted_ = columns.weight.has_value();
  }

  [[nodiscard]] bool weighted() const { return weighted_; }
  std::unique_ptr<ByteSource> open() {
    child_ = std::make_unique<ChildProcess>(python_command(kEdges, command_));
    return open_pipe(child_->take_output(), job_.file);
  }

  template <typename Edge, typename Sink>
  void read_numbers(ByteSource& source, const char* progress, const Sink& sink) {
    constexpr std::size_t kBytes = std::is_same_v<Edge, TextEdge> ? 16 : 20;
    const PieceSettings settings{.source = source,
                                 .threads = job_.build.threads,
                                 .record_bytes = kBytes,
                                 .progress = progress};
    std::vector<std::vector<Edge>> parsed(piece_slots(settings));
    read_pieces(
        settings,
        [&](std::size_t slot, const FilePiece& piece) { parse_records(piece.text, parsed[slot]); },
        [&](std::size_t slot) {
          refuse_records(job_.file, std::span<const Edge>(parsed[slot]));
          sink(parsed[slot]);
        });
    check_python(child_->wait(), job_.file);
  }
  template <typename Edge, typename Sink>
  void read_names(ByteSource& source, const char* progress, const Sink& sink) {
    const EdgeColumns columns{0, 1, weighted_ ? std::optional<std::size_t>(2) : std::nullopt};
    read_lines({.source = source, .threads = job_.build.threads, .progress = progress},
               FieldLine<Edge>{',', columns}, sink);
    check_python(child_->wait(), job_.file);
  }

 private:
  ImportJob& job_;
  std::vector<std::string> command_;
  bool weighted_ = false;
  std::unique_ptr<ChildProcess> child_;
};

template <typename Numbered, typename Named>
void import_table(ImportJob& job, ColumnarEdges& edges) {
  if (job.columns.named()) {
    import_named_edges<Named>(job, [&](ByteSource& source, const char* what, const auto& sink) {
      edges.read_names<Named>(source, what, sink);
    });
  } else {
    import_numbered_edges<Numbered>(job,
                                    [&](ByteSource& source, const char* what, const auto& sink) {
                                      edges.read_numbers<Numbered>(source, what, sink);
                                    });
  }
}

void import_columnar(ImportJob& job, const char* form) {
  if (job.columns.header) throw usage_error("--header: the columns of this format have names");
  ColumnarEdges edges(job, form);
  job.notes_input = false;
  job.open_again = [&edges] { return edges.open(); };
  job.source = edges.open();
  if (edges.weighted()) {
    import_table<WeightedTextEdge, WeightedNamedEdge>(job, edges);
  } else {
    import_table<TextEdge, NamedEdge>(job, edges);
  }
}

}  // namespace

void import_parquet(ImportJob& job) { import_columnar(job, "parquet"); }
void import_arrow(ImportJob& job) { import_columnar(job, "ipc"); }

}  // namespace outcore
