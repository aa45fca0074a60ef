// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/adjacency_chain.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace outcore::evolving {

AdjacencyChain::AdjacencyChain(const Placement& placement, std::unique_ptr<Bulks> bulks, Form form,
                               Medium* medium, bool clwb, std::uint64_t first_place)
    : placement_(placement),
      bulks_(std::move(bulks)),
      base_(bulks_->base()),
      form_(form),
      medium_(medium),
      clwb_(clwb),
      first_place_(first_place),
      locals_(placement.lanes()) {}

AdjacencyChain::Place AdjacencyChain::append(unsigned lane, Place previous,
                                             std::span<const Entry> entries) {
  const Place place = make(lane, previous, static_cast<std::uint32_t>(entries.size()));
  Block& made = mutable_block(place);
  std::memcpy(made.entries(), entries.data(), entries.size_bytes());
  if (form_ == Form::numbered) std::memcpy(made.entries() + made.count, &after_, sizeof after_);
  if (medium_ != nullptr) told_whole_block(place, own_bytes(form_) + entries.size_bytes());
  ++locals_[lane].counters.block_writes;
  return place;
}

void AdjacencyChain::told_whole_block(Place place, std::uint64_t bytes) const {
  medium_->wrote(place_of(place), bytes, &block(place));
  if (clwb_ && bytes > kLine / 2) medium_->flush(place_of(place), bytes);
}

AdjacencyChain::Place AdjacencyChain::make(unsigned lane, Place previous, std::uint32_t count) {
  Local& local = locals_[lane];
  const std::uint64_t bytes = own_bytes(form_) + std::uint64_t{count} * sizeof(Entry);
  const std::uint64_t rounded = bytes <= kLine
                                    ? std::max<std::uint64_t>(kUnit, std::bit_ceil(bytes))
                                    : (bytes + kLine - 1) / kLine * kLine;
  const Place place = allocate(lane, rounded);
  Block& made = mutable_block(place);
  made.previous = previous;
  made.count = count;
  ++local.counters.blocks;
  local.counters.block_bytes += rounded;
  return place;
}

AdjacencyChain::Place AdjacencyChain::link_and_make(unsigned lane, Place previous,
                                                    std::uint32_t count) {
  const Place place = make(lane, previous, count);
  if (medium_ == nullptr) return place;
  medium_->wrote(place_of(place), sizeof(Block), &block(place));
  if (previous != 0) medium_->wrote(place_of(previous), sizeof(Place), &place);
  return place;
}

void AdjacencyChain::set(unsigned lane, Place block_place, std::uint32_t index, Entry entry) {
  ++locals_[lane].counters.block_writes;
  mutable_block(block_place).entries()[index] = entry;
  if (medium_ == nullptr) return;
  medium_->wrote(place_of(block_place) + sizeof(Block) + index * sizeof(Entry), sizeof(Entry),
                 &entry);
}

AdjacencyChain::Place AdjacencyChain::allocate(unsigned lane, std::uint64_t bytes) {
  Local& local = locals_[lane];
  const auto units = static_cast<Place>(bytes / kUnit);
  if (bytes > kLine) {
    if (local.long_end - local.long_next < units) {
      constexpr Place kLeast = 16;
      const Place pages = std::max(kLeast, (units + kPage - 1) / kPage);
      local.long_next = take_pages(lane, pages);
      local.long_end = local.long_next + pages * kPage;
    }
    const Place place = local.long_next;
    local.long_next += units;
    return place;
  }
  Place& next = local.next[static_cast<unsigned>(std::countr_zero(bytes))];
  if (next % kPage == 0) next = take_pages(lane, 1);
  const Place place = next;
  next += units;
  return place;
}

// Pages in one piece; what is left of a bulk that has too few is lost.
AdjacencyChain::Place AdjacencyChain::take_pages(unsigned lane, Place pages) {
  Local& local = locals_[lane];
  if (local.end - local.next_page < pages * kPage) {
    const std::uint64_t bytes = (std::uint64_t{pages} + 1) * kPage * kUnit;  // one more for place 0
    const auto bulk =
        static_cast<Place>((bulks_->take(bytes, placement_.node_of_lane(lane)) - base_) / kUnit);
    const std::uint64_t taken =
        (bytes + bulks_->bulk_bytes() - 1) / bulks_->bulk_bytes() * bulks_->bulk_bytes();
    local.next_page = bulk == 0 ? kPage : bulk;  // place 0 means none
    local.end = bulk + static_cast<Place>(taken / kUnit);
  }
  const Place first = local.next_page;
  local.next_page += pages * kPage;
  return first;
}

std::uint64_t AdjacencyChain::entries_after(Place newest, std::uint64_t after,
                                            std::uint64_t enough) const {
  std::uint64_t sum = 0;
  for (Place at = newest; at != 0 && sum <= enough; at = block(at).previous) {
    if (number_of(block(at)) != after) break;
    sum += block(at).count;
  }
  return sum;
}

WorkCounters AdjacencyChain::counters() const {
  WorkCounters sum;
  for (const Local& local : locals_) sum += local.counters;
  return sum;
}

}  // namespace outcore::evolving
