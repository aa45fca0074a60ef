// SPDX-License-Identifier: Apache-2.0
#include "storage/io/fault_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <sstream>
#include <thread>

#include "common/error.h"
#include "common/hash.h"
#include "storage/io/read_progress.h"

namespace outcore {

namespace {

using SteadyClock = std::chrono::steady_clock;

enum class Fault : std::uint8_t { none, eio, short_read, flip };

struct Plan {
  std::string over = "threads";
  std::map<std::uint64_t, Fault> at;
  std::chrono::microseconds delay{0};
  std::chrono::microseconds jitter{0};
  double rate = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] Fault of(std::uint64_t request) const {
    if (const auto planned = at.find(request); planned != at.end()) return planned->second;
    const std::uint64_t chance = mix(mix(seed) ^ request);
    if (share(chance) >= rate) return Fault::none;
    return static_cast<Fault>(1 + mix(chance) % 3);
  }
  [[nodiscard]] std::chrono::microseconds delay_of(std::uint64_t request) const {
    const double part = share(mix(mix(~seed) ^ request));
    return delay +
           std::chrono::microseconds(std::llround(part * static_cast<double>(jitter.count())));
  }

 private:
  // A hash as a number from 0 to 1.
  static double share(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }
};

std::chrono::microseconds microseconds_of(double milliseconds) {
  return std::chrono::microseconds(std::llround(milliseconds * 1000));
}

double number_after(const std::string& item, std::size_t position) {
  char* end = nullptr;
  const double number = std::strtod(item.c_str() + position, &end);
  if (position >= item.size() || *end != '\0' || !std::isfinite(number) || number < 0) {
    throw usage_error(
        fmt::format("fault plan: '{}' wants a number after '{}'", item, item.substr(0, position)));
  }
  return number;
}

Plan parse_plan(const std::string& text) {
  static const std::map<std::string, Fault> kFaults = {
      {"eio", Fault::eio}, {"short", Fault::short_read}, {"flip", Fault::flip}};
  Plan plan;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t mark = item.find_first_of("@:");
    const std::string word = item.substr(0, mark);
    const auto fault = kFaults.find(word);
    if (mark == std::string::npos || (fault != kFaults.end()) != (item[mark] == '@')) {
      throw usage_error(
          fmt::format("fault plan: cannot understand '{}'; there are eio@N short@N flip@N delay:MS "
                      "jitter:MS rate:P seed:S over:NAME",
                      item));
    }
    if (fault != kFaults.end()) {
      plan.at[static_cast<std::uint64_t>(number_after(item, mark + 1))] = fault->second;
    } else if (word == "delay") {
      plan.delay = microseconds_of(number_after(item, mark + 1));
    } else if (word == "jitter") {
      plan.jitter = microseconds_of(number_after(item, mark + 1));
    } else if (word == "rate") {
      plan.rate = number_after(item, mark + 1);
    } else if (word == "seed") {
      plan.seed = static_cast<std::uint64_t>(number_after(item, mark + 1));
    } else if (word == "over" && spec_name(item.substr(mark + 1)) != "fault") {
      plan.over = item.substr(mark + 1);
    } else {
      throw usage_error(fmt::format("fault plan: cannot understand '{}'", item));
    }
  }
  return plan;
}

class FaultBackend final : public Backend {
 public:
  explicit FaultBackend(const BackendOptions& options)
      : plan_(parse_plan(options.fault_plan)),
        depth_(options.depth),
        inner_(make_backend(plan_.over, options)) {}

  [[nodiscard]] std::string name() const override { return "fault"; }
  [[nodiscard]] BackendTraits traits() const override { return inner_->traits(); }
  std::uint32_t add_file(const std::filesystem::path& path) override {
    paths_.push_back(path);
    return inner_->add_file(path);
  }
  std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) override;

  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all = inner_->notes();
    all.push_back(fmt::format("faults are injected over {}", inner_->name()));
    return all;
  }

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] unsigned depth() const { return depth_; }
  [[nodiscard]] const std::filesystem::path& path(std::uint32_t file) const { return paths_[file]; }
  // Relaxed: numbers are only required to differ.
  std::uint64_t next_number() { return number_.fetch_add(1, std::memory_order_relaxed); }

 private:
  Plan plan_;
  unsigned depth_;
  std::unique_ptr<Backend> inner_;
  std::vector<std::filesystem::path> paths_;
  std::atomic<std::uint64_t> number_{0};
};

// Every request passes through a slot here: it is *out* with the inner channel, then *held* until
// its delay is over, then given to the caller with its fault.
class FaultChannel final : public Channel {
 public:
  FaultChannel(FaultBackend& backend, std::unique_ptr<Channel> inner)
      : backend_(backend),
        inner_(std::move(inner)),
        slots_(backend.depth()),
        free_(backend.depth()),
        arrivals_(backend.depth()) {
    std::iota(free_.rbegin(), free_.rend(), 0U);
  }

  Submit submit(const ReadRequest& request) override {
    if (free_.empty()) return Submit::busy;
    const std::uint32_t slot = free_.back();
    const std::uint64_t number = backend_.next_number();
    const Fault fault = backend_.plan().of(number);
    slots_[slot] = {request, number, fault, SteadyClock::now() + backend_.plan().delay_of(number)};
    ReadRequest passed = request;
    passed.tag = slot;
    // A failed request reads nothing, and the inner channel, as deep as this one, is never full.
    const bool reads = fault == Fault::none || fault == Fault::flip;
    free_.pop_back();
    if (!reads || inner_->submit(passed) == Submit::completed) hold(slot);
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
    ReadRequest request;
    std::uint64_t number = 0;
    Fault fault = Fault::none;
    SteadyClock::time_point due;
  };

  // A slot whose request has ended; the one that is due first comes first.
  struct Held {
    SteadyClock::time_point due;
    std::uint32_t slot = 0;
    auto operator<=>(const Held&) const = default;
  };

  void collect(std::size_t at_least) {
    const std::size_t arrived = inner_->reap(arrivals_, at_least);
    for (std::size_t i = 0; i < arrived; ++i) {
      hold(static_cast<std::uint32_t>(arrivals_[i].tag));
    }
  }
  void hold(std::uint32_t slot) { held_.push({slots_[slot].due, slot}); }

  Completion deliver(const Slot& slot) {
    const ReadRequest& request = slot.request;
    const std::filesystem::path& path = backend_.path(request.file);
    ReadProgress progress(request);
    if (slot.fault == Fault::eio) progress.take(-EIO, path);
    if (slot.fault == Fault::short_read) {
      const auto there = static_cast<std::int64_t>(request.bytes - kAlignment);
      while (true) progress.take(there - (progress.offset() - request.offset), path);
    }
    if (slot.fault == Fault::flip) {
      const std::uint64_t chance = mix(slot.number);
      request.into[chance % request.bytes] ^= static_cast<std::byte>(1U << (chance >> 61));
    }
    return {request.tag};
  }

  FaultBackend& backend_;
  std::unique_ptr<Channel> inner_;
  std::vector<Slot> slots_;
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
