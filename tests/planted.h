// SPDX-License-Identifier: Apache-2.0
// Things with a planted fault, made from a mutants.toml by a plant.py. Each makes itself known, and
// a test runs them all.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace outcore {

template <typename Subject>
struct Planted {
  std::string fault;
  Subject subject;

  Planted(std::string what, Subject with) : fault(std::move(what)), subject(std::move(with)) {
    all().push_back(this);
  }
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;

  static std::vector<const Planted*>& all() {
    static std::vector<const Planted*> planted;
    return planted;
  }
};

}  // namespace outcore
