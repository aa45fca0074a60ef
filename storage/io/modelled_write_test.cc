// SPDX-License-Identifier: Apache-2.0
// What writes and syncs cost on a modelled device, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files.h"
#include "storage/io/modelled_backend.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

// Time passes only when a thread waits for it.
class StillClock final : public ModelClock {
 public:
  [[nodiscard]] Time now() const override { return now_; }
  void wait_until(Time time) override { now_ = std::max(now_, time); }

 private:
  Time now_{0};
};

DeviceModel device_file(const std::string& name) {
  return DeviceModel::read(std::filesystem::path(OUTCORE_DEVICES) / (name + ".toml"));
}

std::shared_ptr<ModelledDevice> still_device(const DeviceModel& model) {
  return std::make_shared<ModelledDevice>(model, 1, std::make_unique<StillClock>());
}

// Microseconds until `requests`, all submitted at once, are answered.
double until_answered(const DeviceModel& model, const std::vector<Request>& requests) {
  const auto device = still_device(model);
  ModelClock::Time last{0};
  for (const Request& request : requests) last = std::max(last, device->answered(request));
  EXPECT_EQ(device->counts().requests, requests.size());
  return static_cast<double>(last.count()) / 1000;
}

// `count` requests of 1 MB, in sequence in the file.
std::vector<Request> in_order(Op op, std::uint64_t count) {
  constexpr std::uint32_t kBytes = 1 << 20;
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < count; ++i) {
    requests.push_back({.bytes = kBytes, .offset = i * kBytes, .op = op});
  }
  return requests;
}

TEST(ModelledWrites, CostWhatReadsCostUnlessTheFileSaysOtherwise) {
  for (const char* name : {"hdd", "sata", "pcie", "optane"}) {
    DeviceModel model = device_file(name);
    model.write_mb_per_s = 0;
    EXPECT_EQ(model.write_rate(), model.mb_per_s);
    EXPECT_EQ(until_answered(model, in_order(Op::write, 50)),
              until_answered(model, in_order(Op::read, 50)))
        << name;
  }
}

TEST(ModelledWrites, GoThroughALineOfTheirOwnRate) {
  DeviceModel model = {"m", 8, 1, 0, 1000, 0};
  model.write_mb_per_s = 100;
  EXPECT_NEAR(until_answered(model, in_order(Op::read, 50)), 50 * 1048.576, 5);
  EXPECT_NEAR(until_answered(model, in_order(Op::write, 50)), 50 * 10485.76, 5);
  EXPECT_EQ(model.json().at("write_mb_per_s"), 100);
}

// A disk has one arm: writes between reads move it away and back.
TEST(ModelledWrites, MoveTheArmOfADisk) {
  const DeviceModel hdd = device_file("hdd");
  const auto request = [](std::uint64_t block, Op op) {
    return Request{.bytes = 4096, .offset = block * 4096, .op = op};
  };
  const double seek = hdd.service_us(4096, true);
  const double follows = hdd.service_us(4096, false);
  EXPECT_NEAR(until_answered(hdd, {request(0, Op::read), request(1, Op::read)}), seek + follows, 1);
  EXPECT_NEAR(
      until_answered(hdd, {request(0, Op::read), request(900, Op::write), request(1, Op::read)}),
      3 * seek, 1);
}

TEST(ModelledWrites, ASyncWaitsForTheWritesBeforeItAndForNoRead) {
  const DeviceModel model = {"m", 8, 100, 0, 1e6, 0};
  const Request sync = {.op = Op::sync};
  const Request write = {.bytes = 4096, .op = Op::write};
  const Request read = {.bytes = 4096, .op = Op::read};
  EXPECT_NEAR(until_answered(model, {sync}), 100, 1);
  EXPECT_NEAR(until_answered(model, {read, sync}), 100, 1);
  EXPECT_NEAR(until_answered(model, {write, sync}), 200, 1);
}

// Through the backend: the bytes are written, and the answer comes when the model says so.
TEST(ModelledWrites, AreAnsweredWhenTheirTimeHasCome) {
  const PatternedFile file(1 << 20);
  const DeviceModel model = device_file("hdd");
  const auto device = still_device(model);
  const auto backend = make_backend("mem", {.depth = 2, .device = device});
  backend->add_file(file.path(), true);
  AlignedBuffer buffer(2 * kAlignment);
  const auto channel = backend->open_channel(buffer.all());
  std::array<Completion, 2> done;
  channel->submit({0, kAlignment, 8 * kAlignment, buffer.at(0), 7, Op::write});
  EXPECT_EQ(channel->reap(done, 0), 0U);
  EXPECT_EQ(channel->reap(done, 1), 1U);
  EXPECT_EQ(done[0].tag, 7U);
  const auto us = static_cast<double>(device->clock().now().count()) / 1000;
  EXPECT_NEAR(us, model.service_us(kAlignment, true), 1);
  channel->submit({0, kAlignment, 8 * kAlignment, buffer.at(kAlignment), 8});
  EXPECT_EQ(channel->reap(done, 1), 1U);
  EXPECT_EQ(std::count(buffer.at(kAlignment), buffer.at(2 * kAlignment), std::byte{0}), kAlignment);
}

TEST(ModelledWrites, ARateOfNothingIsRefused) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("writes-{}", ::getpid());
  write_text_atomically(path,
                        "[model]\nk_r=2\nrequest_us=3\nkb_us=1\nmb_per_s=5\nseek_us=0\n"
                        "write_mb_per_s = 0\n");
  EXPECT_THROW(DeviceModel::read(path), Error);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace outcore
