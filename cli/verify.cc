// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/answer_record.h"
#include "cli/foreign_values.h"
#include "cli/output_paths.h"
#include "cli/run_record.h"
#include "cli/symmetrising.h"
#include "cli/trials.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/files.h"

namespace outcore {

namespace {

namespace fs = std::filesystem;

struct VerifyArgs {
  RunRequest request;
  fs::path values;
  std::string format = "auto";
  Called called = Called::as_imported;
  fs::path external;
  fs::path record;
  bool json = false;
};

// Records of runs call our engines by these names, so another program needs a name of its own.
void check_program_name(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const bool plain =
      !name.empty() && fits(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
        return fits(c) || c == '-' || c == '_' || c == '.';
      });
  if (!plain) {
    throw usage_error(fmt::format(
        "--engine '{}': expected small letters and digits, with -, _ and . between them", name));
  }
  const auto& ours = engines();
  if (std::any_of(ours.begin(), ours.end(), [&](const auto& e) { return e.name == name; })) {
    throw usage_error(fmt::format(
        "--engine {} is an engine of outcore; name the program that wrote the values", name));
  }
}

// What is known of the program, for the record: null where nothing is said.
nlohmann::json external_json(const fs::path& file) {
  nlohmann::json external = {{"version", nullptr},
                             {"command", nullptr},
                             {"cores", nullptr},
                             {"memory_bytes", nullptr},
                             {"phases", nlohmann::json::object()}};
  if (file.empty()) return external;
  const nlohmann::json said = read_json(file);
  const auto is_right = [](const std::string& key, const nlohmann::json& value) {
    if (value.is_null()) return key != "phases";
    if (key == "version") return value.is_string();
    if (key == "command") {
      return value.is_array() &&
             std::all_of(value.begin(), value.end(), [](const auto& w) { return w.is_string(); });
    }
    if (key == "phases") {
      return value.is_object() &&
             std::all_of(value.begin(), value.end(), [](const auto& s) { return s.is_number(); });
    }
    return value.is_number_unsigned();
  };
  if (!said.is_object()) throw bad_input(Place::file(file), said.type_name(), "an object");
  for (const auto& [key, value] : said.items()) {
    if (external.contains(key) && is_right(key, value)) {
      external[key] = value;
      continue;
    }
    throw bad_input(Place::file(file), fmt::format("\"{}\": {}", key, value.dump()),
                    "version (a string), command (a list of strings), cores, memory_bytes (whole "
                    "numbers), phases (names with seconds)");
  }
  return external;
}

// What is refused here leaves no record, as with outcore run.
void settle(VerifyArgs& args, Container& container) {
  RunRequest& request = args.request;
  check_program_name(request.engine);
  settle_sources(request, container.facts().has_names);
  settle_trials(request);
  if (request.trials != 1) {
    throw usage_error("--source: a file has the values of one run, so name one source");
  }
  check_symmetric(find_workload(request.workload), container);
  request.verify = true;
  parameters_as_asked(request);
}

nlohmann::json record_to_begin_with(const VerifyArgs& args, const Container& container) {
  nlohmann::json record = unfinished_record(args.request);
  // An engine's, which another program does not have.
  for (const char* name : {"backend", "depth", "direct", "state", "device", "frames_bytes"}) {
    record["asked"].erase(name);
  }
  record["external"] = external_json(args.external);
  if (const auto& cores = record["external"]["cores"]; !cores.is_null()) {
    record["asked"]["threads"] = cores;
  }
  record["asked"]["memory_bytes"] = record["external"]["memory_bytes"];
  record["graph"] = graph_json(container);
  return record;
}

void check_answer(const VerifyArgs& args, Container& container, nlohmann::json& record) {
  const Workload& workload = find_workload(args.request.workload);
  const Parameters parameters(workload.name, workload.parameters,
                              assignments_of(args.request, 0, container));
  const Answer answer =
      read_foreign_values(args.values, args.format, workload.values, container, args.called);
  record["answer"] = answer_json(answer, workload, container.facts());
  record["answer"]["output"] = args.values.string();
  verify_into(record, workload, parameters, checked_lists(container), answer);
}

void run_verify(VerifyArgs& args) {
  check_output_paths({{"--record", args.record}});
  Container container(args.request.graph);
  settle(args, container);
  nlohmann::json record = record_to_begin_with(args, container);
  const auto keep = [&] {
    if (!args.record.empty()) write_json_atomically(args.record, record);
  };
  keep();
  try {
    check_answer(args, container, record);
    set_outcome(record, "ok", "", 0);
  } catch (const Error& e) {
    set_outcome(record, "failed", e.what(), static_cast<int>(e.code()));
    keep();
    if (args.json) fmt::print("{}\n", record.dump(2));
    throw;
  }
  keep();
  if (args.json) {
    fmt::print("{}\n", record.dump(2));
  } else {
    fmt::print("{}: the answer of {} to {} is right ({})\n", args.values.string(),
               args.request.engine, args.request.workload,
               record["answer"]["verified"]["how"].get<std::string>());
  }
}

}  // namespace

void add_verify(CLI::App& app) {
  const auto args = std::make_shared<VerifyArgs>();
  args->request.engine = "external";
  CLI::App* verb = app.add_subcommand(
      "verify", "Check the answer of any program, one value a vertex, as a run's is checked");
  verb->add_option("graph", args->request.graph, "Folder of the graph")->required();
  verb->add_option("--workload", args->request.workload, "Algorithm: see outcore list workloads")
      ->required();
  verb->add_option("--values", args->values, "The file: a line or a number for each vertex")
      ->required();
  verb->add_option("--format", args->format,
                   "Format of the file: csv, tsv, npy, u32, f32, parquet, text, or auto (by the "
                   "name's ending)")
      ->capture_default_str();
  verb->add_flag_function(
      "--numbers", [args](std::int64_t /*times*/) { args->called = Called::by_number; },
      "The file calls vertices 0, 1, 2, ..., as formats of graphs do that have no place for ids");
  verb->add_option("-r,--source", args->request.sources, "As for outcore run")
      ->allow_extra_args(false);
  verb->add_option("--set", args->request.assignments, "A parameter of the workload: name=value")
      ->allow_extra_args(false);
  verb->add_option("--engine", args->request.engine,
                   "Name of the program that wrote the values, for the record")
      ->capture_default_str();
  verb->add_option("--external", args->external,
                   "What else is known of it, for the record: a JSON object with version, command, "
                   "cores, memory_bytes and phases");
  verb->add_option("--record", args->record,
                   "Write a run's record (JSON) here, even if the answer is wrong");
  verb->add_flag("--json", args->json, "Print the record");
  verb->footer(
      "Example: outcore verify graphs/kron16 --workload bfs -r 7 --values levels.csv\n"
      "Vertices are called as in the imported file. A file may also hold the values alone, in the\n"
      "order of these ids. A vertex that is not reached has 4294967295, -1 or inf; components may\n"
      "have any labels; of a maximal set only independence and maximality are checked. The exit\n"
      "code is 5 for a wrong answer, 3 for a file that holds none.");
  verb->callback([args] { run_verify(*args); });
}

}  // namespace outcore
