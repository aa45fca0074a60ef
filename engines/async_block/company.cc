// SPDX-License-Identifier: Apache-2.0
#include "engines/async_block/company.h"

namespace outcore {

// True if the others are to go on again.
bool Company::decide() {
  constexpr std::size_t kChecked = 6;  // windows alone, in which one comes to what the others said
  constexpr double kMuch = 0.25;       // of what was said early, and
  constexpr double kLittle = 0.1;  // of all that was said: below that, company pays all the same
  const std::unique_lock lock(deciding_, std::try_to_lock);
  // Another decides, or has.
  if (!lock || counted_.load(std::memory_order_relaxed) < window_) return false;
  const std::size_t counted = counted_.exchange(0, std::memory_order_relaxed);
  const auto spoke = static_cast<double>(spoke_.exchange(0, std::memory_order_relaxed));
  const auto again = static_cast<double>(again_.exchange(0, std::memory_order_relaxed));
  if (part_ == Part::alone) {
    said_ += spoke;
    said_again_ += again;
    return --left_ == 0 && go_on(Part::tried, trust_);
  }
  if (part_ == Part::tried) early_ += static_cast<double>(counted);
  in_company_ += spoke;
  in_vain_ += again - said_again_ / said_ * spoke;
  if (in_vain_ > kMuch * early_ && in_vain_ > kLittle * in_company_) {
    trust_ = 1;
    patience_ *= 4;
    return go_on(Part::alone, patience_ / 4);
  }
  if (--left_ > 0) return false;
  if (part_ == Part::tried) return go_on(Part::checked, kChecked);
  trust_ *= 2;
  return go_on(Part::tried, trust_);
}

bool Company::go_on(Part part, std::size_t windows) {
  part_ = part;
  left_ = windows;
  if (part == Part::tried) in_company_ = early_ = in_vain_ = 0;
  if (part == Part::alone) said_ = said_again_ = 0;
  alone_.store(part != Part::tried, std::memory_order_relaxed);
  return part == Part::tried;
}

}  // namespace outcore
