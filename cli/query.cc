// SPDX-License-Identifier: Apache-2.0
// Questions to a store in a folder. Each is answered from a snapshot: exactly the first P updates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "common/error.h"
#include "common/sizes.h"
#include "storage/container/container.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_view.h"
#include "storage/evolving/pmem_store.h"
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

// What is asked of a store, on whatever medium.
class AskedStore {
 public:
  virtual ~AskedStore() = default;
  [[nodiscard]] virtual std::uint64_t updates() const = 0;
  [[nodiscard]] virtual VertexId vertices() const = 0;
  // Ascending. The neighbour of a parallel edge comes once for each.
  virtual std::vector<VertexId> list(Direction direction, VertexId v) = 0;
  // Offsets of the lists as a container has them.
  virtual std::vector<EdgeIndex> offsets(Direction direction) = 0;
  // REQUIRES: the offsets of a direction were asked for.
  [[nodiscard]] virtual std::uint64_t removals_missed() const = 0;
};

class OnDisk final : public AskedStore {
 public:
  // Lists before that of `first` are not asked for.
  OnDisk(const std::string& folder, VertexId first)
      : disk_(folder), view_(disk_, {.first = first, .salvage = false}) {}
  [[nodiscard]] std::uint64_t updates() const override { return view_.updates(); }
  [[nodiscard]] VertexId vertices() const override { return view_.vertices(); }
  std::vector<VertexId> list(Direction direction, VertexId v) override {
    const auto lists = view_.lists(direction);
    std::vector<VertexId> neighbours;
    std::vector<evolving::PairChange> copies;
    VertexId vertex = 0;
    if (!lists->next(vertex, copies) || vertex != v) return neighbours;
    for (const evolving::PairChange& pair : copies)
      neighbours.insert(neighbours.end(), pair.adds, pair.neighbour);
    return neighbours;
  }
  std::vector<EdgeIndex> offsets(Direction direction) override {
    std::vector<EdgeIndex> offsets(std::size_t{vertices()} + 1, 0);
    const auto lists = view_.lists(direction);
    std::vector<evolving::PairChange> copies;
    VertexId vertex = 0;
    while (lists->next(vertex, copies)) {
      for (const evolving::PairChange& pair : copies) offsets[vertex + 1] += pair.adds;
    }
    for (std::size_t v = 1; v < offsets.size(); ++v) offsets[v] += offsets[v - 1];
    removals_missed_ = view_.removals_missed(*lists);
    return offsets;
  }
  [[nodiscard]] std::uint64_t removals_missed() const override { return removals_missed_; }

 private:
  evolving::RealDisk disk_;
  evolving::StoreView view_;
  std::uint64_t removals_missed_ = 0;
};

class InPmem final : public AskedStore {
 public:
  explicit InPmem(const std::string& folder) : reader_(folder, 1) {}
  [[nodiscard]] std::uint64_t updates() const override { return reader_.snapshot->updates(); }
  [[nodiscard]] VertexId vertices() const override { return reader_.snapshot->vertices(); }
  std::vector<VertexId> list(Direction direction, VertexId v) override {
    std::vector<VertexId> neighbours;
    if (v >= vertices()) return neighbours;
    evolving::ListReader(*reader_.snapshot)
        .for_each_piece(direction, v, [&](std::span<const VertexId> piece) {
          neighbours.insert(neighbours.end(), piece.begin(), piece.end());
        });
    std::sort(neighbours.begin(), neighbours.end());
    return neighbours;
  }
  std::vector<EdgeIndex> offsets(Direction direction) override {
    std::vector<EdgeIndex> offsets(std::size_t{vertices()} + 1, 0);
    for (VertexId v = 0; v < vertices(); ++v)
      offsets[v + 1] = offsets[v] + reader_.snapshot->degree(direction, v);
    return offsets;
  }
  [[nodiscard]] std::uint64_t removals_missed() const override {
    return reader_.snapshot->removals_missed();
  }

 private:
  evolving::PmemReader reader_;
};

std::unique_ptr<AskedStore> opened(const QueryArgs& args) {
  if (evolving::is_pmem_store(args.store)) return std::make_unique<InPmem>(args.store);
  return std::make_unique<OnDisk>(args.store, args.vertex.value_or(0));
}

void answer_list(const QueryArgs& args) {
  const bool degree_only = args.question == "degree";
  const std::unique_ptr<AskedStore> store = opened(args);
  const std::vector<VertexId> neighbours = store->list(args.direction(), *args.vertex);
  if (args.json) {
    nlohmann::json answer = {{"store", args.store},
                             {"updates", store->updates()},
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

void print_degrees(const char* name, const nlohmann::json& degree) {
  fmt::print("{}-degrees: {} to {}, median {}, mean {:.2f}\n", name,
             degree.at("min").get<std::uint64_t>(), degree.at("max").get<std::uint64_t>(),
             degree.at("median").get<std::uint64_t>(), degree.at("mean").get<double>());
}

void answer_whole(const QueryArgs& args) {
  const bool with_degrees = args.question == "stats";
  const std::unique_ptr<AskedStore> store = opened(args);
  const std::vector<EdgeIndex> out = store->offsets(Direction::out);
  const std::uint64_t removals_missed = store->removals_missed();
  nlohmann::json answer = {{"store", args.store},
                           {"updates", store->updates()},
                           {"vertices", store->vertices()},
                           {"edges", out.back()},
                           {"removals_missed", removals_missed}};
  if (with_degrees) {
    const std::vector<EdgeIndex> in = store->offsets(Direction::in);
    answer["degree"] = {{"out", degrees_json(degree_stats({out, {}}))},
                        {"in", degrees_json(degree_stats({in, {}}))}};
  }
  if (args.json) {
    fmt::print("{}\n", answer.dump(2));
    return;
  }
  fmt::print(
      "{}: after {} updates {} edges stand, of vertices below {}; {} removals were of edges "
      "that were not there\n",
      args.store, with_commas(store->updates()), with_commas(out.back()),
      with_commas(store->vertices()), with_commas(removals_missed));
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
