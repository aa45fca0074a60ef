// SPDX-License-Identifier: Apache-2.0
// The model against its closed form, in virtual time: nothing here waits or reads the real clock.
#include "storage/io/modelled_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "common/error.h"
#include "common/files.h"
#include "storage/io/patterned_file.h"

namespace outcore {
namespace {

using ::testing::HasSubstr;
using Time = ModelClock::Time;

class VirtualClock final : public ModelClock {
 public:
  [[nodiscard]] Time now() const override { return now_; }
  void wait_until(Time time) override { now_ = std::max(now_, time); }

 private:
  Time now_{0};
};

// A clock that wakes whoever waits with it too late.
class SleepyClock final : public ModelClock {
 public:
  explicit SleepyClock(Time oversleeps) : oversleeps_(oversleeps) {}
  [[nodiscard]] Time now() const override { return now_; }
  void wait_until(Time time) override { now_ = std::max(now_, time + oversleeps_); }

 private:
  Time oversleeps_;
  Time now_{0};
};

const std::map<std::string, DeviceModel>& models() {
  static const std::map<std::string, DeviceModel> kModels = {
      {"optane", {"optane", 6, 9.2, 0.427, 2400, 0, 2000}},
      {"pcie", {"pcie", 60, 127.6, 0.359, 2850, 0}},
      {"sata", {"sata", 25, 264.4, 1.829, 560, 0}},
      {"hdd", {"hdd", 1, 100, 5.12, 200, 12670}}};
  return kModels;
}

std::shared_ptr<ModelledDevice> virtual_device(const DeviceModel& model, double dilation = 1) {
  return std::make_shared<ModelledDevice>(model, dilation, std::make_unique<VirtualClock>());
}

// A backend whose requests arrive when the test says so.
class HeldBackend final : public Backend {
 public:
  class Held final : public Channel {
   public:
    explicit Held(HeldBackend& backend) : backend_(backend) {}
    Submit submit(const Request& request) override {
      backend_.out.push_back(request.tag);
      return Submit::queued;
    }
    void flush() override {}
    std::size_t reap(std::span<Completion> done, std::size_t at_least) override {
      if (at_least > 0 && backend_.come.empty()) {
        // The caller waits for the device, which answers after `slow`.
        backend_.clock->wait_until(backend_.clock->now() + backend_.slow);
        backend_.answer_all();
      }
      std::size_t count = 0;
      for (; count < done.size() && !backend_.come.empty(); backend_.come.pop_front()) {
        done[count++] = {backend_.come.front()};
      }
      return count;
    }
    [[nodiscard]] std::size_t in_flight() const override { return backend_.out.size(); }

   private:
    HeldBackend& backend_;
  };

  [[nodiscard]] std::string name() const override { return "held"; }
  [[nodiscard]] BackendTraits traits() const override { return {}; }
  std::uint32_t add_file(const std::filesystem::path& /*path*/, bool /*writable*/) override {
    return 0;
  }
  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<Held>(*this);
  }
  void answer_all() {
    come.insert(come.end(), out.begin(), out.end());
    out.clear();
  }

  std::deque<std::uint64_t> out;
  std::deque<std::uint64_t> come;
  ModelClock* clock = nullptr;
  Time slow{0};
};

// A file without an end, so that a sequence needs only its first seek.
class EndlessBackend final : public Backend {
 public:
  class Endless final : public Channel {
   public:
    Submit submit(const Request& /*request*/) override { return Submit::completed; }
    void flush() override {}
    std::size_t reap(std::span<Completion> /*done*/, std::size_t /*at_least*/) override {
      return 0;
    }
    [[nodiscard]] std::size_t in_flight() const override { return 0; }
  };
  [[nodiscard]] std::string name() const override { return "endless"; }
  [[nodiscard]] BackendTraits traits() const override { return {}; }
  std::uint32_t add_file(const std::filesystem::path& /*path*/, bool /*writable*/) override {
    return 0;
  }
  std::unique_ptr<Channel> open_channel(std::span<std::byte> /*buffers*/) override {
    return std::make_unique<Endless>();
  }
};

// MB/s of virtual time with `concurrency` requests kept in flight: random ones in a file held in
// memory, sequential ones in a file without an end.
double measured_rate(const DeviceModel& model, std::uint32_t bytes, unsigned concurrency,
                     bool sequential, double dilation = 1) {
  constexpr std::uint64_t kFileBytes = 8 << 20;
  static const PatternedFile file(kFileBytes);
  const auto device = virtual_device(model, dilation);
  std::unique_ptr<Backend> inner = std::make_unique<EndlessBackend>();
  if (!sequential) inner = make_backend("mem", {.depth = concurrency});
  const auto backend = make_modelled_backend(std::move(inner), concurrency, device);
  backend->add_file(file.path());
  AlignedBuffer buffer(bytes);
  const auto channel = backend->open_channel(buffer.all());
  std::mt19937_64 random(1);
  std::uint64_t place = 0;
  const std::uint64_t places = kFileBytes / bytes;
  const auto submit = [&] {
    // A random place that does not follow the last one.
    place = sequential ? place + 1 : (place + 2 + random() % (places - 2)) % places;
    return channel->submit({0, bytes, place * bytes, buffer.at(0), 0});
  };
  for (unsigned i = 0; i < concurrency; ++i) EXPECT_EQ(submit(), Submit::queued);
  constexpr std::size_t kTurns = 4000;
  std::vector<Completion> done(concurrency);
  std::size_t finished = 0;
  while (finished < kTurns) {
    const std::size_t count = channel->reap(done, 1);
    finished += count;
    for (std::size_t i = 0; i < count; ++i) submit();
  }
  EXPECT_EQ(device->counts().late, 0U) << "memory is never late";
  const auto us = static_cast<double>(device->clock().now().count()) / 1000;
  return static_cast<double>(finished) * bytes / us;
}

class Models : public testing::TestWithParam<std::string> {};

// Bandwidth at each concurrency and size within 5% of min(c, k_r) / service, bounded by the line.
TEST_P(Models, KeepToTheClosedForm) {
  const DeviceModel& model = models().at(GetParam());
  for (const std::uint32_t bytes : {4096U, 16384U, 65536U, 262144U}) {
    for (unsigned concurrency = 1; concurrency <= 128; concurrency *= 2) {
      for (const bool sequential : {false, true}) {
        const double rate = measured_rate(model, bytes, concurrency, sequential);
        const double closed = model.rate(bytes, concurrency, sequential);
        EXPECT_NEAR(rate / closed, 1, 0.05)
            << bytes << " bytes, " << concurrency << " in flight, sequential " << sequential;
      }
    }
  }
}

TEST_P(Models, DilationDividesEveryRate) {
  const DeviceModel& model = models().at(GetParam());
  EXPECT_NEAR(measured_rate(model, 4096, 32, false, 7.5) * 7.5 / model.rate(4096, 32, false), 1,
              0.05);
}

// The tests use the numbers of the files, and the closed form agrees with what papers and
// manufacturers say about these devices.
TEST_P(Models, AreThoseOfTheConfiguration) {
  const DeviceModel model =
      DeviceModel::read(std::filesystem::path(OUTCORE_DEVICES) / (GetParam() + ".toml"));
  EXPECT_EQ(model.name, GetParam());
  EXPECT_EQ(model.json(), models().at(GetParam()).json());
}

INSTANTIATE_TEST_SUITE_P(Sweep, Models, testing::Values("optane", "pcie", "sata", "hdd"));

TEST(DeviceModel, SaysWhatMakersState) {
  const auto requests = [](const char* name, unsigned concurrency) {
    return models().at(name).rate(4096, concurrency, false) * 1e6 / 4096;
  };
  EXPECT_NEAR(requests("optane", 6), 550e3, 5e3);
  EXPECT_NEAR(requests("pcie", 60), 465e3, 5e3);
  EXPECT_NEAR(requests("sata", 25), 92e3, 1e3);
  EXPECT_NEAR(requests("hdd", 1), 78, 1) << "a seek and half a turn each";
  EXPECT_EQ(models().at("sata").rate(1 << 20, 128, true), 560) << "the line's";
}

// The cost by which holes are read through: where the servers limit the rate, and where the line
// does.
TEST(DeviceModel, TellsWhatARequestCostsWhenItIsBusy) {
  const RequestCost hdd = models().at("hdd").busy_cost();
  EXPECT_DOUBLE_EQ(hdd.us, 100 + 12670) << "the seek too";
  EXPECT_DOUBLE_EQ(hdd.us_per_kb, 5.12);
  EXPECT_DOUBLE_EQ(models().at("hdd").in_order_cost().us, 100);
  EXPECT_DOUBLE_EQ(models().at("hdd").in_order_cost().us_per_kb, 5.12);
  const RequestCost sata = models().at("sata").busy_cost();
  EXPECT_DOUBLE_EQ(sata.us, 264.4 / 25);
  EXPECT_DOUBLE_EQ(sata.us_per_kb, 1024.0 / 560) << "of all requests together";
}

TEST(DeviceModel, TwoChannelsShareTheDevice) {
  const DeviceModel& model = models().at("optane");
  const PatternedFile file(1 << 20);
  const auto device = virtual_device(model);
  const auto backend = make_modelled_backend(make_backend("mem", {}), 6, device);
  backend->add_file(file.path());
  AlignedBuffer buffer(4096);
  const auto first = backend->open_channel(buffer.all());
  const auto second = backend->open_channel(buffer.all());
  for (std::uint64_t i = 0; i < 6; ++i) {
    first->submit({0, 4096, 8192 * i, buffer.at(0), i});
    second->submit({0, 4096, 8192 * i, buffer.at(0), i});
  }
  std::vector<Completion> done(6);
  const double service = model.service_us(4096, true);
  const auto now_us = [&] { return static_cast<double>(device->clock().now().count()) / 1000; };
  EXPECT_EQ(first->reap(done, 6), 6U);
  EXPECT_NEAR(now_us(), 2 * service, 0.1 * service) << "every other server was the other's";
  EXPECT_EQ(second->reap(done, 6), 6U);
  EXPECT_NEAR(now_us(), 2 * service, 0.1 * service) << "and there by then";
}

TEST(ModelledBackend, NothingIsAnsweredBeforeItsTime) {
  const PatternedFile file(1 << 20);
  const auto device = virtual_device(models().at("sata"));
  const auto backend = make_modelled_backend(make_backend("mem", {}), 2, device);
  backend->add_file(file.path());
  AlignedBuffer buffer(8192);
  const auto channel = backend->open_channel(buffer.all());
  EXPECT_EQ(channel->submit({0, 4096, 4096, buffer.at(0), 7}), Submit::queued);
  EXPECT_EQ(channel->submit({0, 4096, 65536, buffer.at(4096), 8}), Submit::queued);
  EXPECT_EQ(channel->submit({0, 4096, 0, buffer.at(0), 9}), Submit::busy);
  std::vector<Completion> done(2);
  EXPECT_EQ(channel->reap(done, 0), 0U) << "the bytes are there, the time has not come";
  EXPECT_EQ(channel->in_flight(), 2U);
  EXPECT_EQ(channel->reap(done, 1), 2U) << "both were served at once";
  EXPECT_EQ(done[0].tag, 7U);
  EXPECT_TRUE(PatternedFile::right({buffer.at(0), 4096}, 4096));
  EXPECT_THAT(backend->notes().back(), HasSubstr("modelled: device sata in front of mem"));
}

// A device that is slower than the model delivers when it can, and that is counted.
TEST(ModelledBackend, CountsWhatIsLate) {
  auto held = std::make_unique<HeldBackend>();
  HeldBackend& inner = *held;
  const auto device = virtual_device(models().at("optane"));
  inner.clock = &device->clock();
  inner.slow = std::chrono::microseconds(100);
  const auto backend = make_modelled_backend(std::move(held), 4, device);
  const auto channel = backend->open_channel({});
  std::vector<Completion> done(4);
  AlignedBuffer buffer(4096);
  const auto read = [&](std::uint64_t tag) { channel->submit({0, 4096, 0, buffer.at(0), tag}); };

  read(1);
  inner.answer_all();  // long before its time
  EXPECT_EQ(channel->reap(done, 1), 1U);
  EXPECT_EQ(device->counts().late, 0U);

  read(2);
  EXPECT_EQ(channel->reap(done, 1), 1U);
  EXPECT_EQ(device->counts().late, 1U);
  EXPECT_EQ(device->counts().worst, inner.slow) << "the wait began when its time had come";

  read(3);
  device->clock().wait_until(device->clock().now() + std::chrono::seconds(1));
  inner.answer_all();  // late by the clock, but the caller had not asked
  EXPECT_EQ(channel->reap(done, 1), 1U);
  EXPECT_EQ(device->counts().late, 1U);
  EXPECT_EQ(device->counts().requests, 3U);
}

// A thread that is woken late because the processor is busy is neither the model's nor the real
// device's fault, and is counted separately. What counts is how late it wakes relative to the
// request's time in the model.
TEST(ModelledBackend, CountsWhatWasOverslept) {
  const PatternedFile file(1 << 20);
  const DeviceModel& model = models().at("sata");
  const auto served = Time(std::llround(model.service_us(4096, true) * 1000));
  const auto count = [&](Time oversleeps) {
    const auto device =
        std::make_shared<ModelledDevice>(model, 1, std::make_unique<SleepyClock>(oversleeps));
    const auto backend = make_backend("mem", {.depth = 2, .device = device});
    backend->add_file(file.path());
    AlignedBuffer buffer(8192);
    const auto channel = backend->open_channel(buffer.all());
    std::vector<Completion> done(2);
    channel->submit({0, 4096, 4096, buffer.at(0), 1});
    EXPECT_EQ(channel->reap(done, 1), 1U);
    // A request that is there when it is asked for needs no sleep.
    channel->submit({0, 4096, 65536, buffer.at(0), 2});
    device->clock().wait_until(device->clock().now() + 10 * served);
    EXPECT_EQ(channel->reap(done, 1), 1U);
    EXPECT_EQ(device->counts().late, 0U);
    return device->counts();
  };
  EXPECT_EQ(count(Time(0)).overslept, 0U);
  EXPECT_EQ(count(served / 20).overslept, 0U) << "punctual enough";
  const ModelledDevice::Counts slept = count(served / 2);
  EXPECT_EQ(slept.overslept, 1U);
  EXPECT_EQ(slept.worst_overslept, served / 2);
  EXPECT_EQ(slept.late_share(), 0.5);
}

TEST(BackendOptions, NameTheDeviceThatStandsInFront) {
  const auto device = virtual_device(models().at("pcie"));
  const auto notes = [](const char* backend, const BackendOptions& options) {
    return make_backend(backend, options)->notes();
  };
  EXPECT_THAT(notes("mem", {}), testing::IsEmpty());
  EXPECT_THAT(notes("mem", {.device = device}),
              testing::ElementsAre(HasSubstr("modelled: device pcie")));
  EXPECT_THAT(notes("fault", {.fault_plan = "over:mem", .device = device}),
              testing::ElementsAre(HasSubstr("injected over mem"), HasSubstr("in front of fault")))
      << "once, not before what it is over too";
}

TEST(ModelledDevice, IsNotHonouredWhenTooManyAreLate) {
  ModelledDevice::Counts counts;
  counts.requests = 1000;
  counts.late = 50;
  EXPECT_TRUE(counts.honoured());
  counts.late = 51;
  EXPECT_FALSE(counts.honoured());
  counts.late = 30;
  counts.overslept = 21;
  EXPECT_FALSE(counts.honoured()) << "both count";
  counts = {.requests = 43, .late = 43};
  EXPECT_FALSE(counts.honoured()) << "few requests are held to the same";
  counts = {.requests = 43, .late = 1, .overslept = 1};
  EXPECT_TRUE(counts.honoured());
  counts.overslept = 2;
  EXPECT_FALSE(counts.honoured());
  counts = {.requests = 3, .overslept = 1};
  EXPECT_TRUE(counts.honoured()) << "a single one is no rate";
}

// 99 of 100 requests of the measured device must be in time.
TEST(Dilation, IsWhatTheSlowestCellNeeds) {
  const DeviceModel model = {"m", 4, 10, 0, 1e9, 0};
  const std::vector<ReadRate> measured = {
      {.random = true, .bytes = 4096, .concurrency = 1, .p99_us = 25},
      {.random = true, .bytes = 4096, .concurrency = 8, .p99_us = 66},  // 20 us by the model
      {.random = false, .bytes = 4096, .concurrency = 1, .p99_us = 900},
      {.random = true, .bytes = 1 << 20, .concurrency = 1, .p99_us = 900}};
  EXPECT_EQ(dilation_for(model, measured), 3.3);
  EXPECT_EQ(dilation_for(model, {}), 1) << "never faster than itself";
}

TEST(DeviceModel, FilesAreRefusedByField) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("model-{}", ::getpid());
  const auto refusal = [&](const std::string& text) {
    write_text_atomically(path, "[model]\n" + text);
    std::string message;
    try {
      DeviceModel::read(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      message = error.what();
    }
    std::filesystem::remove(path);
    return message;
  };
  EXPECT_THAT(refusal("k_r = 0\n"), HasSubstr("k_r = 0"));
  EXPECT_THAT(refusal("k_r = 2.5\n"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("k_r = 2\n"), HasSubstr("request_us = null"));
  EXPECT_THAT(refusal("k_r = 2\nrequest_us = \"x\"\n"), HasSubstr("request_us = \"x\""));
  EXPECT_THAT(refusal("k_r = 2\nrequest_us = 3\nkb_us = -1\n"), HasSubstr("kb_us = -1"));
  EXPECT_EQ(refusal("k_r=2\nrequest_us=3\nkb_us=1\nmb_per_s=5\nseek_us=0\n"), "");
}

}  // namespace
}  // namespace outcore
