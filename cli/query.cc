// SPDX-License-Identifier: Apache-2.0
// Questions to a store in a folder. Each is answered from a snapshot: exactly the first P updates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "common/error.h"
#include "common/sizes.h"
#include "storage/container/container.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_view.h"
#include "storage/inspect/degree_stats.h"

namespace outcore {

namespace {

struct QueryArgs {
  std::string store;
  std::string question;
  std::optional<VertexId> vertex;
  bool in = false;
  bool json = false;
  [[nodiscard]] Direction direction() const { return in ? Direction::in : Direction::out; }
};

// The neighbours in one list, ascending. The neighbour of a parallel edge comes once for each.
std::vector<VertexId> list_of(evolving::StoreView& view, const QueryArgs& args) {
  const auto lists = view.lists(args.direction());
  std::vector<VertexId> neighbours;
  std::vector<evolving::PairChange> copies;
  VertexId vertex = 0;
  if (!lists->next(vertex, copies) || vertex != *args.vertex) return neighbours;
  for (const evolving::PairChange& pair : copies)
    neighbours.insert(neighbours.end(), pair.adds, pair.neighbour);
  return neighbours;
}

void answer_list(const QueryArgs& args) {
  const bool degree_only = args.question == "degree";
  evolving::RealDisk disk(args.store);
  evolving::StoreView view(disk, {.first = *args.vertex, .salvage = false});
  const std::vector<VertexId> neighbours = list_of(view, args);
  if (args.json) {
    nlohmann::json answer = {{"store", args.store},
                             {"updates", view.updates()},
                             {"vertex", *args.vertex},
                             {"direction", args.in ? "in" : "out"},
                             {"degree", neighbours.size()}};
    if (!degree_only) answer["neighbours"] = neighbours;
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  if (degree_only) fmt::print("{}\n", neighbours.size());
  if (degree_only) return;
  for (const VertexId v : neighbours) fmt::print("{}\n", v);
}

nlohmann::json degrees_json(const DegreeStats& stats) {
  return {{"min", stats.least},
          {"median", stats.median},
          {"mean", stats.mean},
          {"max", stats.most},
          {"histogram", stats.histogram}};
}

// Offsets of the lists as a container has them.
struct ReadDegrees {
  std::vector<EdgeIndex> offsets;
  std::uint64_t removals_missed = 0;
};

ReadDegrees read_degrees(evolving::StoreView& view, Direction direction) {
  ReadDegrees read;
  read.offsets.assign(std::size_t{view.vertices()} + 1, 0);
  const auto lists = view.lists(direction);
  std::vector<evolving::PairChange> copies;
  VertexId vertex = 0;
  while (lists->next(vertex, copies)) {
    for (const evolving::PairChange& pair : copies) read.offsets[vertex + 1] += pair.adds;
  }
  for (std::size_t v = 1; v < read.offsets.size(); ++v) read.offsets[v] += read.offsets[v - 1];
  read.removals_missed = view.removals_missed(*lists);
  return read;
}

void print_degrees(const char* name, const nlohmann::json& degree) {
  fmt::print("{}-degrees: {} to {}, median {}, mean {:.2f}\n", name,
             degree.at("min").get<std::uint64_t>(), degree.at("max").get<std::uint64_t>(),
             degree.at("median").get<std::uint64_t>(), degree.at("mean").get<double>());
}

void answer_whole(const QueryArgs& args) {
  const bool with_degrees = args.question == "stats";
  evolving::RealDisk disk(args.store);
  evolving::StoreView view(disk);
  const ReadDegrees out = read_degrees(view, Direction::out);
  nlohmann::json answer = {{"store", args.store},
                           {"updates", view.updates()},
                           {"vertices", view.vertices()},
                           {"edges", out.offsets.back()},
                           {"removals_missed", out.removals_missed}};
  if (with_degrees) {
    const ReadDegrees in = read_degrees(view, Direction::in);
    answer["degree"] = {{"out", degrees_json(degree_stats({out.offsets, {}}))},
                        {"in", degrees_json(degree_stats({in.offsets, {}}))}};
  }
  if (args.json) {
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print(
      "{}: after {} updates {} edges stand, of vertices below {}; {} removals were of edges "
      "that were not there\n",
      args.store, with_commas(view.updates()), with_commas(out.offsets.back()),
      with_commas(view.vertices()), with_commas(out.removals_missed));
  if (!with_degrees) return;
  print_degrees("out", answer.at("degree").at("out"));
  print_degrees("in", answer.at("degree").at("in"));
}

constexpr std::array kQuestions = {"degree", "neighbours", "snapshot", "stats"};

void run_query(const QueryArgs& args) {
  if (std::find(kQuestions.begin(), kQuestions.end(), args.question) == kQuestions.end()) {
    throw unknown_name("question", args.question, {kQuestions.begin(), kQuestions.end()});
  }
  const bool of_vertex = args.question == "degree" || args.question == "neighbours";
  if (of_vertex != args.vertex.has_value()) {
    throw usage_error(of_vertex
                          ? fmt::format("query {} needs a vertex: outcore query {} {} 17",
                                        args.question, args.store, args.question)
                          : fmt::format("query {} is of all vertices; name none", args.question));
  }
  if (of_vertex) return answer_list(args);
  answer_whole(args);
}

}  // namespace

void add_query(CLI::App& app) {
  const auto args = std::make_shared<QueryArgs>();
  CLI::App* verb = app.add_subcommand("query", "Ask a store about a vertex, or about all of it");
  verb->add_option("store", args->store, "Folder of the store")->required();
  verb->add_option(
          "question", args->question,
          "degree: how many edges a vertex has; neighbours: their other ends, ascending; "
          "snapshot: how many updates, vertices and edges there are; stats: and the degrees")
      ->required();
  verb->add_option("vertex", args->vertex, "For degree and neighbours: its number in the stream");
  verb->add_flag("--in", args->in, "Of the in-list and not of the out-list");
  verb->add_flag("--json", args->json, "Print the answer for programs");
  verb->footer(
      "Example: outcore query stores/live degree 17\n"
      "         outcore query stores/live neighbours 17 --in\n"
      "         outcore query stores/live stats --json\n"
      "Each answer is of exactly the first so many updates, and outcore ingest may go on "
      "meanwhile.");
  verb->callback([args] { run_query(*args); });
}

}  // namespace outcore
