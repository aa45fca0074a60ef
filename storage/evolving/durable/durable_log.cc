// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/durable_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace outcore::evolving {

DurableLog::DurableLog(std::unique_ptr<DiskFile> file, unsigned id_bytes, std::uint32_t epoch,
                       LogPosition end, std::span<const std::uint64_t> firsts)
    : file_(std::move(file)),
      pages_(file_->size() / sizeof(LogPage)),
      id_bytes_(id_bytes),
      epoch_(epoch),
      added_(end.update),
      first_page_(end.page - firsts.size()),
      next_page_(end.page),
      firsts_(pages_) {
  for (std::size_t i = 0; i < firsts.size(); ++i) firsts_[(first_page_ + i) % pages_] = firsts[i];
}

std::size_t DurableLog::add(std::span<const Update> updates) {
  return with_id_bytes(id_bytes_, [&]<unsigned kIdBytes>() { return add_with<kIdBytes>(updates); });
}

template <unsigned kIdBytes>
std::size_t DurableLog::add_with(std::span<const Update> updates) {
  constexpr std::size_t kPageUpdates = LogPage::updates_of(kIdBytes);
  std::size_t added = 0;
  while (added < updates.size()) {
    const bool has_room = !group_.empty() && group_.pages.back().count < kPageUpdates;
    if (!has_room && !begin_page()) break;
    LogPage& page = group_.pages.back();
    const std::size_t end = std::min(updates.size(), added + kPageUpdates - page.count);
    added_ += end - added;
    while (added < end) page.add<kIdBytes>(updates[added++]);
  }
  return added;
}

bool DurableLog::begin_page() {
  if (group_.pages.size() == LogGroup::kMostPages) return false;
  const std::lock_guard lock(mutex_);
  if (next_page_ - first_page_ == pages_) return false;
  LogPage& page = group_.pages.emplace_back();
  page.number = next_page_;
  page.first = added_ + 1;
  page.epoch = epoch_;
  page.before = static_cast<std::uint16_t>(group_.pages.size() - 1);
  firsts_[next_page_++ % pages_] = page.first;
  return true;
}

LogGroup DurableLog::close() {
  LogGroup closed = std::move(group_);
  group_ = LogGroup();
  return closed;
}

void DurableLog::write(LogGroup& group) {
  for (LogPage& page : group.pages) page.hash = page.right_hash();
  const std::span<const LogPage> all(group.pages);
  const std::uint64_t place = all.front().number % pages_;
  const std::size_t before_the_end = std::min<std::size_t>(all.size(), pages_ - place);
  const std::array<DiskPiece, 2> pieces = {
      DiskPiece{std::as_bytes(all.first(before_the_end)), place * sizeof(LogPage)},
      DiskPiece{std::as_bytes(all.subspan(before_the_end)), 0}};
  const bool goes_round = before_the_end < all.size();
  file_->write_and_sync(std::span(pieces).first(goes_round ? 2 : 1));
}

bool DurableLog::full() const { return used() == pages_; }

std::uint64_t DurableLog::used() const {
  const std::lock_guard lock(mutex_);
  return next_page_ - first_page_;
}

std::uint64_t DurableLog::page_of(std::uint64_t update) const {
  const std::lock_guard lock(mutex_);
  std::uint64_t page = next_page_ - 1;
  while (page > first_page_ && firsts_[page % pages_] > update) --page;
  return page;
}

void DurableLog::release(std::uint64_t first_page) {
  const std::lock_guard lock(mutex_);
  first_page_ = first_page;
}

namespace {

// Reads pages by number, up to a group at a time.
class PageReader {
 public:
  PageReader(const DiskFile& file, std::uint64_t pages) : file_(file), pages_(pages) {}

  const LogPage& operator[](std::uint64_t number) {
    if (number < begin_ || number >= begin_ + read_.size()) fetch(number);
    return read_[number - begin_];
  }

 private:
  void fetch(std::uint64_t number) {
    const std::uint64_t place = number % pages_;
    read_.resize(std::min<std::uint64_t>(LogGroup::kMostPages, pages_ - place));
    file_.read(std::as_writable_bytes(std::span(read_)), place * sizeof(LogPage));
    begin_ = number;
  }

  const DiskFile& file_;
  const std::uint64_t pages_;
  std::uint64_t begin_ = 0;
  std::vector<LogPage> read_;
};

// Those of a page that come after `begin`.
template <unsigned kIdBytes>
std::vector<Update> updates_after(std::uint64_t begin, const LogPage& page) {
  std::vector<Update> updates;
  for (std::size_t i = 0; i < page.count; ++i) {
    if (page.first + i > begin) updates.push_back(page.update<kIdBytes>(i));
  }
  return updates;
}

// What a page must be to continue the log.
struct Expected {
  std::uint64_t number;
  std::uint32_t least_epoch;
  std::uint32_t most_epoch;
};

bool continues(const LogPage& page, const Expected& expected) {
  if (page.hash != page.right_hash()) return false;
  // At its place may be the page of the lap before,
  if (page.number != expected.number) return false;
  // or one of a group that a crash tore. The store was opened since, and took other updates.
  return page.epoch >= expected.least_epoch && page.epoch <= expected.most_epoch;
}

void check_follows(const LogPage& page, std::uint64_t expected, bool is_first, std::size_t most,
                   const std::filesystem::path& path, std::uint64_t offset) {
  const bool follows = is_first ? page.first <= expected : page.first == expected;
  if (follows && page.count > 0 && page.count <= most) return;
  throw bad_input(Place::offset(path, offset),
                  fmt::format("a log page of {} updates from {} on", page.count, page.first),
                  fmt::format("1 to {} from {} on", most, expected));
}

}  // namespace

Replayed replay_log(const DiskFile& file, const std::filesystem::path& path, unsigned id_bytes,
                    LogPosition begin, std::uint32_t epoch, const ReplayFn& replay) {
  const std::uint64_t pages = file.size() / sizeof(LogPage);
  PageReader reader(file, pages);
  Replayed result{.end = begin, .firsts = {}, .damaged = {}};
  Expected expected{.number = begin.page, .least_epoch = 0, .most_epoch = epoch};
  const std::uint64_t end = begin.page + pages;
  for (; expected.number < end; ++expected.number) {
    const LogPage& page = reader[expected.number];
    if (!continues(page, expected)) break;
    check_follows(page, result.end.update + 1, expected.number == begin.page,
                  LogPage::updates_of(id_bytes), path, expected.number % pages * sizeof(LogPage));
    expected.least_epoch = page.epoch;
    result.firsts.push_back(page.first);
    const std::vector<Update> updates = with_id_bytes(
        id_bytes, [&]<unsigned kIdBytes>() { return updates_after<kIdBytes>(begin.update, page); });
    if (!updates.empty()) replay(updates);
    result.end = {page.number + 1, std::max(begin.update, page.last())};
  }
  // Two groups may follow the last good page at most: the one that the damage is in, and one that
  // was in flight.
  const std::uint64_t bad = expected.number;
  const std::uint64_t last = std::min(end, bad + 2 * LogGroup::kMostPages);
  while (!result.damaged && ++expected.number < last) {
    const LogPage& page = reader[expected.number];
    if (continues(page, expected) && page.number - page.before > bad) result.damaged = bad;
  }
  return result;
}

void clear_log(DiskFile& file, std::uint64_t first_page, std::uint64_t begin) {
  const std::uint64_t pages = file.size() / sizeof(LogPage);
  const LogPage empty;
  for (std::uint64_t page = begin; page < first_page + pages; ++page) {
    file.write(std::as_bytes(std::span(&empty, 1)), page % pages * sizeof(LogPage));
  }
}

}  // namespace outcore::evolving
