// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_import.h"

#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "common/error.h"
#include "storage/container/container.h"
#include "storage/formats/import.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// The endings of an input's files; the last one is imported.
std::vector<std::string> parts_of(const std::string& ending) {
  if (ending == "graph") return {"properties", "graph"};
  if (ending == "e") return {"properties", "v", "e"};
  return {ending};
}

fs::path write_parts(const std::vector<std::string>& parts, std::string_view bytes,
                     const fs::path& folder) {
  fs::path path;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t length = i + 1 < parts.size() ? bytes.find('\0') : std::string_view::npos;
    const std::string_view part = bytes.substr(0, length);
    path = folder / ("x." + parts[i]);
    std::ofstream(path, std::ios::binary)
        .write(part.data(), static_cast<std::streamsize>(part.size()));
    bytes.remove_prefix(std::min(bytes.size(), part.size() + 1));
  }
  return path;
}

}  // namespace

const std::vector<std::string>& fuzzed_endings() {
  static const std::vector<std::string> kEndings = {"txt",     "el",    "wel",   "mtx", "gr",
                                                    "pairs32", "csr64", "sg",    "wsg", "e",
                                                    "graph",   "el.gz", "el.zst"};
  return kEndings;
}

FuzzOutcome fuzz_import(const std::string& ending, std::string_view bytes, const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path file = write_parts(parts_of(ending), bytes, folder);
  const fs::path graph = folder / "graph";
  ImportOptions options;
  options.memory = kLeastSortMemory;
  options.threads = 1;
  options.force = true;
  try {
    import_graph(file, graph, options);
  } catch (const Error&) {
    return FuzzOutcome::refused;
  }
  check_container(graph, [](const std::string&) {});
  return FuzzOutcome::imported;
}

void limit_file_sizes() {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = rlim_t{1} << 20;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace outcore
