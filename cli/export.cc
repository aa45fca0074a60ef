// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/export.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/verbs.h"

namespace outcore {

void add_export(CLI::App& app) {
  struct Args : ExportOptions {
    std::string folder;
    std::string file;
  };
  const auto args = std::make_shared<Args>();
  CLI::App* verb = app.add_subcommand("export", "Write a graph as a file that other tools read");
  verb->add_option("graph", args->folder, "Folder of the graph")->required();
  verb->add_option("file", args->file, "The new file")->required();
  verb->add_option("--format", args->format, "auto (by the name's ending), or one of those below")
      ->capture_default_str();
  verb->add_flag("--force", args->force, "Replace an existing file");
  std::string footer = "Example: outcore export graphs/pokec pokec.sg\nFormats:";
  for (const ExportFormat& format : export_formats()) {
    footer += fmt::format("\n  {:<8} {:<16} {}", format.name, format.endings, format.help);
  }
  verb->footer(footer +
               "\nA symmetric graph's edges are written in both directions: import them again "
               "with --symmetrised.\n"
               "pairs32 and snap have no place for isolated vertices.");
  verb->callback([args] { export_graph(args->folder, args->file, *args); });
}

}  // namespace outcore
