// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_building.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/sizes.h"

namespace outcore {

namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", with_commas(count), count == 1 ? one : many);
}

nlohmann::json built_json(const std::filesystem::path& folder, const BuildCounts& counts,
                          double seconds) {
  return {{"graph", folder.string()},           {"edges_read", counts.read},
          {"loops_read", counts.loops},         {"met_again", counts.met_again},
          {"vertices", counts.vertices},        {"edges", counts.edges},
          {"symmetric", counts.symmetric},      {"loops", counts.stored.loops},
          {"parallel", counts.stored.parallel}, {"seconds", seconds}};
}

}  // namespace

std::uint64_t parse_sort_memory(const std::string& text) {
  const std::uint64_t bytes = parse_size(text, "--memory");
  if (bytes >= kLeastSortMemory) return bytes;
  throw usage_error(fmt::format("--memory {}: at least {}", text, human_size(kLeastSortMemory)));
}

std::string with_repeats(const EdgeRepeats& repeats) {
  const std::string text = repeats_text(repeats);
  return text.empty() ? text : " with " + text;
}

void print_built(const std::filesystem::path& folder, const BuildCounts& counts, double seconds,
                 bool json) {
  if (json) {
    fmt::print("{}\n", built_json(folder, counts, seconds).dump(2));
    return;
  }
  fmt::print("{}: {} read, {}, {} met again; stored as {} and {}, {}{}; {:.2f} s\n",
             folder.string(), counted(counts.read, "edge", "edges"),
             counted(counts.loops, "loop", "loops"), with_commas(counts.met_again),
             counted(counts.vertices, "vertex", "vertices"), counted(counts.edges, "edge", "edges"),
             counts.symmetric ? "symmetric" : "directed", with_repeats(counts.stored), seconds);
}

void print_generated(const std::filesystem::path& folder, double seconds, bool json) {
  const GraphFacts facts = Container(folder).facts();
  if (json) {
    const nlohmann::json made = {{"graph", folder.string()},
                                 {"vertices", facts.vertices},
                                 {"edges", facts.edges},
                                 {"symmetric", facts.symmetric},
                                 {"seconds", seconds}};
    fmt::print("{}\n", made.dump(2));
    return;
  }
  fmt::print("{}: {} and {}, {}; {:.2f} s\n", folder.string(),
             counted(facts.vertices, "vertex", "vertices"), counted(facts.edges, "edge", "edges"),
             facts.symmetric ? "symmetric" : "directed", seconds);
}

std::string repeats_text(const EdgeRepeats& repeats) {
  std::string loops = counted(repeats.loops, "loop", "loops");
  std::string parallel = counted(repeats.parallel, "parallel edge", "parallel edges");
  if (repeats.loops == 0 && repeats.parallel == 0) return {};
  if (repeats.parallel == 0) return loops;
  if (repeats.loops == 0) return parallel;
  return fmt::format("{} and {}", loops, parallel);
}

}  // namespace outcore
