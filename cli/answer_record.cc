// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_record.h"

#include <fmt/format.h>

#include "cli/graph_building.h"
#include "common/error.h"
#include "storage/container/hashed_file.h"

namespace outcore {

namespace {

std::string checksum_of(const Container& container) {
  return file_entry(container.manifest(), "out.targets", container.folder() / "graph.json")
      .at("hash");
}

// What parallel edges and loops in the graph mean for this workload.
nlohmann::json notes_on(const Workload& workload, const GraphFacts& facts) {
  nlohmann::json notes = nlohmann::json::array();
  const std::string repeats = facts.repeats ? repeats_text(*facts.repeats) : std::string();
  if (!workload.repeats.empty() && !repeats.empty()) {
    notes.push_back(fmt::format("the graph has {}: {}", repeats, workload.repeats));
  }
  return notes;
}

}  // namespace

nlohmann::json graph_json(const Container& container) {
  return graph_json(container.facts(), checksum_of(container));
}

nlohmann::json graph_json(const GraphFacts& facts, const std::string& checksum) {
  return {{"name", facts.name},
          {"vertices", facts.vertices},
          {"edges", facts.edges},
          {"symmetric", facts.symmetric},
          {"loops", facts.repeats ? nlohmann::json(facts.repeats->loops) : nullptr},
          {"parallel", facts.repeats ? nlohmann::json(facts.repeats->parallel) : nullptr},
          {"checksum", checksum},
          {"provenance", facts.provenance}};
}

nlohmann::json answer_json(const Answer& answer, const Workload& workload,
                           const GraphFacts& facts) {
  return {{"digest", answer.digest()},
          {"exact", answer.exact},
          {"summary", answer.summary.is_null() ? nlohmann::json::object() : answer.summary},
          {"notes", notes_on(workload, facts)},
          {"verified", nullptr},
          {"output", nullptr}};
}

Canonical checked_lists(Container& container) {
  for (const auto& [name, entry] : container.manifest().at("files").items()) {
    check_file_hash(container.folder() / name, entry);
  }
  return {container.csr(Direction::out), container.csr(Direction::in)};
}

void verify_into(nlohmann::json& record, const Workload& workload, const Parameters& parameters,
                 const Canonical& canonical, const Answer& answer) {
  const Verdict verdict = workload.verify(canonical, answer, parameters);
  record["answer"]["verified"] = {
      {"how", verdict.how}, {"passed", verdict.passed}, {"detail", verdict.detail}};
  if (!verdict.passed) {
    throw Error(ExitCode::wrong_answer, fmt::format("{} gave a wrong answer ({}): {}",
                                                    workload.name, verdict.how, verdict.detail));
  }
}

}  // namespace outcore
