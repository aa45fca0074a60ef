// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/bins.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "engines/binning/gather.h"

namespace outcore {

namespace {

// Past the cache: what is written is next read by whoever gathers, when the cache has long held
// something else. REQUIRES: multiples of 16 bytes, aligned so.
void write_past_cache(std::byte* to, const std::byte* from, std::size_t bytes) {
#ifdef __SSE2__
  for (std::size_t at = 0; at < bytes; at += sizeof(__m128i)) {
    const __m128i part = _mm_load_si128(reinterpret_cast<const __m128i*>(from + at));
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), part);
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

void fence_writes_past_cache() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace

BinSpace::BinSpace(const BinSizes& sizes)
    : sizes_(sizes),
      memory_(numa::allocate(sizes.space())),
      buffers_(sizes.buffers),
      bins_(sizes.bins),
      drained_(sizes.bins),
      unused_(0),
      empties_(sizes.buffers) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].data = memory_.get() + i * sizes.buffer_bytes;
  }
}

void BinSpace::start(std::size_t message_bytes, unsigned scatterers, const KeptIds* kept) {
  if (message_bytes > kLargestMessage) {
    throw usage_error(fmt::format("a program's message has {} bytes: a record has room for {}",
                                  message_bytes, kLargestMessage));
  }
  const auto records_of = [&](std::size_t bytes) {
    const std::size_t lines = sizes_.buffer_bytes / (sizes_.line() * bytes);
    return static_cast<std::uint32_t>(lines << sizes_.line_shift);
  };
  message_bytes_ = message_bytes;
  buffer_records_ = records_of(sizeof(VertexId) + message_bytes);
  buffer_messages_ = records_of(message_bytes);
  scatterers_ = scatterers;
  kept_ = kept;
  std::ranges::fill(drained_, 0);
}

BinRecords BinSpace::records(const BinBuffer& buffer) const {
  const bool with_targets = buffer.runs == nullptr;
  return {.records = {with_targets ? reinterpret_cast<const VertexId*>(buffer.data) : nullptr,
                      buffer.data + target_bytes(with_targets), buffer.count},
          .runs = buffer.runs,
          .place = buffer.place};
}

void BinSpace::hand_over(std::size_t bin, BinBuffer* buffer) {
  fence_writes_past_cache();
  const std::lock_guard lock(mutex_);
  Bin& to = bins_[bin];
  buffer->next = std::exchange(to.buffers, buffer);
  if (++to.count == 1 && !to.taken) ++handed_;
  if (waiting_ > 0 && some_full()) moved_.notify_all();
}

// Of the next so many bins, or the first that was handed anything: where there are thousands,
// looking at each would take as long as gathering it.
FullBin BinSpace::pop_fullest() {
  constexpr std::size_t kLooked = 128;
  const std::size_t most = std::min(kLooked, bins_.size());
  Bin* fullest = nullptr;
  for (std::size_t looked = 0; looked < most || fullest == nullptr; ++looked) {
    Bin& bin = bins_[next_];
    next_ = next_ + 1 == bins_.size() ? 0 : next_ + 1;
    if (bin.taken || bin.count == 0) continue;
    if (fullest == nullptr || bin.count > fullest->count) fullest = &bin;
  }
  --handed_;
  fullest->taken = true;
  fullest->count = 0;
  return {static_cast<std::size_t>(fullest - bins_.data()),
          std::exchange(fullest->buffers, nullptr)};
}

BinBuffer* BinSpace::take_empty(FullBin* full) {
  std::unique_lock lock(mutex_);
  const auto there = [&] { return stopped_ || empties_ > 0 || (full != nullptr && handed_ > 0); };
  if (!there()) {
    ++waiting_;
    moved_.wait(lock, there);
    --waiting_;
  }
  if (stopped_) throw Stopped();
  if (empties_ == 0) {
    *full = pop_fullest();
    return nullptr;
  }
  --empties_;
  if (waiting_ > 0 && some_full()) moved_.notify_all();
  if (empty_ == nullptr) return &buffers_[unused_++];
  return std::exchange(empty_, empty_->next);
}

bool BinSpace::take_full(FullBin& full) {
  const std::lock_guard lock(mutex_);
  if (stopped_) throw Stopped();
  if (!some_full()) return false;
  full = pop_fullest();
  return true;
}

bool BinSpace::wait_full(FullBin& full) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  moved_.wait(lock, [&] { return stopped_ || some_full() || scatterers_ == 0; });
  --waiting_;
  if (stopped_) throw Stopped();
  if (scatterers_ == 0) return false;
  full = pop_fullest();
  return true;
}

void BinSpace::give_back(const FullBin& full) {
  BinBuffer* last = nullptr;
  std::size_t count = 0;
  for (BinBuffer* buffer = full.buffers; buffer != nullptr; buffer = buffer->next) {
    buffer->count = 0;
    last = buffer;
    ++count;
  }
  const std::lock_guard lock(mutex_);
  if (last != nullptr) last->next = std::exchange(empty_, full.buffers);
  empties_ += count;
  Bin& bin = bins_[full.bin];
  if (std::exchange(bin.taken, false) && bin.count > 0) ++handed_;
  if (waiting_ > 0) moved_.notify_all();
}

void BinSpace::scattered() {
  fence_writes_past_cache();  // buffers that are not handed over are taken at the end
  const std::lock_guard lock(mutex_);
  --scatterers_;
  if (waiting_ > 0) moved_.notify_all();
}

void BinSpace::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  moved_.notify_all();
}

FullBin BinSpace::take_rest(std::size_t bin) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(bins_[bin].count, 0) > 0) --handed_;
  return {bin, std::exchange(bins_[bin].buffers, nullptr)};
}

std::uint64_t BinSpace::used_bytes() const { return unused_ * sizes_.buffer_bytes; }

WorkerBins::WorkerBins(BinSpace& space, bool with_targets)
    : space_(space),
      with_targets_(with_targets),
      counts_(space.sizes().bins),
      current_(space.sizes().bins),
      places_(with_targets ? 0 : space.sizes().bins) {
  const BinSizes& sizes = space.sizes();
  const std::size_t records = sizes.bins << sizes.line_shift;
  const std::size_t targets = with_targets ? records * sizeof(VertexId) : 0;
  memory_ = numa::allocate(targets + records * kLargestMessage);
  lines_ = {.targets = with_targets ? reinterpret_cast<VertexId*>(memory_.get()) : nullptr,
            .messages = memory_.get() + targets,
            .counts = counts_.data(),
            .bin_shift = sizes.bin_shift,
            .line_shift = sizes.line_shift};
}

void WorkerBins::start(Gatherer* gatherer, std::size_t runs) {
  gatherer_ = gatherer;
  short_ = 0;
  if (with_targets_) return;
  runs_.clear();
  runs_.reserve(runs);
  std::ranges::fill(places_, KeptPlace());
}

void WorkerBins::take(VertexId v) {
  const std::size_t bin = v >> lines_.bin_shift;
  const std::size_t line = space_.sizes().line();
  BinBuffer* buffer = current(bin);
  const std::size_t bytes = space_.message_bytes();
  const std::size_t first = bin << lines_.line_shift;
  std::byte* messages = buffer->data + space_.target_bytes(with_targets_);
  write_past_cache(messages + buffer->count * bytes, lines_.messages + first * bytes, line * bytes);
  if (with_targets_) {
    write_past_cache(buffer->data + buffer->count * sizeof(VertexId),
                     reinterpret_cast<const std::byte*>(lines_.targets + first),
                     line * sizeof(VertexId));
  } else {
    places_[bin] = for_each_kept(space_.kept(), runs_.data(), bin, places_[bin], line,
                                 [](const VertexId*, std::size_t, std::size_t) {});
  }
  counts_[bin] = 0;
  buffer->count += static_cast<std::uint32_t>(line);
  if (buffer->count == space_.buffer_records(with_targets_)) {
    space_.hand_over(bin, std::exchange(current_[bin], nullptr));
  }
}

BinBuffer* WorkerBins::current(std::size_t bin) {
  if (current_[bin] != nullptr) return current_[bin];
  BinBuffer* buffer = empty_buffer();
  buffer->runs = with_targets_ ? nullptr : runs_.data();
  if (!with_targets_) buffer->place = places_[bin];
  return current_[bin] = buffer;
}

BinBuffer* WorkerBins::empty_buffer() {
  FullBin full;
  while (true) {
    BinBuffer* buffer = space_.take_empty(gatherer_ == nullptr ? nullptr : &full);
    if (buffer != nullptr) return buffer;
    ++short_;
    gatherer_->gather(full);
  }
}

BinBuffer* WorkerBins::take_current(std::size_t bin) {
  return std::exchange(current_[bin], nullptr);
}

BinRecords WorkerBins::take_line(std::size_t bin) {
  const std::size_t first = bin << lines_.line_shift;
  const std::uint32_t count = std::exchange(counts_[bin], 0);
  return {.records = {with_targets_ ? lines_.targets + first : nullptr,
                      lines_.messages + first * space_.message_bytes(), count},
          .runs = with_targets_ ? nullptr : runs_.data(),
          .place = with_targets_ ? KeptPlace() : places_[bin]};
}

std::uint64_t WorkerBins::used_bytes() const {
  const BinSizes& sizes = space_.sizes();
  const std::size_t record = (with_targets_ ? sizeof(VertexId) : 0) + space_.message_bytes();
  return (sizes.bins << sizes.line_shift) * record +
         sizes.bins * (sizeof(BinBuffer*) + sizeof(std::uint32_t)) +
         places_.size() * sizeof(KeptPlace) + runs_.capacity() * sizeof(std::uint32_t);
}

}  // namespace outcore
