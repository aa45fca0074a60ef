// SPDX-License-Identifier: Apache-2.0
#include "tests/fault_campaign.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "common/error.h"
#include "storage/io/populate.h"
#include "tests/readers.h"
#include "tests/toy_parameters.h"

namespace outcore {

namespace {

constexpr unsigned kMostThreads = 4;

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// The number of our own threads: io_uring's workers stay for a while after their ring is gone.
std::size_t threads() {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (!name.empty() && !name.starts_with("iou-")) ++count;
  }
  return count;
}

bool maps_blocks() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(".blocks") != std::string::npos) return true;
  }
  return false;
}

// This thread, the watchdog, OpenMP's threads, and one of a sanitizer; all others must be gone. A
// joined thread may be listed for a moment longer.
std::string left_behind(std::size_t descriptors_before) {
  const std::size_t most = 3 + kMostThreads;
  for (int patience = 0; threads() > most && patience < 1000; ++patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (threads() > most) return fmt::format("{} threads are left", threads());
  const std::size_t descriptors = entries("/proc/self/fd");
  if (descriptors != descriptors_before) {
    return fmt::format("{} descriptors before, {} after", descriptors_before, descriptors);
  }
  return maps_blocks() ? "a block file is still mapped" : "";
}

EngineOptions without_device() {
  EngineOptions options;
  options.backend = "mem";
  return options;
}

}  // namespace

struct FaultCampaign::Opened {
  Opened(const ToyContainer& toy, const LayoutChoices& choices)
      : layout(open_layout(toy.layout(choices))), readers(readers_of(layout->choices())) {}
  std::unique_ptr<OpenedGraph> layout;
  std::vector<const EngineEntry*> readers;
};

struct FaultCampaign::Choice {
  const Opened* opened = nullptr;
  const EngineEntry* engine = nullptr;
  const Workload* workload = nullptr;
  std::string over;
  EngineOptions options;
  [[nodiscard]] std::string text() const {
    std::string settings;
    for (const auto& [name, value] : options.settings.changed())
      settings += fmt::format(" {}={}", name, value);
    return fmt::format("{} on {}{} over {}, {} threads, depth {}, requests of {}: --fault {}",
                       workload->name, engine->name, settings,
                       layout_name(opened->layout->choices()), options.threads, options.depth,
                       options.max_request_bytes, options.fault_plan);
  }
};

class FaultCampaign::Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() { begin("", true); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void begin(const std::string& what, bool last = false) {
    {
      const std::lock_guard lock(mutex_);
      what_ = what;
      last_ = last;
      ++number_;
    }
    changed_.notify_one();
  }

 private:
  // Counts seconds in which it runs: a stopped process (SIGSTOP, a sleeping laptop) does not hang.
  void watch() {
    constexpr int kMostSeconds = 120;
    std::unique_lock lock(mutex_);
    for (int seconds = 0; !last_;) {
      const std::uint64_t number = number_;
      if (changed_.wait_for(lock, std::chrono::seconds(1), [&] { return number_ != number; })) {
        seconds = 0;
        continue;
      }
      if (what_.empty() || ++seconds < kMostSeconds) continue;
      fmt::print(stderr, "fault campaign: {} hangs\n", what_);
      std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  std::uint64_t number_ = 0;
  bool last_ = false;
  std::jthread thread_;
};

FaultCampaign::FaultCampaign() : toy_(small_kronecker(10, 8, 1), true) {
  LayoutChoices acgraph = layout_preset("acgraph");
  for (const LayoutChoices& choices :
       {LayoutChoices{.pack = "csr"}, LayoutChoices{.pack = "firstfit", .block_bytes = 16384},
        LayoutChoices{.pack = "csr", .codec = "svb", .inline_edges = 2, .heads = 2}, acgraph,
        LayoutChoices{.pack = "grid"}, LayoutChoices{.pack = "psw"}}) {
    if (readers_of(choices).empty()) continue;
    layouts_.push_back(std::make_unique<Opened>(toy_, choices));
  }
  watchdog_ = std::make_unique<Watchdog>();
}

FaultCampaign::~FaultCampaign() = default;

// Chooses an engine that can be made with a layout, numbers and settings.
void FaultCampaign::choose_engine(Choice& choice, const Below& below) {
  EngineOptions& options = choice.options;
  choice.opened = layouts_[below(layouts_.size())].get();
  const auto& readers = choice.opened->readers;
  choice.engine = readers[below(readers.size())];
  options.threads = static_cast<unsigned>(1 + below(kMostThreads));
  options.depth = std::vector<unsigned>{1, 3, 8, 64}[below(4)];
  options.max_request_bytes = 4096U << below(5);
  options.frames_bytes = std::uint64_t{options.threads} * (65536U << below(4));
  // A cache needs a block for each request.
  options.frames_bytes =
      std::max(options.frames_bytes,
               std::uint64_t{options.depth} * choice.opened->layout->facts().block_bytes);
  if (below(2) == 0) options.request_cost = kMeasuredCost;
  options.backend = "fault";
  std::vector<std::string> settings;
  for (const Parameter& parameter : choice.engine->parameters) {
    const std::vector<std::string>& values = parameter.choices;
    if (values.empty()) continue;
    settings.push_back(fmt::format("{}={}", parameter.name, values[below(values.size())]));
  }
  options.settings = {choice.engine->name, choice.engine->parameters, settings};
}

FaultCampaign::Choice FaultCampaign::choose(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Choice choice;
  do {
    choose_engine(choice, below);
  } while (refused(choice));
  EngineOptions& options = choice.options;
  std::vector<std::string> backends = {"uring", "uring", "threads", "threads", "mem"};
  if (!choice.engine->traits.messages_on_edges) {  // writes, which a mapping does not take
    for (const std::string& way : ways_to_populate()) backends.push_back("mmap:populate=" + way);
  }
  choice.over = backends[below(backends.size())];

  std::vector<const Workload*> possible;
  for (const Workload& workload : workloads()) {
    if (can_run(choice.engine->traits, *choice.opened->layout, workload)) {
      possible.push_back(&workload);
    }
  }
  choice.workload = possible[below(possible.size())];

  const std::uint64_t requests = usual_requests(choice);
  options.fault_plan = fmt::format("over:{},seed:{}", choice.over, seed);
  if (below(4) == 0) {
    options.fault_plan += fmt::format(",rate:{:.5f}", 3.0 / static_cast<double>(requests));
  } else {
    const char* faults[] = {"eio", "short", "flip"};
    options.fault_plan += fmt::format(",{}@{}", faults[below(3)], below(requests));
  }
  if (below(4) == 0) options.fault_plan += ",delay:0.02";
  if (below(4) == 0) options.fault_plan += ",jitter:0.05";
  return choice;
}

// Does the choice need another layout, or a backend other than `fault`?
bool FaultCampaign::refused(const Choice& choice) {
  try {
    static_cast<void>(choice.engine->make(*choice.opened->layout, choice.options));
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) throw;
    return true;
  }
  return false;
}

// The number of requests of a run without faults, so that most planned faults occur. Determined in
// the same way for every seed, so a seed means the same whichever seeds were run before it.
std::uint64_t FaultCampaign::usual_requests(const Choice& choice) {
  const std::string key =
      fmt::format("{}/{}/{}/{}", choice.engine->name, choice.workload->name,
                  layout_name(choice.opened->layout->choices()), choice.options.max_request_bytes);
  const auto [at, first] = requests_.emplace(key, 0);
  if (first) {
    EngineOptions options;
    options.threads = 1;
    options.backend = "mem";
    options.max_request_bytes = choice.options.max_request_bytes;
    const auto engine = choice.engine->make(*choice.opened->layout, options);
    choice.workload->run(*engine, toy_parameters(*choice.workload));
    at->second = std::max<std::uint64_t>(1, engine->report().io.requests);
  }
  return at->second;
}

const Answer& FaultCampaign::right_answer(const Workload& workload) {
  const auto at = answers_.find(workload.name);
  if (at != answers_.end()) return at->second;
  const auto engine = reference_engine().make(*layouts_.front()->layout, without_device());
  return answers_.emplace(workload.name, workload.run(*engine, toy_parameters(workload))())
      .first->second;
}

std::string FaultCampaign::attempt(const Choice& choice) {
  Row& row = rows_[fmt::format("{} over {}", choice.engine->name, choice.over)];
  try {
    const auto engine = choice.engine->make(*choice.opened->layout, choice.options);
    const Parameters parameters = toy_parameters(*choice.workload);
    const Answer answer = choice.workload->run(*engine, parameters)();
    ++row.answered;
    if (answer.exact) {
      const bool right = answer.digest() == right_answer(*choice.workload).digest();
      return right ? "" : "a wrong answer";
    }
    Container container(toy_.folder());
    const Canonical canonical{container.csr(Direction::out), container.csr(Direction::in)};
    const Verdict verdict = choice.workload->verify(canonical, answer, parameters);
    return verdict.passed ? "" : "a wrong answer: " + verdict.detail;
  } catch (const Error& error) {
    ++row.stopped;
    const std::string text = error.what();
    const bool named = text.find(".blocks at offset ") != std::string::npos;
    return error.code() == ExitCode::io && named ? "" : "an error of another kind: " + text;
  } catch (const std::exception& error) {
    return fmt::format("an exception: {}", error.what());
  }
}

std::string FaultCampaign::run(std::uint64_t seed) {
  const Choice choice = choose(seed);
  const std::string what = fmt::format("seed {}: {}", seed, choice.text());
  watchdog_->begin(what);
  const std::size_t descriptors = entries("/proc/self/fd");
  std::string wrong = attempt(choice);
  if (wrong.empty()) wrong = left_behind(descriptors);
  watchdog_->begin("");
  return wrong.empty() ? "" : fmt::format("{}: {}", what, wrong);
}

}  // namespace outcore
