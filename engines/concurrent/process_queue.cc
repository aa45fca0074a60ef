// SPDX-License-Identifier: Apache-2.0
#include "engines/concurrent/process_queue.h"

#include <array>
#include <atomic>

#include "engines/lists/list_read.h"

namespace outcore {

namespace {

constexpr std::size_t kTurn = 16;  // vertices that a worker takes at once

// The vertices whose lists are wanted, which workers take in turns.
class Turns {
 public:
  explicit Turns(std::span<const VertexId> vertices) : vertices_(vertices) {}
  // The next few, for one worker; empty at the end.
  std::span<const VertexId> take() {
    // Relaxed: hands out disjoint parts of what the executor has published.
    const std::size_t first = next_.fetch_add(kTurn, std::memory_order_relaxed);
    if (first >= vertices_.size()) return {};
    return vertices_.subspan(first, std::min(kTurn, vertices_.size() - first));
  }

 private:
  std::span<const VertexId> vertices_;
  std::atomic<std::size_t> next_{0};
};

class ListReader {
 public:
  ListReader(const RoundWorkers& workers, Turns& turns, unsigned worker)
      : round_(workers.round),
        executor_(workers.executor),
        turns_(turns),
        worker_(worker),
        hands_(workers.hands[worker]),
        source_(*workers.sources[worker]),
        lists_(source_.tickets()) {}

  void work() {
    while (!executor_.stopping()) {
      admit();
      if (source_.coming() == 0) return;
      process_lists(source_.arrived(true));
    }
  }

 private:
  using Ticket = BlockSource::Ticket;

  struct List {
    ListRead read;
    bool begun = false;
    alignas(kLargestMessage) std::byte message[kLargestMessage];  // push: its vertex's
  };

  // Asks for the first blocks of as many lists as may be under way, a turn's at once.
  void admit() {
    for (;;) {
      begin_lists();
      if (requests_.empty()) break;
      there_.clear();
      source_.ask(requests_, round_.lists.file, there_);
      // What is missing is read while the rest is processed.
      source_.channel()->flush();
      process_lists(there_);
    }
    source_.channel()->flush();
  }

  void begin_lists() {
    requests_.clear();
    while (requests_.size() < kTurn && source_.held() < source_.depth()) {
      if (turn_.empty()) turn_ = turns_.take();
      if (turn_.empty()) break;
      const Ticket ticket = source_.take();
      List& list = lists_[ticket];
      list.begun = false;
      list.read = ListRead::whole(round_.lists.index, turn_.front());
      turn_ = turn_.subspan(1);
      fly(list.read);
      requests_.push_back({ticket, list.read.flight});
    }
  }

  void fly(ListRead& read) {
    read.fly(source_.most_blocks());
    round_.lists.note(worker_, read.flight);
  }

  // Lists that have arrived completely, as most have, are handed over together, so that the program
  // can prefetch what it needs for each.
  void process_lists(std::span<const Ticket> tickets) {
    for (std::size_t first = 0; first < tickets.size(); first += HandOver::kBatch) {
      process_batch(tickets.subspan(first, std::min(HandOver::kBatch, tickets.size() - first)));
    }
  }
  void process_batch(std::span<const Ticket> tickets) {
    std::array<Ticket, HandOver::kBatch> whole;
    std::size_t count = 0;
    for (const Ticket ticket : tickets) {
      if (is_there_whole(ticket)) {
        const ListRead& read = lists_[ticket].read;
        hands_.add(read.v, read.flight.first, source_.data(ticket));
        whole[count++] = ticket;
      } else {
        process_blocks(ticket);
        advance(ticket);
      }
    }
    hands_.flush();
    for (const Ticket ticket : std::span(whole).first(count)) {
      source_.release(ticket);
      source_.give_back(ticket);
    }
  }

  // Also requires that it need not be decoded: there is room for decoding only one block's lists.
  [[nodiscard]] bool is_there_whole(Ticket ticket) const {
    const ListRead& read = lists_[ticket].read;
    return !round_.lists.layout.pieces().encoded() &&
           round_.lists.index.first_block(read.list) + 1 == read.end;
  }

  // Goes on until blocks must be waited for, which it asks for, or the list is finished.
  void advance(Ticket ticket) {
    ListRead& read = lists_[ticket].read;
    while (read.next < read.end) {
      fly(read);
      if (!source_.ask(ticket, round_.lists.file, read.flight)) return;
      process_blocks(ticket);
    }
    source_.give_back(ticket);
  }

  void process_blocks(Ticket ticket) {
    List& list = lists_[ticket];
    ListRead& read = list.read;
    const Messages own(list.message, round_.traits.message_bytes);
    if (!std::exchange(list.begun, true)) {
      hands_.take_message(source_of(round_.lists.index, read.v), own);
    }
    for (std::uint32_t i = 0; i < read.flight.blocks; ++i) {
      const std::byte* data = source_.data(ticket) + i * std::size_t{round_.lists.block_bytes()};
      hands_.list_piece(read.v, read.list, read.flight.first + i, data, own);
    }
    source_.release(ticket);
    if (round_.pull && !round_.program.listens(read.v)) read.end = read.next;
  }

  const Round& round_;
  const Executor& executor_;
  Turns& turns_;
  unsigned worker_;
  HandOver& hands_;
  BlockSource& source_;
  std::vector<List> lists_;  // by ticket
  std::span<const VertexId> turn_;
  std::vector<BlockSource::Request> requests_;  // scratch
  std::vector<Ticket> there_;                   // scratch
  const AbandonAtEnd at_end_{source_};
};

}  // namespace

void process_queue(const RoundWorkers& workers, std::span<const VertexId> vertices) {
  Turns turns(vertices);
  const auto work = [&](unsigned worker) { ListReader(workers, turns, worker).work(); };
  if (vertices.size() <= kTurn) {
    work(0);  // waking the others would cost more than it brings
  } else {
    workers.executor.run(work);
  }
}

}  // namespace outcore
