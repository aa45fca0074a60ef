// SPDX-License-Identifier: Apache-2.0
// A progress line on stderr for work that takes longer than two seconds, only when stderr is a
// terminal: "sorting edges: 120.0 of 134.2 M (89%), 45.1 M/s". One thread uses it. The destructor
// erases the line.
#pragma once

#include <cstdint>
#include <string>

#include "common/stopwatch.h"

namespace outcore {

class Progress {
 public:
  // `total` 0 means unknown. Amounts are shown in millions of `unit`.
  Progress(std::string what, std::uint64_t total, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(std::uint64_t amount) {
    done_ += amount;
    if (enabled_) show();
  }

 private:
  void show();

  std::string what_;
  std::uint64_t total_;
  std::string unit_;
  std::uint64_t done_ = 0;
  bool enabled_;
  bool shown_ = false;
  double next_seconds_ = 2;
  Stopwatch watch_;
};

}  // namespace outcore
