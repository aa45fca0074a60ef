// SPDX-License-Identifier: Apache-2.0
#include "storage/io/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <sstream>

#include "common/error.h"
#include "common/hash.h"
#include "common/parameters.h"

namespace outcore {

namespace {

// The faults that are possible for a kind of request.
std::span<const Fault> faults_of(Op op) {
  static constexpr Fault kRead[] = {Fault::eio, Fault::short_end, Fault::flip};
  static constexpr Fault kWrite[] = {Fault::eio, Fault::short_end, Fault::flip, Fault::enospc,
                                     Fault::torn};
  if (op == Op::read) return kRead;
  return op == Op::write ? std::span<const Fault>(kWrite) : std::span(kRead).first(1);
}

// Maps a hash to a number from 0 to 1.
double share_of(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

std::chrono::microseconds microseconds_of(double milliseconds) {
  return std::chrono::microseconds(std::llround(milliseconds * 1000));
}

double number_after(const std::string& item, std::size_t position) {
  char* end = nullptr;
  const double number = std::strtod(item.c_str() + position, &end);
  if (position >= item.size() || *end != '\0' || !std::isfinite(number) || number < 0) {
    throw usage_error(
        fmt::format("fault plan: '{}' wants a number after '{}'", item, item.substr(0, position)));
  }
  return number;
}

}  // namespace

Fault FaultPlan::of(std::uint64_t request, Op op) const {
  const std::span<const Fault> possible = faults_of(op);
  if (const auto planned = at.find(request); planned != at.end()) {
    const bool can = std::find(possible.begin(), possible.end(), planned->second) != possible.end();
    return can ? planned->second : Fault::none;
  }
  const std::uint64_t chance = mix(mix(seed) ^ request);
  if (share_of(chance) >= rate) return Fault::none;
  return possible[mix(chance) % possible.size()];
}

std::chrono::microseconds FaultPlan::delay_of(std::uint64_t request) const {
  const double part = share_of(mix(mix(~seed) ^ request));
  return delay +
         std::chrono::microseconds(std::llround(part * static_cast<double>(jitter.count())));
}

FaultPlan FaultPlan::parse(const std::string& text) {
  static const std::map<std::string, Fault> kFaults = {{"eio", Fault::eio},
                                                       {"short", Fault::short_end},
                                                       {"flip", Fault::flip},
                                                       {"enospc", Fault::enospc},
                                                       {"torn", Fault::torn}};
  FaultPlan plan;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t mark = item.find_first_of("@:");
    const std::string word = item.substr(0, mark);
    const auto fault = kFaults.find(word);
    if (mark == std::string::npos || (fault != kFaults.end()) != (item[mark] == '@')) {
      throw usage_error(
          fmt::format("fault plan: cannot understand '{}'; there are eio@N short@N flip@N enospc@N "
                      "torn@N delay:MS jitter:MS rate:P seed:S over:NAME",
                      item));
    }
    if (fault != kFaults.end()) {
      plan.at[static_cast<std::uint64_t>(number_after(item, mark + 1))] = fault->second;
    } else if (word == "delay") {
      plan.delay = microseconds_of(number_after(item, mark + 1));
    } else if (word == "jitter") {
      plan.jitter = microseconds_of(number_after(item, mark + 1));
    } else if (word == "rate") {
      plan.rate = number_after(item, mark + 1);
    } else if (word == "seed") {
      plan.seed = static_cast<std::uint64_t>(number_after(item, mark + 1));
    } else if (word == "over" && spec_name(item.substr(mark + 1)) != "fault") {
      plan.over = item.substr(mark + 1);
    } else {
      throw usage_error(fmt::format("fault plan: cannot understand '{}'", item));
    }
  }
  return plan;
}

}  // namespace outcore
