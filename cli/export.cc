// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/output_paths.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/formats/formats.h"

namespace outcore {

namespace {

namespace fs = std::filesystem;

struct ExportArgs : ExportOptions {
  std::string folder;
  std::string file;
  bool json = false;
};

std::uint64_t bytes_of(const fs::path& made) {
  if (!fs::is_directory(made)) return fs::file_size(made);
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(made)) bytes += entry.file_size();
  return bytes;
}

void run_export(const ExportArgs& args) {
  const bool to_output = args.file == "-";
  if (to_output && args.json) {
    throw usage_error("--json and a graph would both go to the standard output; name a file");
  }
  if (!to_output && !args.parts) check_output_paths({{"export to", args.file}});
  const Stopwatch watch;
  export_graph(args.folder, args.file, args);
  if (to_output) return;
  const std::uint64_t bytes = bytes_of(args.file);
  if (args.json) {
    const nlohmann::json made = {{"graph", args.folder},
                                 {"file", args.file},
                                 {"bytes", bytes},
                                 {"seconds", watch.seconds()}};
    fmt::print("{}\n", made.dump(2));
  } else {
    fmt::print("{}: {}; {:.2f} s\n", args.file, human_size(bytes), watch.seconds());
  }
}

}  // namespace

void add_export(CLI::App& app) {
  const auto args = std::make_shared<ExportArgs>();
  CLI::App* verb = app.add_subcommand("export", "Write a graph as a file that other tools read");
  verb->add_option("graph", args->folder, "Folder of the graph")->required();
  verb->add_option("file", args->file, "The new file; - for standard output, which needs --format")
      ->required();
  verb->add_option("--format", args->format, "auto (by the name's ending), or one of those below")
      ->capture_default_str();
  verb->add_option("--parts", args->parts, "Of parquet: write a folder of so many files")
      ->check(CLI::Range(1, 99999));
  verb->add_flag("--force", args->force, "Replace what exists");
  verb->add_flag("--json", args->json, "Print for programs what was written");
  verb->footer(
      "Example: outcore export graphs/pokec pokec.sg\n"
      "         outcore export graphs/pokec - --format el | head\nFormats:" +
      list_formats(FormatUse::write) +
      "\nA symmetric graph's edges are written in both directions: import them again "
      "with --symmetrised.\n"
      "csv, tsv, parquet, snap, el, wel and pairs32 cannot hold isolated vertices. csv, tsv, "
      "parquet,\nwel, wsg and adj hold weights; Ligra's own programs read only their whole part. "
      "parquet has the\ngraph's own numbers of vertices, and is written by Python's pyarrow.");
  verb->callback([args] { run_export(*args); });
}

}  // namespace outcore
