// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/piece_reader.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common/progress.h"

namespace outcore {

namespace {

enum class State : std::uint8_t { free, filled, worked };

// Piece k always uses slot k % slots. The slots change owner under the mutex: free ones belong
// to the reader, filled ones to the worker with that ticket, worked ones to the calling thread.
struct Slot {
  std::vector<char> bytes;
  FilePiece piece;
  State state = State::free;
  std::uint64_t number = 0;    // of the piece, unless the slot is free
  std::uint64_t position = 0;  // in the file, after this piece
  std::exception_ptr failure;  // thrown by reading or by the work
};

class PieceLoop {
 public:
  PieceLoop(const PieceSettings& settings,
            const std::function<void(std::size_t, const FilePiece&)>& work)
      : settings_(settings),
        work_(work),
        piece_bytes_(settings.record_bytes == 0
                         ? FilePiece::kBytes
                         : FilePiece::kBytes / settings.record_bytes * settings.record_bytes),
        slots_(piece_slots(settings)) {
    // One byte more for a missing final '\n'.
    for (Slot& slot : slots_) slot.bytes.resize(piece_bytes_ + 1 + FilePiece::kPadding);
    threads_.emplace_back([this] { read_all(); });
    for (unsigned i = 0; i < settings.threads; ++i) threads_.emplace_back([this] { work_all(); });
  }
  // Wakes all waiting threads. The threads are joined when threads_, the last member, is destroyed.
  ~PieceLoop() {
    settings_.source.file().cancel();
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  PieceLoop(const PieceLoop&) = delete;
  PieceLoop& operator=(const PieceLoop&) = delete;

  void take_all(const std::function<void(std::size_t)>& take) {
    Progress progress(settings_.progress, settings_.source.file().bytes().value_or(0), "bytes");
    std::uint64_t position = 0;
    for (std::uint64_t k = 0; wait_for(k, State::worked); ++k) {
      Slot& slot = slot_of(k);
      if (slot.failure) std::rethrow_exception(slot.failure);
      take(k % slots_.size());
      progress.add(slot.position - position);
      position = slot.position;
      hand_on(k, State::free);
    }
  }

 private:
  Slot& slot_of(std::uint64_t k) { return slots_[k % slots_.size()]; }

  // False if there is no piece k.
  bool wait_for(std::uint64_t k, State state) {
    std::unique_lock lock(mutex_);
    const Slot& slot = slot_of(k);
    changed_.wait(lock, [&] {
      return stopping_ || k >= pieces_ ||
             (slot.state == state && (state == State::free || slot.number == k));
    });
    return !stopping_ && k < pieces_;
  }

  void hand_on(std::uint64_t k, State state) {
    const std::lock_guard lock(mutex_);
    slot_of(k).number = k;
    slot_of(k).state = state;
    changed_.notify_all();
  }

  void end_after(std::uint64_t pieces) {
    const std::lock_guard lock(mutex_);
    pieces_ = pieces;
    changed_.notify_all();
  }

  void read_all() {
    for (std::uint64_t k = 0; wait_for(k, State::free); ++k) {
      Slot& slot = slot_of(k);
      try {
        if (!fill(slot)) {
          end_after(k);
          return;
        }
      } catch (...) {
        slot.failure = std::current_exception();
        hand_on(k, State::worked);
        end_after(k + 1);
        return;
      }
      hand_on(k, State::filled);
    }
  }

  // False at the end of the file.
  bool fill(Slot& slot) {
    ByteSource& source = settings_.source;
    const std::span<char> room = std::span(slot.bytes).first(piece_bytes_);
    std::size_t filled = source.read(room);
    const bool last = filled < room.size();
    if (last && filled > 0 && settings_.record_bytes == 0 && slot.bytes[filled - 1] != '\n') {
      slot.bytes[filled++] = '\n';
    }
    const std::size_t whole = last ? filled : whole_records(slot.bytes.data(), filled);
    source.put_back(room.subspan(whole, filled - whole));
    slot.piece = {{slot.bytes.data(), whole}, offset_};
    slot.position = source.file().position();
    offset_ += whole;
    return whole > 0;
  }

  [[nodiscard]] std::size_t whole_records(const char* bytes, std::size_t filled) const {
    if (settings_.record_bytes > 0) return filled;  // pieces are multiples of records
    const void* const newline = ::memrchr(bytes, '\n', filled);
    if (newline == nullptr) return filled;
    return static_cast<std::size_t>(static_cast<const char*>(newline) - bytes) + 1;
  }

  void work_all() {
    for (;;) {
      const std::uint64_t k = next_ticket();
      if (!wait_for(k, State::filled)) return;
      Slot& slot = slot_of(k);
      try {
        work_(k % slots_.size(), slot.piece);
      } catch (...) {
        slot.failure = std::current_exception();
      }
      hand_on(k, State::worked);
    }
  }

  std::uint64_t next_ticket() {
    const std::lock_guard lock(mutex_);
    return ticket_++;
  }

  const PieceSettings& settings_;
  const std::function<void(std::size_t, const FilePiece&)>& work_;
  std::size_t piece_bytes_;
  std::vector<Slot> slots_;

  std::uint64_t offset_ = 0;  // used only by the reader

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t pieces_ = ~std::uint64_t{0};  // unknown at first
  std::uint64_t ticket_ = 0;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace

void read_pieces(const PieceSettings& settings,
                 const std::function<void(std::size_t, const FilePiece&)>& work,
                 const std::function<void(std::size_t)>& take) {
  PieceLoop loop(settings, work);
  loop.take_all(take);
}

}  // namespace outcore
