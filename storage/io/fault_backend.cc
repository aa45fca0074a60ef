// SPDX-License-Identifier: Apache-2.0
#include "storage/io/fault_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <numeric>
#include <queue>
#include <thread>

#include "common/hash.h"
#include "common/numa.h"
#include "storage/io/fault_plan.h"
#include "storage/io/request_progress.h"

namespace outcore {

namespace {

using SteadyClock = std::chrono::steady_clock;

class FaultBackend final : public Backend {
 public:
  explicit FaultBackend(const BackendOptions& options)
      : plan_(FaultPlan::parse(options.fault_plan)),
        depth_(options.depth),
        inner_(make_backend(plan_.over, options)) {}

  [[nodiscard]] std::string name() const override { return "fault"; }
  [[nodiscard]] BackendTraits traits() const override {
    BackendTraits traits = inner_->traits();
    traits.maps = false;  // only requests go wrong, not accesses to memory
    return traits;
  }
  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    paths_.push_back(path);
    return inner_->add_file(path, writable);
  }
  std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) override;

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all = inner_->notes();
    all.push_back(fmt::format("faults are injected over {}", inner_->name()));
    return all;
  }

  [[nodiscard]] const FaultPlan& plan() const { return plan_; }
  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] const std::filesystem::path& path(std::uint32_t file) const { return paths_[file]; }
  // Relaxed: the numbers only need to differ.
  std::uint64_t next_number() { return number_.fetch_add(1, std::memory_order_relaxed); }

 private:
  FaultPlan plan_;
  unsigned depth_;
  std::unique_ptr<Backend> inner_;
  std::vector<std::filesystem::path> paths_;
  std::atomic<std::uint64_t> number_{0};
};

// Every request passes through a slot here: it is *out* with the inner channel, then *held* until
// its delay is over, then returned to the caller with its fault.
class FaultChannel final : public Channel {
 public:
  FaultChannel(FaultBackend& backend, std::unique_ptr<Channel> inner)
      : backend_(backend),
        slots_(backend.depth()),
        inner_(std::move(inner)),
        free_(backend.depth()),
        arrivals_(backend.depth()) {
    std::iota(free_.rbegin(), free_.rend(), 0U);
  }

  Submit submit(const Request& request) override {
    if (free_.empty()) return Submit::busy;
    const std::uint32_t slot = free_.back();
    const std::uint64_t number = backend_.next_number();
    const Fault fault = backend_.plan().of(number, request.op);
    slots_[slot] = {
        request, number, fault, SteadyClock::now() + backend_.plan().delay_of(number), {}};
    Request passed = reaching_the_device(slots_[slot]);
    passed.tag = slot;
    free_.pop_back();
    // The inner channel is as deep as this one, so it is never full.
    const bool passes = passed.bytes > 0 || (request.op == Op::sync && fault == Fault::none);
    if (!passes || inner_->submit(passed) == Submit::completed) hold(slot);
    return Submit::queued;
  }

  void flush() override { inner_->flush(); }

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    at_least = std::min({at_least, in_flight(), done.size()});
    std::size_t count = 0;
    while (true) {
      collect(0);
      while (count < done.size() && !held_.empty() && held_.top().due <= SteadyClock::now()) {
        const std::uint32_t slot = held_.top().slot;
        held_.pop();
        free_.push_back(slot);
        done[count++] = deliver(slots_[slot]);
      }
      if (count >= at_least) return count;
      if (held_.empty()) {
        collect(1);
      } else {
        std::this_thread::sleep_until(held_.top().due);
      }
    }
  }

  [[nodiscard]] std::size_t in_flight() const override { return slots_.size() - free_.size(); }

 private:
  struct Slot {
    Request request;
    std::uint64_t number = 0;
    Fault fault = Fault::none;
    SteadyClock::time_point due;
    numa::Memory flipped;  // is written instead of the caller's bytes
  };

  // A slot whose request has ended; ordered by when it is due.
  struct Held {
    SteadyClock::time_point due;
    std::uint32_t slot = 0;
    auto operator<=>(const Held&) const = default;
  };

  // The part of a slot's request that its fault lets through: all of it, a part, or no bytes.
  static Request reaching_the_device(Slot& slot) {
    Request request = slot.request;
    const bool writes = request.op == Op::write;
    switch (slot.fault) {
      case Fault::none:
        break;
      case Fault::eio:
      case Fault::enospc:
        request.bytes = 0;
        break;
      case Fault::short_end:
        request.bytes = writes ? request.bytes - static_cast<std::uint32_t>(kAlignment) : 0;
        break;
      case Fault::torn:
        request.bytes = static_cast<std::uint32_t>(mix(slot.number) % (request.bytes / kAlignment) *
                                                   kAlignment);
        break;
      case Fault::flip:
        if (!writes) break;
        slot.flipped = numa::allocate(request.bytes, 0);
        std::copy_n(request.memory, request.bytes, slot.flipped.get());
        request.memory = slot.flipped.get();
        flip_a_bit(request, slot.number);
        break;
    }
    return request;
  }

  static void flip_a_bit(const Request& request, std::uint64_t number) {
    const std::uint64_t chance = mix(number);
    request.memory[chance % request.bytes] ^= static_cast<std::byte>(1U << (chance >> 61));
  }

  void collect(std::size_t at_least) {
    const std::size_t arrived = inner_->reap(arrivals_, at_least);
    for (std::size_t i = 0; i < arrived; ++i) {
      hold(static_cast<std::uint32_t>(arrivals_[i].tag));
    }
  }
  void hold(std::uint32_t slot) { held_.push({slots_[slot].due, slot}); }

  Completion deliver(const Slot& slot) {
    const Request& request = slot.request;
    const std::filesystem::path& path = backend_.path(request.file);
    RequestProgress progress(request);
    if (slot.fault == Fault::eio) progress.take(-EIO, path);
    if (slot.fault == Fault::enospc) progress.take(-ENOSPC, path);
    if (slot.fault == Fault::short_end) {
      const auto done = static_cast<std::int64_t>(request.bytes - kAlignment);
      if (done > 0) progress.take(done, path);
      progress.take(request.op == Op::write ? -ENOSPC : 0, path);
    }
    if (slot.fault == Fault::flip && request.op == Op::read) flip_a_bit(request, slot.number);
    return {request.tag};
  }

  FaultBackend& backend_;
  std::vector<Slot> slots_;
  std::unique_ptr<Channel> inner_;  // destroyed before the slots, whose memory it may be writing
  std::vector<std::uint32_t> free_;
  std::vector<Completion> arrivals_;
  std::priority_queue<Held, std::vector<Held>, std::greater<>> held_;
};

std::unique_ptr<Channel> FaultBackend::open_channel(std::span<std::byte> buffers) {
  return std::make_unique<FaultChannel>(*this, inner_->open_channel(buffers));
}

}  // namespace

std::unique_ptr<Backend> make_fault_backend(const BackendOptions& options) {
  return std::make_unique<FaultBackend>(options);
}

}  // namespace outcore
