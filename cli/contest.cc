// SPDX-License-Identifier: Apache-2.0
#include "cli/contest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "cli/answer_record.h"
#include "cli/trials.h"
#include "cli/vertex_ids.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/own_program.h"
#include "storage/formats/python.h"
#include "storage/formats/vertex_labels.h"
#include "workloads/sources.h"

namespace outcore {

namespace {

namespace fs = std::filesystem;

fs::path analysis_folder() { return own_checkout() / "analysis"; }

struct Source {
  nlohmann::json by_id;      // as the imported file calls it
  nlohmann::json by_number;  // as the graph numbers it
};

// A contestant cannot follow our rule for a source, so all are given the vertex. Null for a
// workload without one.
Source contest_source(const RunRequest& request, Container& container) {
  const Workload& workload = find_workload(request.workload);
  const Parameters parameters(workload.name, workload.parameters,
                              assignments_of(request, 0, container));
  if (!parameters.json().contains("source")) return {};
  const VertexId source = find_source(container.csr(Direction::out), parameters.text("source"));
  return {VertexLabels(container).text(source), source};
}

nlohmann::json asked_json(const ContestArgs& args, const RunRequest& request,
                          const std::string& frames, bool json) {
  Container container(request.graph);
  const Source source = contest_source(request, container);
  nlohmann::json settings = nlohmann::json::array();
  for (const std::string& assignment : request.assignments) {
    if (!assignment.starts_with("source=")) settings.push_back(assignment);
  }
  nlohmann::json asked = {
      {"binary", own_program().string()},
      {"graph", fs::absolute(request.graph).lexically_normal().string()},
      {"facts", graph_json(container)},
      {"machine", machine_facts()},
      {"build", build_facts()},
      {"named", container.facts().has_names},
      {"workload", request.workload},
      {"parameters", parameters_as_asked(request).json()},
      {"settings", settings},
      {"source", source.by_id},
      {"source_number", source.by_number},
      {"ours", {{"engine", request.engine}, {"layout", request.layout}, {"frames", frames}}},
      {"contestants", args.contestants},
      {"turns", args.turns},
      {"threads", request.options.threads},
      {"memory", nullptr},
      {"seconds", nullptr},
      {"cold", !args.warm},
      {"record", nullptr},
      {"json", json}};
  if (!source.by_id.is_null()) asked["parameters"]["source"] = source.by_id;
  if (request.memory_bytes) asked["memory"] = *request.memory_bytes;
  if (request.timeout) asked["seconds"] = *request.timeout;
  if (!args.record.empty()) asked["record"] = fs::absolute(args.record).string();
  return asked;
}

}  // namespace

void check_contest(const ContestArgs& args) {
  if (args.contestants.empty()) {
    if (args.warm || !args.record.empty()) {
      throw usage_error("--warm and --record are of a race --with other programs; name one");
    }
    return;
  }
  if (fs::is_directory(analysis_folder() / "outcore_analysis")) return;
  throw usage_error(fmt::format(
      "--with needs the Python package outcore_analysis, and {} does not hold it; run a binary "
      "that was built in a checkout",
      analysis_folder().string()));
}

void hold_contest(const ContestArgs& args, const RunRequest& request, const std::string& frames,
                  bool json) {
  const std::string asked = asked_json(args, request, frames, json).dump();
  const std::string python = python_program();
  const std::vector<std::string> words = {python, "-m",      "outcore_analysis",
                                          "race", "--asked", asked};
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::setenv("PYTHONPATH", analysis_folder().c_str(), 1);
  std::fflush(stdout);
  ::execvp(python.c_str(), argv.data());
  throw io_error(Place::file(python), "cannot be started", errno);
}

}  // namespace outcore
