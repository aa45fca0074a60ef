// SPDX-License-Identifier: Apache-2.0
// What a cache knows that is told the next round (SUB, ACGraph 3.1): which units are needed again
// in this round or the next. A second reader of the same trace goes a round ahead and counts how
// often each unit is still needed; so memory is 4 bytes a unit id up to the largest asked for, not
// the rounds.
#pragma once

#include <memory>
#include <vector>

#include "storage/trace/trace.h"

namespace outcore {

class RoundsAhead {
 public:
  // `events`: the whole trace, from its begin.
  explicit RoundsAhead(std::unique_ptr<TraceEvents> events);

  // A round begins: the one after it is known from now on. Appends to `announced` the units that
  // this makes needed again.
  void begin_round(std::vector<std::uint32_t>& announced);
  // The unit is asked for. Will it be again, in this round or the next?
  bool use(std::uint32_t unit) { return --needed_[unit] > 0; }

 private:
  std::unique_ptr<TraceEvents> events_;
  std::vector<std::uint32_t> needed_;  // by unit: how often
};

}  // namespace outcore
