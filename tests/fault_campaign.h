// SPDX-License-Identifier: Apache-2.0
// Faults by the thousand: a seed chooses an engine, a workload, a layout, options, a backend, and
// what goes wrong in it (storage/io/fault_backend.h). Whatever was chosen, the run must either give
// the right answer or stop with an Error that names the block file and an offset. It must never
// hang, and it must leave no descriptor, thread or mapping behind.
//
// Engines, workloads and ways to populate come from their registries, so new ones are included.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/toy_container.h"
#include "workloads/workload.h"

namespace outcore {

class FaultCampaign {
 public:
  FaultCampaign();
  ~FaultCampaign();
  FaultCampaign(const FaultCampaign&) = delete;
  FaultCampaign& operator=(const FaultCampaign&) = delete;

  // One run. Returns what was wrong with it; empty if nothing was. A run of over two minutes is
  // considered to hang: the process prints its seed and aborts.
  std::string run(std::uint64_t seed);

  struct Row {
    std::uint64_t stopped = 0;   // a fault was injected, and reported
    std::uint64_t answered = 0;  // the right answer: no fault hit a needed read
  };
  // By "engine over backend".
  [[nodiscard]] const std::map<std::string, Row>& rows() const { return rows_; }

 private:
  struct Choice;
  struct Opened;
  class Watchdog;

  Choice choose(std::uint64_t seed);
  const Answer& right_answer(const Workload& workload);
  using Below = std::function<std::size_t(std::size_t)>;
  void choose_engine(Choice& choice, const Below& below);
  static bool refused(const Choice& choice);
  std::uint64_t usual_requests(const Choice& choice);
  std::string attempt(const Choice& choice);

  ToyContainer toy_;
  std::vector<std::unique_ptr<Opened>> layouts_;
  std::map<std::string, Answer> answers_;
  std::map<std::string, std::uint64_t> requests_;
  std::map<std::string, Row> rows_;
  std::unique_ptr<Watchdog> watchdog_;
};

}  // namespace outcore
