// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/import.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/verbs.h"
#include "common/error.h"
#include "common/sizes.h"
#include "storage/formats/formats.h"

namespace outcore {

namespace {

struct ImportArgs : ImportOptions {
  std::string file;
  std::string folder;
  std::string memory_text = "1G";
};

void run(ImportArgs& args) {
  args.memory = parse_size(args.memory_text, "--memory");
  if (args.memory < kLeastSortMemory) {
    throw usage_error(
        fmt::format("--memory {}: at least {}", args.memory_text, human_size(kLeastSortMemory)));
  }
  import_graph(args.file, args.folder, args);
}

}  // namespace

void add_import(CLI::App& app) {
  const auto args = std::make_shared<ImportArgs>();
  CLI::App* import = app.add_subcommand("import", "Make a graph from a file of edges");
  import->add_option("file", args->file, "File of edges, or a pipe; -: standard input")->required();
  import->add_option("graph", args->folder, "Folder of the new graph")->required();
  import->add_option("--format", args->format, "auto, or one of those below")
      ->capture_default_str();
  import->add_flag("--symmetric", args->symmetric, "Store each edge in both directions");
  import->add_flag("--symmetrised", args->symmetrised,
                   "The file has both directions of each edge already");
  import->add_flag("--drop-loops", args->drop_loops, "Leave out edges from a vertex to itself");
  import->add_flag("--drop-duplicates", args->drop_duplicates, "Keep one of equal edges");
  import
      ->add_option("--memory", args->memory_text,
                   "Most memory to use; less than 40M bounds the sort alone")
      ->capture_default_str();
  import->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  import->add_flag("--force", args->force, "Replace an existing graph");
  import->footer(
      "Example: outcore import soc-pokec.txt.gz graphs/pokec --symmetric\n"
      "         my-generator | outcore import - graphs/mine --format el\nFormats:" +
      list_formats(FormatUse::import) +
      "\nauto goes by the name's ending, else takes text as snap. Text and pairs (snap to pairs32, "
      "mtx, gr,\ngraphalytics) are also read from .gz and .zst; all of these but graphalytics from "
      "pipes, which are\ndecompressed when they begin as gzip or zstd data do. A pipe is read "
      "once: its text ids must be such\nas are kept.\n"
      "Text ids are kept when the greatest is less than twice the number of edges;\n"
      "otherwise they are numbered in ascending order and kept in the graph's 'ids'. mtx and gr "
      "number from 1.\n"
      "Of parallel edges, --drop-duplicates keeps the one of least weight.");
  import->callback([args] { run(*args);
});
}  // namespace outcore

}  // namespace outcore
