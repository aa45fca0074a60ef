// SPDX-License-Identifier: Apache-2.0
// The edge log on a disk (XPGraph, section III-B and Fig. 7, with numbers in place of the paper's
// positions): a file of a fixed number of pages (log_page.h) that is written round and round.
//
// Updates are collected into a *group* in memory. A group that is closed is written and synced as
// one; it is acknowledged when that has returned. The next group begins a new page and may fill
// meanwhile. A page is free again when every update in it is in a run whose manifest is durable
// (release()).
//
// Threads: one feeds (add, close), one writes (write), any may release.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/log_page.h"

namespace outcore::evolving {

// What is written and acknowledged at once.
struct LogGroup {
  static constexpr std::size_t kMostPages = 256;  // 1 MB
  std::vector<LogPage> pages;
  [[nodiscard]] bool empty() const { return pages.empty(); }
  [[nodiscard]] std::uint64_t last() const { return pages.back().last(); }
};

// A place in the log: the page that holds, or will hold, the update after `update`.
struct LogPosition {
  std::uint64_t page = 0;
  std::uint64_t update = 0;
};

class DurableLog {
 public:
  // `firsts` has the first update of each page in use; the last of them ends before `end`, where
  // the log goes on.
  DurableLog(std::unique_ptr<DiskFile> file, unsigned id_bytes, std::uint32_t epoch,
             LogPosition end, std::span<const std::uint64_t> firsts);

  // Adds to the group that fills; returns how many of them. Fewer if the group has kMostPages,
  // which close() ends, or if the log is full.
  std::size_t add(std::span<const Update> updates);
  // Ends the group and returns it.
  LogGroup close();
  // Returns when the group is durable.
  void write(LogGroup& group);

  // Is there no free page?
  [[nodiscard]] bool full() const;
  // How many pages are not free.
  [[nodiscard]] std::uint64_t used() const;
  // The number of the last update that was added.
  [[nodiscard]] std::uint64_t added() const { return added_; }
  // The page that holds an update. REQUIRES: it is there, in a page that is not free.
  [[nodiscard]] std::uint64_t page_of(std::uint64_t update) const;
  // Pages before this one may be overwritten.
  void release(std::uint64_t first_page);

 private:
  template <unsigned kIdBytes>
  std::size_t add_with(std::span<const Update> updates);
  // False if the group or the log is full.
  bool begin_page();

  std::unique_ptr<DiskFile> file_;
  const std::uint64_t pages_;
  const unsigned id_bytes_;
  const std::uint32_t epoch_;
  std::uint64_t added_;
  LogGroup group_;
  mutable std::mutex mutex_;           // for what follows
  std::uint64_t first_page_;           // that may not be overwritten
  std::uint64_t next_page_;            // to be begun
  std::vector<std::uint64_t> firsts_;  // of each page from first_page_ on, at its place in the file
};

struct Replayed {
  LogPosition end;
  std::vector<std::uint64_t> firsts;  // the first update of each page from begin.page on
  // The number of the first bad page if it is damaged; what lies behind it was not replayed.
  std::optional<std::uint64_t> damaged;
};

using ReplayFn = std::function<void(std::span<const Update>)>;

// Hands every update after begin.update to `replay`, page by page, up to the last good page. A page
// that is not good ends the log. It is a torn tail if no later group was written, and damage if one
// was: a group is written only when the one before it is durable. `epoch` is the newest one known.
// Throws bad_input for a page that is good and cannot be: its updates do not follow those before.
Replayed replay_log(const DiskFile& file, const std::filesystem::path& path, unsigned id_bytes,
                    LogPosition begin, std::uint32_t epoch, const ReplayFn& replay);

// Writes zeros over the pages from `begin` on, of those from `first_page` on: what lies behind
// damage is given up. It is not synced.
void clear_log(DiskFile& file, std::uint64_t first_page, std::uint64_t begin);

}  // namespace outcore::evolving
