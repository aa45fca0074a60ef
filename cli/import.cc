// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/import.h"

#include <memory>
#include <string>

#include "cli/graph_building.h"
#include "cli/verbs.h"
#include "common/stopwatch.h"
#include "storage/formats/formats.h"

namespace outcore {

namespace {

struct ImportArgs : ImportOptions {
  std::string file;
  std::string folder;
  std::string memory_text = "1G";
  bool json = false;
};

void run(ImportArgs& args) {
  args.memory = parse_sort_memory(args.memory_text);
  const Stopwatch watch;
  const BuildCounts counts = import_graph(args.file, args.folder, args);
  print_built(args.folder, counts, watch.seconds(), args.json);
}

}  // namespace

void add_import(CLI::App& app) {
  const auto args = std::make_shared<ImportArgs>();
  CLI::App* verb = app.add_subcommand("import", "Make a graph from a file of edges");
  verb->add_option("file", args->file, "File of edges, or a pipe; -: standard input")->required();
  verb->add_option("graph", args->folder, "Folder of the new graph")->required();
  verb->add_option("--format", args->format, "auto, or one of those below")->capture_default_str();
  verb->add_option("--columns", args->columns.columns,
                   "Of a table: the ends of an edge and perhaps its weight, by name or by number: "
                   "src,dst,weight");
  verb->add_flag_function(
      "--header,!--no-header", [args](std::int64_t times) { args->columns.header = times > 0; },
      "A table's first line names its columns, or not; default: as it looks");
  verb->add_option("--ids", args->columns.ids,
                   "number, or string: names such as URLs, in tables and text")
      ->capture_default_str();
  verb->add_flag("--symmetric", args->symmetric,
                 "An undirected graph: each edge in both directions, once, and no loops");
  verb->add_flag("--symmetrised", args->symmetrised,
                 "The file has both directions of each edge already");
  verb->add_flag("--keep-loops", args->keep_loops,
                 "With --symmetric: keep edges from a vertex to itself");
  verb->add_flag("--keep-parallel", args->keep_parallel,
                 "With --symmetric: keep each of several edges between the same ends");
  verb->add_flag("--drop-loops", args->drop_loops,
                 "Without --symmetric: leave out edges from a vertex to itself");
  verb->add_flag("--drop-duplicates", args->drop_duplicates,
                 "Without --symmetric: keep one of equal edges");
  verb->add_option("--memory", args->memory_text,
                   "Most memory to use; less than 40M bounds the sort alone")
      ->capture_default_str();
  verb->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  verb->add_flag("--force", args->force, "Replace an existing graph");
  verb->add_flag("--json", args->json, "Print the counts for programs");
  verb->footer(
      "Example: outcore import soc-pokec.txt.gz graphs/pokec --symmetric\n"
      "         outcore import links.csv graphs/web --columns from,to --ids string\n"
      "         outcore import edges.parquet graphs/mine --columns src,dst,weight\n"
      "         my-generator | outcore import - graphs/mine --format el\nFormats:" +
      list_formats(FormatUse::import) +
      "\nauto goes by the name's ending, else by the first line: a table where it has commas, or "
      "names between\ntabs, else snap. Of a table --columns chooses the ends and the weight; else "
      "those called source and\ntarget (src and dst, from and to) and weight are taken, else the "
      "first two. A first line without\nnumbers is the header; with --ids string every first line "
      "is, but for --no-header.\n"
      "Text, tables and pairs (csv, tsv, snap, el, wel, pairs32, mtx, gr, graphalytics) are also "
      "read from .gz\nand .zst; all of these but graphalytics from pipes, which are decompressed "
      "when they begin as gzip\nor zstd data do. A pipe is read once: numbers in it must be such "
      "as "
      "are kept.\n"
      "Numbers are kept when the greatest is less than twice the number of edges;\n"
      "otherwise they are numbered in ascending order and kept in the graph's 'ids'. mtx and gr "
      "number from 1.\n"
      "Of several edges between the same ends the one of least weight is kept. The last line "
      "printed\nsays how many edges were read, how many were loops or met again, and what is "
      "stored.");
  verb->callback([args] { run(*args); });
}

}  // namespace outcore
