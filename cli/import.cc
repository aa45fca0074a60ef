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
  CLI::App* import = app.add_subcommand("import", "Make a graph from a file of edges");
  import->add_option("file", args->file, "File of edges, or a pipe; - for standard input")
      ->required();
  import->add_option("graph", args->folder, "Folder of the new graph")->required();
  import->add_option("--format", args->format, "auto, or one of those below")
      ->capture_default_str();
  import->add_option(
      "--columns", args->columns.columns,
      "The columns of a table with the ends of an edge and, if wanted, its weight, by name or "
      "number: src,dst,weight");
  import->add_flag_function(
      "--header,!--no-header", [args](std::int64_t times) { args->columns.header = times > 0;
},
      "Whether a table's first line names its columns; default: decided by its content");
import
    ->add_option("--ids", args->columns.ids,
                 "number, or string for names such as URLs in tables and text")
    ->capture_default_str();
import->add_flag("--symmetric", args->symmetric,
                 "Make an undirected graph: each edge once in each direction, no loops");
import->add_flag("--symmetrised", args->symmetrised,
                 "The file already has both directions of each edge");
import->add_flag("--keep-loops", args->keep_loops,
                 "With --symmetric: keep edges from a vertex to itself");
import->add_flag("--keep-parallel", args->keep_parallel,
                 "With --symmetric: keep all of several edges between the same ends");
import->add_flag("--drop-loops", args->drop_loops,
                 "Without --symmetric: leave out edges from a vertex to itself");
import->add_flag("--drop-duplicates", args->drop_duplicates,
                 "Without --symmetric: keep one of equal edges");
import
    ->add_option("--memory", args->memory_text, "Memory limit; below 40M it limits the sort alone")
    ->capture_default_str();
import->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
import->add_flag("--force", args->force, "Replace an existing graph");
import->add_flag("--json", args->json, "Print the counts for programs");
import->footer(
    "Example: outcore import soc-pokec.txt.gz graphs/pokec --symmetric\n"
    "         outcore import links.csv graphs/web --columns from,to --ids string\n"
    "         outcore import edges.parquet graphs/mine --columns src,dst,weight\n"
    "         my-generator | outcore import - graphs/mine --format el\nFormats:" +
    list_formats(FormatUse::import) +
    "\nauto decides by the ending of the file's name, else by the first line: with commas, or with "
    "names\nseparated by tabs, it is a table, else snap. --columns chooses a table's columns; "
    "without it the\ncolumns called source and target (or src and dst, from and to) and weight are "
    "used, else the first\ntwo. The first line is a header if it has no numbers; with --ids string "
    "it always is, unless you\ngive --no-header.\n"
    "Text, tables and pairs (csv, tsv, snap, el, wel, pairs32, mtx, gr, graphalytics) can be "
    "compressed\n(.gz, .zst). All of these but graphalytics can come from a pipe, also gzip or "
    "zstd data. A pipe is\nread only once, so its ids must be numbers that can be kept as they "
    "are.\n"
    "Ids are kept as they are if the largest is less than twice the number of edges. Otherwise "
    "vertices\nare numbered in ascending order, and the file's ids go into the graph's 'ids'. mtx "
    "and gr count from 1.\n"
    "Of several edges between the same ends the one of least weight is kept. The last line "
    "printed says how\nmany edges were read, how many of them were loops or repeated, and what is "
    "stored.");
  import->callback([args] { run(*args);
  }  // namespace outcore
);
}

}  // namespace outcore
