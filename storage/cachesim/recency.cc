// SPDX-License-Identifier: Apache-2.0
#include "storage/cachesim/recency.h"

#include <algorithm>
#include <cassert>

namespace outcore {

Recency::Recency(std::size_t smallest_window) : smallest_window_(smallest_window) {}

void Recency::annotate(AccessChunk& chunk) {
  const std::vector<std::uint32_t>& units = chunk.units;
  chunk.renumbering.reset();
  if (now_ + units.size() > window_) renumber(chunk);
  chunk.first = static_cast<Position>(now_);
  chunk.previous.resize(units.size());
  if (units.empty()) return;
  const std::size_t end = std::size_t{*std::max_element(units.begin(), units.end())} + 1;
  if (end > last_.size()) last_.resize(std::max(end, last_.size() + last_.size() / 2), kNever);
  auto at = static_cast<Position>(now_);
  for (std::size_t i = 0; i < units.size(); ++i) {
    Position& last = last_[units[i]];
    chunk.previous[i] = last;
    distinct_ += last == kNever ? 1 : 0;
    last = at++;
  }
  now_ += units.size();
}

void Recency::renumber(AccessChunk& chunk) {
  const std::size_t live = distinct_;
  // At most kNever, the largest Position: with very many units, 4 * live would exceed it.
  const std::size_t next_window = std::min<std::size_t>(
      std::max({smallest_window_, 4 * live, live + chunk.units.size()}), kNever);
  Renumbering renumbering(window_, next_window);
  for (const Position last : last_) {
    if (last != kNever) renumbering.keep(last);
  }
  renumbering.seal();
  for (Position& last : last_) {
    if (last != kNever) last = renumbering(last);
  }
  now_ = live;
  window_ = next_window;
  chunk.renumbering = std::move(renumbering);
}

}  // namespace outcore
