// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/page_reader.h"

#include <tuple>
#include <utility>

#include "storage/events/event_recorder.h"

namespace outcore {

void PageReader::read() {
  const AbandonAtEnd at_end(source_);
  while (reclaim()) {
    ask();
    if (source_.held() == 0) {
      stop();
      return;
    }
    if (source_.coming() > 0) {
      lend(source_.arrived(/*wait=*/true));
    } else {
      std::unique_lock lock(mutex_);
      returned_.wait(lock, [&] { return ended_ || !used_.empty(); });
    }
  }
}

// Takes back what was given back. False after stop().
bool PageReader::reclaim() {
  std::vector<BlockSource::Ticket> used;
  std::uint64_t holes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    used.swap(used_);
    holes = std::exchange(holes_, 0);
  }
  source_.channel()->holes(holes);
  for (const BlockSource::Ticket ticket : used) {
    source_.release(ticket);
    source_.give_back(ticket);
  }
  return true;
}

void PageReader::ask() {
  std::vector<BlockSource::Ticket> there;
  while (source_.room() > 0 && !asked_all_) {
    if (run_ == last_run_) std::tie(run_, last_run_) = requests_.take();
    asked_all_ = run_ == last_run_;
    if (asked_all_) break;
    const BlockSource::Ticket ticket = source_.take();
    asked_for_[ticket] = run_;
    if (source_.ask(ticket, round_.lists.file, requests_.run(run_))) there.push_back(ticket);
    requests_.note(/*worker=*/0, run_);
    ++run_;
  }
  source_.channel()->flush();
  lend(there);
}

void PageReader::lend(std::span<const BlockSource::Ticket> tickets) {
  if (tickets.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const BlockSource::Ticket ticket : tickets) {
      there_.push_back({ticket, asked_for_[ticket], source_.data(ticket)});
    }
  }
  lent_.notify_all();
}

bool PageReader::take(Pages& pages) {
  const WaitNote waited(round_.lists.events);
  std::unique_lock lock(mutex_);
  lent_.wait(lock, [&] { return ended_ || !there_.empty(); });
  if (ended_) return false;
  pages = there_.front();
  there_.pop_front();
  return true;
}

void PageReader::give_back(const Pages& pages, std::uint64_t holes) {
  {
    const std::lock_guard lock(mutex_);
    used_.push_back(pages.ticket);
    holes_ += holes;
  }
  returned_.notify_one();
}

void PageReader::stop() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  lent_.notify_all();
  returned_.notify_all();
}

}  // namespace outcore
