// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/output_paths.h"
#include "cli/verbs.h"
#include "storage/formats/formats.h"

namespace outcore {

void add_export(CLI::App& app) {
  struct ExportArgs : ExportOptions {
    std::string folder;
    std::string file;
  };
  const auto args = std::make_shared<ExportArgs>();
  CLI::App* verb = app.add_subcommand("export", "Write a graph as a file that other tools read");
  verb->add_option("graph", args->folder, "Folder of the graph")->required();
  verb->add_option("file", args->file, "The new file; - for standard output, which needs --format")
      ->required();
  verb->add_option("--format", args->format, "auto (by the name's ending), or one of those below")
      ->capture_default_str();
  verb->add_flag("--force", args->force, "Replace an existing file");
  verb->footer(
      "Example: outcore export graphs/pokec pokec.sg\n"
      "         outcore export graphs/pokec - --format el | head\nFormats:" +
      list_formats(FormatUse::write) +
      "\nA symmetric graph's edges are written in both directions: import them again "
      "with --symmetrised.\n"
      "csv, tsv, snap, el, wel and pairs32 cannot hold isolated vertices. csv, tsv, wel, wsg and "
      "adj\nhold weights; Ligra's own programs read only their whole part.");
  verb->callback([args] {
    if (args->file != "-") check_output_paths({{"export to", args->file}});
    export_graph(args->folder, args->file, *args);
  });
}

}  // namespace outcore
