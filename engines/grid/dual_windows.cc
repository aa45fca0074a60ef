// SPDX-License-Identifier: Apache-2.0
#include "engines/grid/dual_windows.h"

#include <algorithm>

namespace outcore {

DualWindows::DualWindows(const StateStore& states, const GridColumns& columns, VertexId ids,
                         unsigned workers)
    : values_(states.windows().empty() ? nullptr : &states.windows()),
      messages_(states.source_windows().empty() ? nullptr : &states.source_windows()),
      columns_(columns),
      ids_(ids),
      finished_(workers),
      in_(workers) {}

DualWindows::~DualWindows() {
  for (unsigned worker = 0; worker < in_.size(); ++worker) {
    if (values_ != nullptr && finished_[worker]) values_->done(destinations(*finished_[worker]));
    if (messages_ != nullptr) leave_sources(worker);
  }
}

void DualWindows::expect(std::uint32_t column) {
  if (values_ != nullptr) values_->wanted(destinations(column));
}

void DualWindows::enter_sources(unsigned worker, std::uint32_t window) {
  if (messages_ == nullptr || in_[worker] == window) return;
  leave_sources(worker);
  messages_->wanted({columns_.sources(window), ids_});
  const std::lock_guard lock(mutex_);
  in_[worker] = window;
}

// Another worker may still need it.
void DualWindows::leave_sources(unsigned worker) {
  const std::optional<std::uint32_t> left = in_[worker];
  if (!left) return;
  {
    const std::lock_guard lock(mutex_);
    in_[worker].reset();
    if (std::find(in_.begin(), in_.end(), left) != in_.end()) return;
  }
  messages_->done({columns_.sources(*left), ids_});
}

// A page that is being written out stays until it is, so the column before leaves memory, not this.
void DualWindows::finish(unsigned worker, std::uint32_t column) {
  if (values_ == nullptr) return;
  values_->written(destinations(column));
  if (finished_[worker]) values_->done(destinations(*finished_[worker]));
  finished_[worker] = column;
}

}  // namespace outcore
