// SPDX-License-Identifier: Apache-2.0
#include "engines/lists/block_reader.h"

#include <tuple>

namespace outcore {

namespace {

// A worker asks again when one in so many of its requests has come, and not for each: they go to
// the device together.
constexpr std::size_t kRefillShare = 4;

}  // namespace

// Looks what has come after each request that it has processed, so that as many are under way
// while it is busy.
bool BlockReader::fill() {
  if (source_.room() * kRefillShare >= source_.depth()) preload();
  if (source_.held() == 0) return false;
  for (const BlockSource::Ticket ticket : source_.arrived(there_.empty())) {
    there_.push_back(ticket);
  }
  return true;
}

void BlockReader::preload() {
  while (source_.room() > 0 && take_run()) {
    const std::size_t run = run_++;
    const bool first_is_enough = round_.pull && round_.traits.hearing == Hearing::first;
    if (first_is_enough && !requests_.anybody_listens(run)) continue;
    if (const std::byte* kept = requests_.kept(run); kept != nullptr) {
      hand_over_(run, kept);
      continue;
    }
    const BlockSource::Ticket ticket = source_.take();
    asked_for_[ticket] = run;
    const bool there = source_.ask(ticket, requests_.file(run), requests_.run(run));
    requests_.note(worker_, run);
    if (there) process(ticket);
  }
  source_.channel()->flush();
}

// Is there a run to read? Leaves it in run_.
bool BlockReader::take_run() {
  if (run_ == last_run_) std::tie(run_, last_run_) = requests_.take();
  return run_ < last_run_;
}

void BlockReader::process_one() {
  const BlockSource::Ticket ticket = there_.back();
  there_.pop_back();
  process(ticket);
}

void BlockReader::process(BlockSource::Ticket ticket) {
  source_.channel()->holes(hand_over_(asked_for_[ticket], source_.data(ticket)));
  source_.release(ticket);
  source_.give_back(ticket);
}

}  // namespace outcore
