// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/error.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "common/toml.h"
#include "common/version.h"
#include "storage/io/probe/fit.h"
#include "storage/io/probe/rate_meter.h"
#include "storage/io/probe/scratch_file.h"

namespace outcore {

namespace {

constexpr std::uint64_t kLeastBytes = 64 << 20;
constexpr std::uint32_t kLeastRequest = 4096;
constexpr unsigned kQuestions = 3;  // measured for k_r, in addition to the table
constexpr std::size_t kSyncs = 200;
constexpr double kLeastSeconds = 0.05;  // per cell
// What engines use when they read a lot: their default largest request and number in flight.
constexpr std::uint32_t kUsualRequest = 64 << 10;
constexpr unsigned kUsualConcurrency = 64;
// Of the time, for what is measured behind the table of reads.
constexpr double kSustainedShare = 0.2;
constexpr double kWritesShare = 0.12;
constexpr double kCommitsShare = 0.06;

// Rounded as a person would: measurements are not exact to more digits.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 3);
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

nlohmann::json rounded(nlohmann::json numbers) {
  for (auto& number : numbers) {
    if (number.is_number_float()) number = rounded(number.get<double>());
  }
  return numbers;
}

nlohmann::json as_json(const ReadRate& cell) {
  return rounded({{"pattern", cell.random ? "random" : "sequential"},
                  {"bytes", cell.bytes},
                  {"concurrency", cell.concurrency},
                  {"mb_per_s", cell.mb_per_s},
                  {"p50_us", cell.p50_us},
                  {"p99_us", cell.p99_us}});
}

// Is it the cell with what engines use when they read a lot?
bool is_usual(const ReadRate& cell) {
  return cell.random && cell.bytes == kUsualRequest && cell.concurrency == kUsualConcurrency;
}

// Random reads of 4 KB give k_r and T_rr; together with those of 1 MB, the cost of a request.
// Sequential reads of 1 MB give T_sr. The usual cell is compared to the sustained rate.
bool needed(const ReadRate& cell) {
  return cell.bytes == RateMeter::kMostBytes || (cell.random && cell.bytes == kLeastRequest) ||
         is_usual(cell);
}

// The whole table, the most important cells first: the needed ones, then other random reads, then
// sequential reads.
std::vector<ReadRate> all_cells() {
  std::vector<ReadRate> cells;
  for (const bool random : {true, false}) {
    for (std::uint32_t bytes = kLeastRequest; bytes <= RateMeter::kMostBytes; bytes *= 2) {
      for (unsigned c = 1; c <= RateMeter::kMostConcurrency; c *= 2) {
        cells.push_back({.random = random, .bytes = bytes, .concurrency = c});
      }
    }
  }
  std::stable_partition(cells.begin(), cells.end(), needed);
  return cells;
}

// Of writes a few: nothing of ours keeps many in flight.
std::vector<ReadRate> write_cells() {
  std::vector<ReadRate> cells;
  for (std::uint32_t bytes = kLeastRequest; bytes <= RateMeter::kMostBytes; bytes *= 4) {
    for (const unsigned concurrency : {1U, 4U, 16U}) {
      cells.push_back({.random = false, .bytes = bytes, .concurrency = concurrency});
    }
  }
  return cells;
}

// Writes of one size, each synced before the next.
struct Commits {
  std::uint32_t bytes = 0;
  std::vector<double> us;  // sorted

  [[nodiscard]] nlohmann::json json() const {
    const auto at = [&](double share) {
      return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
    };
    double all = 0;
    for (const double one : us) all += one;
    return rounded({{"bytes", bytes},
                    {"mb_per_s", bytes * static_cast<double>(us.size()) / all},
                    {"p50_us", at(0.5)},
                    {"p99_us", at(0.99)},
                    {"times", us.size()}});
  }
};

class Probe {
 public:
  Probe(const ProbeOptions& options, const ProbeProgress& progress)
      : options_(options),
        progress_(progress),
        file_(options.folder),
        cells_(all_cells()),
        writes_(write_cells()),
        steps_(cells_.size() + kQuestions + 3 + writes_.size() + 1) {}

  nlohmann::json run() {
    write();
    sync();
    read();
    return document();
  }

 private:
  [[nodiscard]] double left() const { return options_.seconds - watch_.seconds(); }

  void next(const std::string& what) { progress_(what, done_++, steps_); }

  void write() {
    constexpr double kShare = 0.25;  // of the time
    next("sequential writes");
    const std::uint64_t bytes = scratch_bytes(options_.folder, options_.bytes, kLeastBytes);
    const ScratchFile::Written written = file_.fill(bytes, kShare * options_.seconds);
    if (written.bytes < kLeastBytes) {
      throw Error(ExitCode::io,
                  fmt::format("{} was written in {:.0f} s, too little to read from; give more "
                              "--seconds",
                              human_size(written.bytes), written.seconds));
    }
    t_sw_ = static_cast<double>(written.bytes) / written.seconds / 1e6;
  }

  void sync() {
    constexpr double kShare = 0.04;
    next("fdatasync");
    const Stopwatch watch;
    while (syncs_us_.size() < kSyncs && watch.seconds() < kShare * options_.seconds) {
      syncs_us_.push_back(1e6 * file_.sync_one(syncs_us_.size()));
    }
    std::sort(syncs_us_.begin(), syncs_us_.end());
  }

  // The time left for cells of the table.
  [[nodiscard]] double left_for_cells() const {
    return left() - (kSustainedShare + kWritesShare + kCommitsShare) * options_.seconds;
  }

  void measure(RateMeter& meter, ReadRate& cell) {
    const auto cells_left = static_cast<double>(std::max<std::size_t>(1, steps_ - done_));
    next(fmt::format("{} reads of {}, {} at once", cell.random ? "random" : "sequential",
                     human_size(cell.bytes), cell.concurrency));
    meter.measure(cell, std::max(kLeastSeconds, left_for_cells() / cells_left));
  }

  void read() {
    RateMeter meter(file_);
    std::size_t count = 0;
    for (ReadRate& cell : cells_) {
      if (left_for_cells() <= 0 && !needed(cell)) break;
      if (cell.bytes > kLeastRequest && k_r_ == 0) ask_for_k_r(meter, {cells_.data(), count});
      measure(meter, cell);
      ++count;
    }
    left_out_ = cells_.size() - count;
    cells_.resize(count);
    sustain(meter);
    measure_writes(meter);
    commit();
    backend_ = meter.backend();
    notes_ = meter.notes();
  }

  // Measured last, when the device has been busy for a while: a table cell ends before it would
  // show that a burst credit or a cache runs out.
  void sustain(RateMeter& meter) {
    next("random reads without a pause");
    const Stopwatch watch;
    meter.measure(sustained_, std::max(kLeastSeconds, kSustainedShare * options_.seconds), 0);
    sustained_seconds_ = watch.seconds();
  }

  void measure_writes(RateMeter& meter) {
    const double each = kWritesShare * options_.seconds / static_cast<double>(writes_.size());
    for (ReadRate& cell : writes_) {
      next(fmt::format("writes of {}, {} at once", human_size(cell.bytes), cell.concurrency));
      meter.measure_writes(cell, std::max(kLeastSeconds, each));
    }
  }

  // Each size by turns, so that a bad moment of the device meets all of them.
  void commit() {
    next("writes, each synced");
    for (std::uint32_t bytes = kLeastRequest; bytes <= RateMeter::kMostBytes; bytes *= 4) {
      commits_.push_back({.bytes = bytes, .us = {}});
    }
    const Stopwatch watch;
    for (std::uint64_t number = 0;
         number == 0 || (number < kSyncs && watch.seconds() < kCommitsShare * options_.seconds);
         ++number) {
      for (Commits& commits : commits_) {
        commits.us.push_back(1e6 * file_.commit_one(number, commits.bytes));
      }
    }
    for (Commits& commits : commits_) std::sort(commits.us.begin(), commits.us.end());
  }

  // Uses the random reads of 4 KB, all of which are in `cells` now. Concurrencies in between become
  // cells too.
  void ask_for_k_r(RateMeter& meter, std::span<const ReadRate> cells) {
    std::vector<std::pair<unsigned, double>> rates;
    for (const ReadRate& cell : cells) rates.emplace_back(cell.concurrency, cell.mb_per_s);
    const unsigned questions = left_for_cells() > 0 ? kQuestions : 0;
    k_r_ = find_k_r(rates, questions, [&](unsigned concurrency) {
      ReadRate cell = {.random = true, .bytes = kLeastRequest, .concurrency = concurrency};
      measure(meter, cell);
      between_.push_back(cell);
      return cell.mb_per_s;
    });
  }

  // The highest rate of cells of one kind; 0 if there are none.
  [[nodiscard]] double most(bool random, std::uint32_t bytes) const {
    double rate = 0;
    for (const std::vector<ReadRate>* cells : {&cells_, &between_}) {
      for (const ReadRate& cell : *cells) {
        if (cell.random == random && cell.bytes == bytes) rate = std::max(rate, cell.mb_per_s);
      }
    }
    return rate;
  }

  [[nodiscard]] const ReadRate* find(std::uint32_t bytes, unsigned concurrency) const {
    for (const std::vector<ReadRate>* cells : {&cells_, &between_}) {
      for (const ReadRate& cell : *cells) {
        if (cell.random && cell.bytes == bytes && cell.concurrency == concurrency) return &cell;
      }
    }
    return nullptr;
  }

  // The time per request of a device that keeps `concurrency` requests in flight.
  [[nodiscard]] nlohmann::json cost_at(unsigned concurrency) const {
    std::vector<CostPoint> points;
    for (const ReadRate& cell : cells_) {
      if (!cell.random || cell.concurrency != concurrency) continue;
      points.push_back({cell.bytes, cell.bytes / cell.mb_per_s});
    }
    nlohmann::json cost = rounded(fit_cost(points).json());
    cost["concurrency"] = concurrency;
    return cost;
  }

  [[nodiscard]] nlohmann::json read_json() const {
    const ReadRate* alone = find(kLeastRequest, 1);
    const ReadRate* at_k_r = find(kLeastRequest, k_r_);
    return rounded({{"k_r", k_r_},
                    {"k_r_saturation", kSaturated},
                    {"t_rr_mb_per_s", most(true, kLeastRequest)},
                    {"t_sr_mb_per_s", most(false, RateMeter::kMostBytes)},
                    {"alone_us", alone->p50_us},
                    {"at_k_r_us", at_k_r->p50_us}});
  }

  [[nodiscard]] nlohmann::json sustained_json() const {
    return rounded(
        {{"bytes", sustained_.bytes},
         {"concurrency", sustained_.concurrency},
         {"seconds", sustained_seconds_},
         {"mb_per_s", sustained_.mb_per_s},
         {"of_momentary", sustained_.mb_per_s / find(kUsualRequest, kUsualConcurrency)->mb_per_s}});
  }

  [[nodiscard]] nlohmann::json sync_json() const {
    const auto at = [&](double share) {
      const auto last = static_cast<double>(syncs_us_.size() - 1);
      return syncs_us_[static_cast<std::size_t>(share * last)];
    };
    return rounded({{"p50_us", at(0.5)}, {"p99_us", at(0.99)}, {"times", syncs_us_.size()}});
  }

  [[nodiscard]] nlohmann::json document() const {
    nlohmann::json document = {{"name", "local"}};
    const nlohmann::json mount = device_facts(options_.folder);
    const nlohmann::json machine = machine_facts();
    document["probe"] = {{"folder", std::filesystem::absolute(options_.folder).string()},
                         {"filesystem", mount.at("filesystem")},
                         {"source", mount.at("source")},
                         {"host", machine.at("host")},
                         {"kernel", machine.at("kernel")},
                         {"outcore", fmt::format("{} ({})", version(), git_commit())},
                         {"at", timestamp()},
                         {"backend", backend_},
                         {"notes", notes_},
                         {"file_bytes", file_.bytes()},
                         {"cells_left_out", left_out_},
                         {"seconds", rounded(watch_.seconds())}};
    document["read"] = read_json();
    document["sustained"] = sustained_json();
    document["write"] = rounded({{"t_sw_mb_per_s", t_sw_}});
    document["fdatasync"] = sync_json();
    document["cost"] = {{"busy", cost_at(near_k_r())}, {"alone", cost_at(1)}};
    nlohmann::json& rates = document["rates"] = nlohmann::json::array();
    for (const ReadRate& cell : between_) rates.push_back(as_json(cell));
    for (const ReadRate& cell : cells_) rates.push_back(as_json(cell));
    nlohmann::json& writes = document["writes"] = nlohmann::json::array();
    for (const ReadRate& cell : writes_) {
      writes.push_back(as_json(cell));
      writes.back().erase("pattern");  // from front to back, all of them
    }
    nlohmann::json& commits = document["commits"] = nlohmann::json::array();
    for (const Commits& of_a_size : commits_) commits.push_back(of_a_size.json());
    return document;
  }

  // Sizes were measured at powers of two: the smallest one that keeps the device busy.
  [[nodiscard]] unsigned near_k_r() const {
    unsigned concurrency = 1;
    while (concurrency < k_r_) concurrency *= 2;
    return concurrency;
  }

  const ProbeOptions& options_;
  const ProbeProgress& progress_;
  Stopwatch watch_;
  ScratchFile file_;
  std::vector<ReadRate> cells_;
  std::vector<ReadRate> between_;  // measured while searching for k_r
  ReadRate sustained_ = {.random = true, .bytes = kUsualRequest, .concurrency = kUsualConcurrency};
  double sustained_seconds_ = 0;
  std::vector<ReadRate> writes_;
  std::vector<Commits> commits_;
  std::size_t steps_;
  std::size_t done_ = 0;
  double t_sw_ = 0;
  std::vector<double> syncs_us_;
  unsigned k_r_ = 0;
  std::size_t left_out_ = 0;
  std::string backend_;
  std::vector<std::string> notes_;
};

}  // namespace

void check(const ProbeOptions& options) {
  check_measurable(options.folder);
  if (options.bytes < kLeastBytes) {
    throw usage_error(
        fmt::format("--size {}: expected at least {}, because less fits into a device's "
                    "own memory",
                    human_size(options.bytes), human_size(kLeastBytes)));
  }
}

nlohmann::json probe(const ProbeOptions& options, const ProbeProgress& progress) {
  check(options);
  return Probe(options, progress).run();
}

namespace {

ReadRate rate_of(const nlohmann::json& row, bool random) {
  return {.random = random,
          .bytes = row.at("bytes"),
          .concurrency = row.at("concurrency"),
          .mb_per_s = row.at("mb_per_s"),
          .p50_us = row.at("p50_us"),
          .p99_us = row.at("p99_us")};
}

// For each size the cost of those cells that `wanted`, at this concurrency or the highest below it.
template <typename Wanted>
std::vector<CostPoint> costs_of(std::span<const ReadRate> cells, unsigned concurrency,
                                Wanted&& wanted) {
  std::map<std::uint64_t, std::pair<unsigned, double>> by_size;
  for (const ReadRate& cell : cells) {
    if (!wanted(cell) || cell.concurrency > concurrency) continue;
    auto& [most, us] = by_size[cell.bytes];
    if (cell.concurrency < most) continue;
    most = cell.concurrency;
    us = cell.bytes / cell.mb_per_s;
  }
  std::vector<CostPoint> costs;
  for (const auto& [bytes, found] : by_size) costs.push_back({bytes, found.second});
  return costs;
}

}  // namespace

ProbedDevice ProbedDevice::read(const nlohmann::json& document, const std::filesystem::path& path) {
  ProbedDevice device;
  try {
    device.source = document.at("probe").at("source");
    device.k_r = document.at("read").at("k_r");
    for (const nlohmann::json& row : document.at("rates")) {
      device.rates.push_back(rate_of(row, row.at("pattern") == "random"));
    }
    if (document.contains("writes")) {
      for (const nlohmann::json& row : document.at("writes")) {
        device.writes.push_back(rate_of(row, false));
      }
    }
    const nlohmann::json& busy = document.at("cost").at("busy");
    device.busy = {.us = busy.at("request_us"), .us_per_kb = busy.at("kb_us")};
    if (document.contains("sustained")) {
      device.sustained = document.at("sustained").at("of_momentary");
    }
    device.random_mb_per_s = document.at("read").value("t_rr_mb_per_s", 0.0);
    device.sequential_mb_per_s = document.at("read").value("t_sr_mb_per_s", 0.0);
    if (document.contains("write")) {
      device.write_mb_per_s = document.at("write").at("t_sw_mb_per_s");
    }
  } catch (const nlohmann::json::exception& e) {
    throw bad_input(Place::file(path), e.what(), "what 'outcore probe' writes", "probe again");
  }
  return device;
}

std::vector<CostPoint> ProbedDevice::costs_at(unsigned concurrency, bool random) const {
  return costs_of(rates, concurrency,
                  [random](const ReadRate& cell) { return cell.random == random; });
}

std::vector<CostPoint> ProbedDevice::write_costs_at(unsigned concurrency) const {
  return costs_of(writes, concurrency, [](const ReadRate&) { return true; });
}

}  // namespace outcore
