// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/contest.h"
#include "cli/output_paths.h"
#include "cli/planner.h"
#include "cli/run_record.h"
#include "cli/suitable_layout.h"
#include "cli/supervised_run.h"
#include "cli/supervisor.h"
#include "cli/symmetrising.h"
#include "cli/text_table.h"
#include "cli/trials.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/shell.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/layout/layout.h"

namespace outcore {

namespace {

constexpr int kTrials = 3;
// A run that takes more than this many times the fastest so far is stopped, but none before so many
// seconds: on a long path some engines would take days.
constexpr double kPatience = 20;
constexpr double kLeastTimeout = 10;

struct RaceArgs {
  RunRequest request;
  std::string engine;  // the only one that races; empty: all
  std::string layout;  // the only one that it races on; empty: all that suit
  std::string frames;  // empty: usual_frames()
  std::string memory;
  std::optional<unsigned> timeout;  // seconds
  ContestArgs contest;
  bool json = false;
};

// For a small graph, 6% would be too little for some engines.
std::string usual_frames(EdgeIndex edges) {
  constexpr EdgeIndex kLeast = EdgeIndex{1} << 20;
  return edges * sizeof(VertexId) / 100 * 6 < kLeast ? "1M" : "6%";
}

// One engine on one layout.
struct Contestant {
  std::string engine;
  std::string layout;
  std::string frames;
  std::vector<nlohmann::json> records = {};  // of the trials that succeeded
  std::string failed = {};                   // why a trial failed; no further ones are run
  ExitCode code = ExitCode::ok;              // the exit code of that trial

  void fail(ExitCode how, const std::string& why) {
    code = how;
    failed = why;
  }
};

double seconds_of(const nlohmann::json& record) { return record.at("phases").at("run_s"); }

// The record with the median time. REQUIRES: there are records.
const nlohmann::json& median_of(const Contestant& contestant) {
  std::vector<const nlohmann::json*> sorted;
  for (const nlohmann::json& record : contestant.records) sorted.push_back(&record);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return seconds_of(*a) < seconds_of(*b); });
  return *sorted[(sorted.size() - 1) / 2];
}

// What a time is made of: edges processed x bytes read per edge / rate of reading.
struct Why {
  double seconds = 0;
  double edges = 0;
  double bytes = 0;
  [[nodiscard]] bool reads() const { return bytes > 0 && edges > 0; }
  [[nodiscard]] double bytes_an_edge() const { return bytes / edges; }
  [[nodiscard]] double rate() const { return bytes / seconds; }
};

Why why_of(const nlohmann::json& record) {
  return {.seconds = seconds_of(record),
          .edges = record.at("work").at("edges_processed").get<double>(),
          .bytes = record.at("io").at("requested_bytes").get<double>()};
}

bool keeps_graph(const Contestant& contestant) {
  return find_engine(contestant.engine).traits.keeps_graph_in_memory;
}

std::string factor(double ratio) { return fmt::format("x {:.2f}", ratio); }

class Race {
 public:
  explicit Race(const RaceArgs& args)
      : args_(args),
        request_(args.request),
        container_(request_.graph),
        frames_(args.frames.empty() ? usual_frames(container_.facts().edges) : args.frames) {
    if (!args.memory.empty()) request_.memory_bytes = parse_size(args.memory, "--memory");
    request_.trials = 1;
    request_.verify = true;
    check_symmetric(find_workload(request_.workload), container_);
  }

  // The contestants take turns within each trial, so that a disturbance affects all of them.
  void run() {
    enter_all();
    for (int trial = 0; trial < kTrials; ++trial) {
      for (Contestant& contestant : contestants_) {
        if (contestant.failed.empty()) run_trial_of(contestant);
      }
    }
    std::stable_sort(contestants_.begin(), contestants_.end(),
                     [](const Contestant& a, const Contestant& b) { return before(a, b); });
  }
  [[nodiscard]] const std::vector<Contestant>& contestants() const { return contestants_; }
  [[nodiscard]] const std::string& frames() const { return frames_; }
  // What the winner is to run, as it was run here.
  [[nodiscard]] RunRequest request_of(const Contestant& winner) const {
    RunRequest request = request_;
    request.engine = winner.engine;
    request.layout = winner.layout;
    request.timeout = args_.timeout;
    return request;
  }

  // The command that runs the winner.
  [[nodiscard]] std::string command_of(const Contestant& winner) const {
    std::string command =
        fmt::format("outcore run {} --engine {} --workload {} --layout {}",
                    shell_word(request_.graph), winner.engine, request_.workload, winner.layout);
    for (const std::string& set : request_.assignments) command += " --set " + shell_word(set);
    for (const std::string& source : request_.sources) command += " -r " + shell_word(source);
    command += fmt::format(" --frames {} --threads {}", winner.frames, request_.options.threads);
    if (!args_.memory.empty()) command += " --memory " + args_.memory;
    return command;
  }

 private:
  static bool before(const Contestant& a, const Contestant& b) {
    if (a.failed.empty() != b.failed.empty()) return a.failed.empty();
    return a.failed.empty() && seconds_of(median_of(a)) < seconds_of(median_of(b));
  }

  void enter_all() {
    const Workload& workload = find_workload(request_.workload);
    for (const EngineEntry& engine : engines()) {
      if (engine.reads == GraphKind::store || !may_enter(engine)) continue;
      if (!missing(engine.traits, workload, container_.facts().symmetric).empty()) continue;
      request_.engine = args_.engine.empty() ? engine.name : args_.engine;
      for (const std::string& layout : layouts_for(engine)) {
        contestants_.push_back({request_.engine, layout, frames_for(engine, layout)});
      }
    }
    if (contestants_.empty()) {
      const std::string who = args_.engine.empty() ? "no engine can" : args_.engine + " cannot";
      throw usage_error(fmt::format("{} run {} on this graph", who, request_.workload));
    }
  }

  [[nodiscard]] bool may_enter(const EngineEntry& engine) const {
    return args_.engine.empty() || find_engine(args_.engine).name == engine.name;
  }

  std::vector<std::string> layouts_for(const EngineEntry& engine) {
    if (!args_.layout.empty()) return {args_.layout};
    const Parameters parameters = parameters_as_asked(request_);
    std::vector<std::string> layouts = suitable_layouts(request_, parameters, container_, engine);
    if (layouts.empty()) layouts.push_back(make_layout(engine, parameters));
    return layouts;
  }

  // Those of the race. If the user left them open, an engine for which they are too small has the
  // smallest ones with which it can work.
  std::string frames_for(const EngineEntry& engine, const std::string& layout) {
    if (!args_.frames.empty() || engine.traits.keeps_graph_in_memory) return frames_;
    RunRequest request = request_;
    request.layout = layout;
    const std::optional<std::uint64_t> larger = larger_frames(request, frames_);
    return larger ? std::to_string(*larger) : frames_;
  }

  // In a child process: building a layout starts threads, and the runs must fork from a process
  // without threads.
  std::string make_layout(const EngineEntry& engine, const Parameters& parameters) {
    const EdgeIndex edges = container_.facts().edges;
    const LayoutChoices choices = complete_choices(engine.choices_for(
        suitable_choices(request_, parameters, container_, plainest_choices(engine)), edges,
        parse_size(frames_, "--frames", edges * sizeof(VertexId))));
    const std::string usual_name = layout_name(choices);
    std::string name = usual_name;
    for (int i = 2; std::filesystem::exists(container_.layout_folder(name)); ++i) {
      name = fmt::format("{}-{}", usual_name, i);
    }
    const Ending ending = run_supervised(
        [&] {
          build_layout(request_.graph, choices, name, false);
          return ExitCode::ok;
        },
        nullptr);
    if (ending.kind != Ending::Kind::exited || ending.exit_code != 0) {
      throw Error(ExitCode::io, fmt::format("layout {} of {} could not be made: {}", name,
                                            request_.graph.string(), ending.reason));
    }
    if (!args_.json) fmt::print("made layout {} for {}\n", name, engine.name);
    return name;
  }

  // Unset for the first engine, to which nothing can be compared.
  [[nodiscard]] std::optional<unsigned> timeout() const {
    if (args_.timeout || !fastest_) return args_.timeout;
    return static_cast<unsigned>(std::ceil(std::max(kLeastTimeout, kPatience * *fastest_)));
  }

  // An engine leaves the race when its run is impossible, fails or takes too long.
  void run_trial_of(Contestant& contestant) {
    RunRequest request = request_;
    request.engine = contestant.engine;
    request.layout = contestant.layout;
    request.timeout = timeout();
    try {
      prepare(request, contestant.frames);
      const Stopwatch watch;
      nlohmann::json record = supervised_run(request, {});
      const nlohmann::json& outcome = record.at("outcome");
      if (outcome.at("status") == "ok") {
        fastest_ = std::min(fastest_.value_or(watch.seconds()), watch.seconds());
        contestant.records.push_back(std::move(record));
      } else if (outcome.at("exit_code") == -SIGALRM) {
        contestant.fail(exit_code_of(record), fmt::format("stopped after {} s", *request.timeout));
      } else {
        contestant.fail(exit_code_of(record), outcome.at("reason"));
      }
    } catch (const Error& error) {
      contestant.fail(error.code(), error.what());
    }
  }

  const RaceArgs& args_;
  RunRequest request_;
  Container container_;
  std::string frames_;  // of all contestants that can work with them
  std::vector<Contestant> contestants_;
  std::optional<double> fastest_;  // seconds of the fastest whole run so far
};

nlohmann::json contestant_json(const Contestant& contestant) {
  nlohmann::json json = {{"engine", contestant.engine},
                         {"layout", contestant.layout},
                         {"failed", nullptr},
                         {"records", contestant.records}};
  if (!contestant.failed.empty()) json["failed"] = contestant.failed;
  return json;
}

// The contestant to which the others are compared: the fastest that reads the graph during the run.
// What an in-memory engine reads before its time starts does not explain that time; it is the
// reference only if no other engine finished. Null if none finished.
const Contestant* reference_of(const std::vector<Contestant>& contestants) {
  const Contestant* fastest = nullptr;
  for (const Contestant& contestant : contestants) {
    if (!contestant.failed.empty()) continue;
    if (!keeps_graph(contestant)) return &contestant;
    if (fastest == nullptr) fastest = &contestant;
  }
  return fastest;
}

// The time, then its three parts, each as a factor to the reference.
std::vector<std::string> factors(const Contestant& contestant, const Contestant& reference) {
  const Why why = why_of(median_of(contestant));
  const Why to = why_of(median_of(reference));
  const std::string time = factor(why.seconds / to.seconds);
  if (keeps_graph(contestant) || !why.reads() || !to.reads()) return {time, "-", "-", "-"};
  return {time, factor(why.edges / to.edges), factor(why.bytes_an_edge() / to.bytes_an_edge()),
          factor(why.rate() / to.rate())};
}

void print_table(const std::vector<Contestant>& contestants, const std::string& frames) {
  TextTable table({"engine", "layout", "seconds", "time", "= edges", "x bytes/edge", "/ rate",
                   "read", "memory"});
  std::string below;
  const Contestant* const reference = reference_of(contestants);
  for (const Contestant& contestant : contestants) {
    if (contestant.frames != frames) {
      below += fmt::format("  {} on {}: frames {}, the smallest with which it can work\n",
                           contestant.engine, contestant.layout,
                           human_size(parse_size(contestant.frames, "--frames")));
    }
    if (!contestant.failed.empty()) {
      below +=
          fmt::format("  {} on {}: {}\n", contestant.engine, contestant.layout, contestant.failed);
      continue;
    }
    const nlohmann::json& record = median_of(contestant);
    std::vector<std::string> row = {contestant.engine, contestant.layout,
                                    fmt::format("{:.3f}", seconds_of(record))};
    for (std::string& cell : factors(contestant, *reference)) row.push_back(std::move(cell));
    row.push_back(human_size(record.at("io").at("requested_bytes")));
    row.push_back(human_size(record.at("memory").at("peak_rss_bytes")));
    table.add(std::move(row));
  }
  if (!table.empty()) fmt::print("{}", table.text());
  fmt::print("{}", below);
}

// Fails when an engine gave a wrong answer, or when no engine finished.
void check_endings(const std::vector<Contestant>& contestants) {
  const auto wrong = std::find_if(contestants.begin(), contestants.end(), [](const Contestant& c) {
    return c.code == ExitCode::wrong_answer;
  });
  const Contestant& told = wrong == contestants.end() ? contestants.front() : *wrong;
  if (told.failed.empty()) return;
  const char* const none =
      contestants.front().failed.empty() ? "" : "no engine came to an answer; ";
  throw Error(told.code,
              fmt::format("{}{} on {}: {}", none, told.engine, told.layout, told.failed));
}

void run_race(const RaceArgs& args) {
  check_contest(args.contest);
  check_output_paths({{"--record", args.contest.record}});
  Race race(args);
  race.run();
  const std::vector<Contestant>& contestants = race.contestants();
  const bool others = !args.contest.contestants.empty();
  if (args.json && !others) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Contestant& contestant : contestants) rows.push_back(contestant_json(contestant));
    fmt::print("{}\n", rows.dump(2));
  } else if (!args.json) {
    fmt::print("{} on {}, frames {}, {} trials each in turn, every answer verified\n",
               args.request.workload, args.request.graph.string(), race.frames(), kTrials);
    print_table(contestants, race.frames());
  }
  check_endings(contestants);
  const Contestant& winner = contestants.front();
  if (!args.json) fmt::print("fastest: {}\n", race.command_of(winner));
  if (others) hold_contest(args.contest, race.request_of(winner), winner.frames, args.json);
}

}  // namespace

void add_race(CLI::App& app) {
  const auto args = std::make_shared<RaceArgs>();
  RunRequest& request = args->request;
  CLI::App* verb =
      app.add_subcommand("race", "Find the fastest engine for a workload on this graph");
  verb->add_option("graph", request.graph, "Folder of the graph")->required();
  verb->add_option("--workload", request.workload, "Algorithm: see outcore list workloads")
      ->required();
  verb->add_option("-r,--source", request.sources, "As for outcore run")->allow_extra_args(false);
  verb->add_option("--set", request.assignments, "A parameter of the workload: name=value")
      ->allow_extra_args(false);
  CLI::Option* const engine =
      verb->add_option("--engine", args->engine,
                       "Race with this one alone, as for outcore run: binning:form=published");
  verb->add_option("--layout", args->layout, "And on this layout alone")->needs(engine);
  verb->add_option("--frames", args->frames,
                   "Block buffers: a size, or % of 4 bytes an edge; default: 6%, and at least 1M, "
                   "or what the engine cannot work without");
  verb->add_option("--memory", args->memory, "Limit for each run's whole process");
  verb->add_option("--timeout", args->timeout,
                   "Seconds after which a run is stopped; default: 20 times the fastest run so "
                   "far, and at least 10")
      ->check(CLI::PositiveNumber);
  verb->add_option("--threads", request.options.threads, "Worker threads")->capture_default_str();
  verb->add_option("--with", args->contest.contestants,
                   "Then race the fastest against this program of configs/contestants")
      ->allow_extra_args(false);
  verb->add_option("--turns", args->contest.turns, "How often each of these programs runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_flag("--warm", args->contest.warm, "Keep the page cache before the turns of --with");
  verb->add_option(
      "--record", args->contest.record,
      "Write the record of the race --with other programs (JSON) here, after each turn");
  verb->add_flag("--json", args->json,
                 "Print the records of all trials, or the record of the race --with others");
  verb->footer(
      "Example: outcore race graphs/kron20 --workload wcc --memory 48M\n"
      "Makes the layouts that are missing, runs every engine that can and that fits, on each "
      "layout\n"
      "that suits it, three times in turn, and verifies each answer. Times are medians, and\n"
      "factors are relative to the fastest engine that reads the graph during the run. A row says\n"
      "why it takes longer: its time is the edges that it processed, times the bytes that it read\n"
      "per edge, divided by the rate at which it read. An engine that keeps the graph in memory\n"
      "reads it before its time begins, so its row gives no reason.\n"
      "--with NAME: the fastest engine and the other program take turns, each cold and within the\n"
      "same limits, of memory (--memory) for all that it starts. Answers are compared before "
      "times\n"
      "are shown. With --engine it is not the fastest that races, but this one.");
  verb->callback([args] { run_race(*args); });
}

}  // namespace outcore
