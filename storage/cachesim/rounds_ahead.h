// SPDX-License-Identifier: Apache-2.0
// What a cache knows that is told the next round (SUB, ACGraph 3.1): which units are needed again
// in this round or the next. A second reader of the same trace runs one round ahead and counts how
// often each unit is still needed. So memory is 4 bytes per unit id up to the largest asked for,
// and does not grow with the rounds.
#pragma once

#include <memory>
#include <vector>

#include "storage/trace/trace.h"

namespace outcore {

class RoundsAhead {
 public:
  // `events`: the whole trace, from its beginning.
  explicit RoundsAhead(std::unique_ptr<TraceEvents> events);

  // A round begins, so the one after it becomes known. Appends to `announced` the units that become
  // needed again by this.
  void begin_round(std::vector<std::uint32_t>& announced);
  // The unit is asked for. Will it be asked for again in this round or the next?
  bool use(std::uint32_t unit) { return --needed_[unit] > 0; }

 private:
  std::unique_ptr<TraceEvents> events_;
  std::vector<std::uint32_t> needed_;  // by unit: how often it is still asked for
};

}  // namespace outcore
