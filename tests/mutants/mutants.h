// SPDX-License-Identifier: Apache-2.0
// A workload with a planted fault, made from mutants.toml by plant.py; mutants_test.cc runs them
// all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/workload.h"

namespace outcore {

struct Mutant {
  std::string fault;
  Workload workload;

  Mutant(std::string what, Workload with) : fault(std::move(what)), workload(std::move(with)) {
    all().push_back(this);
  }
  Mutant(const Mutant&) = delete;
  Mutant& operator=(const Mutant&) = delete;

  static std::vector<const Mutant*>& all() {
    static std::vector<const Mutant*> mutants;
    return mutants;
  }
};

}  // namespace outcore
