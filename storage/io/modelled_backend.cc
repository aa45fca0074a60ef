// SPDX-License-Identifier: Apache-2.0
#include "storage/io/modelled_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <utility>

namespace outcore {

namespace {

using Time = ModelClock::Time;

// A request has a slot here from submit() to its completion. The slot waits for two things, in any
// order: the inner channel must have carried it out, and the model's time must have come.
class ModelledChannel final : public Channel {
 public:
  ModelledChannel(ModelledDevice& device, std::unique_ptr<Channel> inner, unsigned depth)
      : device_(device), inner_(std::move(inner)), slots_(depth), free_(depth), arrivals_(depth) {
    std::iota(free_.rbegin(), free_.rend(), 0U);
  }

  Submit submit(const Request& request) override {
    if (free_.empty()) return Submit::busy;
    const std::uint32_t slot = free_.back();
    Request passed = request;
    passed.tag = slot;
    // The inner channel is as deep as this one, so it is never full.
    const Submit answer = inner_->submit(passed);
    free_.pop_back();
    const Time asked = device_.clock().now();
    const Time due = device_.answered(request);
    slots_[slot] = {request.tag, asked, due, answer == Submit::completed, false};
    waiting_.push({due, slot});
    return Submit::queued;
  }

  void flush() override { inner_->flush(); }

  std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
    at_least = std::min({at_least, in_flight(), done.size()});
    std::size_t count = 0;
    for (bool waited = false;; waited = true) {
      while (collect(0) > 0) {  // take all arrivals, or some would be counted as late
      }
      pass_time(device_.clock().now(), waited);
      while (count < done.size() && !ready_.empty()) {
        done[count++] = {slots_[ready_.front()].tag};
        free_.push_back(ready_.front());
        ready_.pop_front();
      }
      if (count >= at_least) return count;
      wait();
    }
  }

  [[nodiscard]] std::size_t in_flight() const override { return slots_.size() - free_.size(); }

 private:
  struct Slot {
    std::uint64_t tag = 0;
    Time asked{0};
    Time due{0};
    bool arrived = false;
    bool late = false;
  };
  using Due = std::pair<Time, std::uint32_t>;

  std::size_t collect(std::size_t at_least) {
    const std::size_t count = inner_->reap(arrivals_, at_least);
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint32_t>(arrivals_[i].tag);
      Slot& slot = slots_[number];
      slot.arrived = true;
      if (!slot.late) continue;
      device_.late(device_.clock().now() - slot.due);
      --late_;
      ready_.push_back(number);
    }
    return count;
  }

  // Requests whose time has come are ready, or late if they have not arrived. After a wait, the
  // thread may have slept past their time.
  void pass_time(Time now, bool waited) {
    while (!waiting_.empty() && waiting_.top().first <= now) {
      const std::uint32_t number = waiting_.top().second;
      waiting_.pop();
      const Slot& slot = slots_[number];
      if (slot.arrived) {
        ready_.push_back(number);
        if (waited) device_.woke(slot.due - slot.asked, now - slot.due);
      } else {
        slots_[number].late = true;
        ++late_;
      }
    }
  }

  // Waits for the next due time, or for late requests, whichever comes first.
  void wait() {
    constexpr Time kGlance = std::chrono::microseconds(20);
    if (waiting_.empty()) {
      collect(1);
      return;
    }
    const Time due = waiting_.top().first;
    device_.clock().wait_until(late_ == 0 ? due : std::min(due, device_.clock().now() + kGlance));
  }

  ModelledDevice& device_;
  std::unique_ptr<Channel> inner_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Completion> arrivals_;  // scratch memory of collect()
  std::priority_queue<Due, std::vector<Due>, std::greater<>> waiting_;  // by due time
  std::deque<std::uint32_t> ready_;
  std::size_t late_ = 0;  // due, but still with the device
};

class ModelledBackend final : public Backend {
 public:
  ModelledBackend(std::unique_ptr<Backend> inner, unsigned depth,
                  std::shared_ptr<ModelledDevice> device)
      : device_(std::move(device)), depth_(depth), inner_(std::move(inner)) {}

  [[nodiscard]] std::string name() const override { return inner_->name(); }
  std::uint32_t add_file(const std::filesystem::path& path, bool writable) override {
    return inner_->add_file(path, writable);
  }
  [[nodiscard]] BackendTraits traits() const override {
    BackendTraits traits = inner_->traits();
    traits.maps = false;  // accesses to memory cannot be delayed
    return traits;
  }
  std::unique_ptr<Channel> open_channel(std::span<std::byte> buffers) override {
    return std::make_unique<ModelledChannel>(*device_, inner_->open_channel(buffers), depth_);
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> all = inner_->notes();
    all.push_back(fmt::format("modelled: device {} in front of {}, all its times multiplied by {}",
                              device_->model().name, inner_->name(), device_->dilation()));
    return all;
  }

 private:
  std::shared_ptr<ModelledDevice> device_;
  unsigned depth_;
  std::unique_ptr<Backend> inner_;
};

}  // namespace

std::unique_ptr<Backend> make_modelled_backend(std::unique_ptr<Backend> inner, unsigned depth,
                                               std::shared_ptr<ModelledDevice> device) {
  return std::make_unique<ModelledBackend>(std::move(inner), depth, std::move(device));
}

}  // namespace outcore
