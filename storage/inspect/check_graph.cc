// SPDX-License-Identifier: Apache-2.0
#include "storage/inspect/check_graph.h"

#include "common/error.h"
#include "common/files.h"
#include "storage/container/container.h"
#include "storage/layout/layout.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// Checks that the layout was built from this graph.
void check_origin(const Container& container, const fs::path& manifest) {
  const auto origin = json_field<nlohmann::json>(read_json(manifest), "graph", manifest);
  if (origin == container.manifest()) return;
  throw bad_input(Place::file(manifest), "another graph's description under \"graph\"",
                  "that of " + (container.folder() / "graph.json").string(),
                  "build the layout again");
}

// A layout without its layout.json is found by nothing else.
void check_layout_folders(const fs::path& layouts) {
  if (!fs::exists(layouts)) return;
  for (const auto& entry : fs::directory_iterator(layouts)) {
    if (entry.path().extension() == ".pending" || fs::exists(entry.path() / "layout.json"))
      continue;
    throw bad_input(Place::file(entry.path()), "no layout.json", "the folder of a layout",
                    "delete it, or build the layout again");
  }
}

}  // namespace

void check_graph(const fs::path& folder, const std::function<void(const std::string&)>& held) {
  check_container(folder, held);
  const Container container(folder);
  check_layout_folders(container.folder() / "layouts");
  for (const std::string& name : container.layouts()) {
    for (const std::string& line : check_layout(container.layout_folder(name))) held(line);
    check_origin(container, container.layout_folder(name) / "layout.json");
  }
}

}  // namespace outcore
