// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/buffer_pool.h"

namespace outcore::evolving {

BufferPool::BufferPool(const Placement& placement, std::uint64_t bulk_bytes)
    : placement_(placement),
      arena_((std::uint64_t{1} << 32) * kUnit, bulk_bytes, placement),
      locals_(placement.lanes()) {}

BufferPool::Place BufferPool::allocate(unsigned lane, unsigned layer) {
  Local& local = locals_[lane];
  local.bytes += std::int64_t{1} << layer;
  if (const Place place = local.free[layer]; place != 0) {
    local.free[layer] = *entries(place);
    return place;
  }
  Place& next = local.next[layer];
  if (next % kPage == 0) next = new_page(lane);
  const Place place = next;
  next += Place{1} << (layer - kLeastLayer);
  return place;
}

BufferPool::Place BufferPool::new_page(unsigned lane) {
  Local& local = locals_[lane];
  if (local.next_page == local.end) {
    const auto bulk =
        static_cast<Place>((arena_.take(1, placement_.node_of_lane(lane)) - arena_.base()) / kUnit);
    local.next_page = bulk == 0 ? kPage : bulk;  // place 0 means none
    local.end = bulk + static_cast<Place>(arena_.bulk_bytes() / kUnit);
  }
  const Place page = local.next_page;
  local.next_page += kPage;
  return page;
}

void BufferPool::free(unsigned lane, Place place, unsigned layer) {
  Local& local = locals_[lane];
  local.bytes -= std::int64_t{1} << layer;
  *entries(place) = local.free[layer];
  local.free[layer] = place;
}

void BufferPool::retire(unsigned lane, Place place, unsigned layer, std::uint64_t snapshot) {
  locals_[lane].retired.push_back({place, layer, snapshot});
}

void BufferPool::reclaim(std::uint64_t oldest_snapshot) {
  for (unsigned lane = 0; lane < locals_.size(); ++lane) {
    std::deque<Retired>& retired = locals_[lane].retired;
    for (; !retired.empty() && retired.front().snapshot < oldest_snapshot; retired.pop_front())
      free(lane, retired.front().place, retired.front().layer);
  }
}

void BufferPool::clear() {
  for (Local& local : locals_) local = Local{};
  arena_.release_all();
}

std::uint64_t BufferPool::buffer_bytes() const {
  std::int64_t bytes = 0;
  for (const Local& local : locals_) bytes += local.bytes;
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace outcore::evolving
