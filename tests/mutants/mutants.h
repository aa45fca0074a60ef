// SPDX-License-Identifier: Apache-2.0
// A workload with a planted fault, made from mutants.toml by plant.py; mutants_test.cc runs them
// all.
#pragma once

#include "tests/planted.h"
#include "workloads/workload.h"

namespace outcore {

using Mutant = Planted<Workload>;

}  // namespace outcore
