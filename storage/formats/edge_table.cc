// SPDX-License-Identifier: Apache-2.0
// Edges as Parquet. A Python program reads the container's own files (container.h has their format)
// a row group at a time, so nothing grows with the graph. It prints how many edges each row group
// has.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/child_process.h"
#include "common/error.h"
#include "common/files.h"
#include "common/progress.h"
#include "storage/container/hashed_file.h"
#include "storage/formats/byte_source.h"
#include "storage/formats/export.h"
#include "storage/formats/python.h"
#include "storage/formats/text_lines.h"

namespace outcore {

namespace {

namespace fs = std::filesystem;

// Arguments: the job as JSON. Sources repeat, so they have a dictionary; targets do not.
const char* const kWriteEdges = R"(
import json, os, sys
try:
    import numpy
    import pyarrow
    import pyarrow.parquet
except ImportError:
    sys.exit(77)
job = json.loads(sys.argv[1])
kinds = {"source": pyarrow.uint32(), "target": pyarrow.uint32(), "weight": pyarrow.float32()}
names = list(kinds)[: 3 if job["weights"] else 2]
said = {f"outcore.{name}": str(value) for name, value in job["says"].items()}
schema = pyarrow.schema([(name, kinds[name]) for name in names], metadata=said)
offsets = numpy.memmap(job["offsets"], "<u8", mode="r")  # few of its pages are touched
edges, rows = job["edges"], 1 << 20
parts = [os.path.join(job["file"], job["part"].format(i)) for i in range(job["parts"])]
files = parts or [job["file"]]

def sources(first, end):
    low = numpy.searchsorted(offsets, first, side="right") - 1
    high = numpy.searchsorted(offsets, end, side="left")
    ends = numpy.fromfile(job["offsets"], "<u8", high + 1 - low, offset=8 * low).clip(first, end)
    return numpy.repeat(numpy.arange(low, high, dtype="u4"), numpy.diff(ends).astype("i8"))

def group(first, end):
    columns = [sources(first, end)]
    for name, kind in (("targets", "<u4"), ("weights", "<f4"))[: len(names) - 1]:
        columns.append(numpy.fromfile(job[name], kind, end - first, offset=4 * first))
    return pyarrow.record_batch([pyarrow.array(c) for c in columns], schema=schema)

try:
    for at, file in enumerate(files):
        begin, end = (edges * part // len(files) for part in (at, at + 1))
        with pyarrow.parquet.ParquetWriter(file, schema, use_dictionary=["source"]) as writer:
            for first in range(begin, end, rows):
                batch = group(first, min(first + rows, end))
                writer.write_batch(batch, row_group_size=rows)
                print(batch.num_rows, flush=True)
        with open(file, "rb") as written:
            os.fsync(written.fileno())
except (pyarrow.ArrowException, OSError) as error:
    sys.exit(" ".join(str(error).split()))
)";

// The parts of a folder, by their numbers.
constexpr const char* kPart = "part-{:05}.parquet";

// `target` is what the user named, for messages. `parts` 0: `file` is one file, else a folder.
void write_edges(const Container& container, const CsrView& out, const fs::path& file,
                 unsigned parts, const fs::path& target) {
  const GraphFacts& facts = container.facts();
  const fs::path& folder = container.folder();
  const std::string checksum =
      file_entry(container.manifest(), "out.targets", folder / "graph.json").at("hash");
  const nlohmann::json job = {
      {"offsets", (folder / "out.offsets").string()},
      {"targets", (folder / "out.targets").string()},
      {"weights", facts.weighted ? (folder / "out.weights").string() : std::string()},
      {"edges", out.edges()},
      {"says", {{"vertices", out.vertices()}, {"edges", out.edges()}, {"checksum", checksum}}},
      {"file", file.string()},
      {"part", kPart},
      {"parts", parts}};
  ChildProcess child(python_command(kWriteEdges, {job.dump()}));
  const auto written = open_pipe(child.take_output(), target);
  HeaderLines groups(*written);
  Progress progress("exporting", out.edges(), "edges");
  for (std::string edges; groups.next(edges);) progress.add(std::stoull(edges));
  check_python(child.wait(), target);
}

}  // namespace

void export_parquet(ExportJob& job) {
  if (job.target == "-") {
    throw usage_error("a Parquet file is not written to the standard output; name a file");
  }
  write_edges(job.container, job.out, job.file.file().path(), 0, job.target);
}

void export_parts(const Container& container, const CsrView& out, const fs::path& folder,
                  const ExportOptions& options) {
  const std::string manifest = "_parts.json";  // readers of such folders skip names with a dash
  PendingFolder pending(folder, manifest, options.force);
  write_edges(container, out, pending.path(), *options.parts, folder);
  nlohmann::json names = nlohmann::json::object();
  for (unsigned part = 0; part < *options.parts; ++part) {
    names[fmt::format(fmt::runtime(kPart), part)] = nlohmann::json::object();
  }
  write_json_atomically(pending.path() / manifest, {{"version", 1}, {"files", names}});
  pending.commit();
}

}  // namespace outcore
