// SPDX-License-Identifier: Apache-2.0
// Reads a file from front to back or in part, cold, by direct reads and by every way to populate a
// mapping, for some rounds. Each round has an order of its own, because earlier reads may affect a
// device. Direct reads go into small pages, as fio's do, and into our frames, which are on huge
// pages. Prints a JSON object per read, and at the end for each way the median of its ratios to
// either kind of direct read of the same round. One thread; one word of every page is used.
#include <fmt/format.h>
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/cache/frame_pool.h"
#include "storage/io/backend.h"
#include "storage/io/kernel_counters.h"
#include "storage/io/populate.h"

namespace outcore {
namespace {

struct Options {
  std::string file;
  std::string range = "256K";
  unsigned at_once = 16;
  unsigned rounds = 5;
  double share = 1;
  std::string faults = "random";
  std::vector<std::string> reads = {"random"};
  std::vector<std::string> ways = ways_to_populate();
};

constexpr const char* kDirect = "uring, O_DIRECT, small pages";
constexpr const char* kDirectHuge = "uring, O_DIRECT, huge pages";

std::uint64_t look_at(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += kAlignment) {
    sum += std::to_integer<std::uint64_t>(bytes[i]);
  }
  return sum;
}

// Where the ranges to read begin.
std::vector<std::uint64_t> places(const Options& options, std::uint64_t range) {
  const std::uint64_t ranges = File::open_read(options.file).size() / range;
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    if (static_cast<double>(mix(i) >> 11) * 0x1p-53 < options.share) all.push_back(i * range);
  }
  if (all.empty()) throw usage_error(options.file + " is smaller than one range");
  return all;
}

std::uint64_t read_direct(const Options& options, std::uint32_t range,
                          std::span<const std::uint64_t> places, bool huge) {
  const auto backend = make_backend("uring", {.depth = options.at_once});
  backend->add_file(options.file);
  FrameArena arena(options.at_once, range, 0);
  if (!huge) ::madvise(arena.memory().data(), arena.memory().size(), MADV_NOHUGEPAGE);
  const auto channel = backend->open_channel(arena.memory());
  std::vector<Completion> done(options.at_once);
  std::vector<std::uint64_t> free_slots(options.at_once);
  std::iota(free_slots.begin(), free_slots.end(), 0);
  const auto data_of = [&](std::uint64_t slot) { return arena.memory().data() + slot * range; };
  std::size_t next = 0;
  std::uint64_t sum = 0;
  while (next < places.size() || channel->in_flight() > 0) {
    for (; next < places.size() && !free_slots.empty(); ++next) {
      const std::uint64_t slot = free_slots.back();
      free_slots.pop_back();
      channel->submit({0, range, places[next], data_of(slot), slot});
    }
    const std::size_t reaped = channel->reap(done, 1);
    for (std::size_t i = 0; i < reaped; ++i) {
      sum += look_at({data_of(done[i].tag), range});
      free_slots.push_back(done[i].tag);
    }
  }
  return sum;
}

std::uint64_t read_mapped(const Options& options, const std::string& backend_spec,
                          std::uint64_t range, std::span<const std::uint64_t> places) {
  const auto backend = make_backend(backend_spec, {});
  backend->add_file(options.file);
  const auto view = backend->open_view();
  std::vector<MappedRange> ranges;
  std::uint64_t sum = 0;
  while (!places.empty()) {
    const auto now = places.first(std::min<std::size_t>(places.size(), options.at_once));
    places = places.subspan(now.size());
    ranges.clear();
    for (const std::uint64_t place : now) ranges.push_back({0, place, range});
    view->start(ranges);
    view->finish();
    for (const MappedRange& one : ranges) sum += look_at(view->bytes(0).subspan(one.offset, range));
  }
  return sum;
}

double read_once(const Options& options, const std::string& how) {
  const auto range = static_cast<std::uint32_t>(parse_size(options.range, "--range"));
  const std::vector<std::uint64_t> wanted = places(options, range);
  const std::uint64_t bytes = wanted.size() * range;
  evict_pages({options.file});
  const KernelCounters kernel;
  const Stopwatch watch;
  const bool direct = how == kDirect || how == kDirectHuge;
  const std::uint64_t sum = direct ? read_direct(options, range, wanted, how == kDirectHuge)
                                   : read_mapped(options, how, range, wanted);
  const double seconds = watch.seconds();
  const KernelCounters::Reading read = kernel.since_start();
  const double rate = static_cast<double>(bytes) / seconds / 1e6;
  const nlohmann::json line = {
      {"how", how},
      {"mb_per_second", rate},
      {"kernel_bytes_a_byte", static_cast<double>(read.read_bytes) / static_cast<double>(bytes)},
      {"major_faults", read.major_faults},
      {"minor_faults", read.minor_faults},
      {"sum", sum}};
  std::puts(line.dump().c_str());
  std::fflush(stdout);
  return rate;
}

// Median, smallest and largest.
std::string spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", values[values.size() / 2], values.front(),
                     values.back());
}

void compare(const Options& options) {
  std::vector<std::string> all = {kDirect, kDirectHuge};
  for (const std::string& way : options.ways) {
    for (const std::string& reads : options.reads) {
      all.push_back(fmt::format("mmap:populate={},faults={},reads={}", way, options.faults, reads));
    }
  }
  std::map<std::string, std::vector<double>> to_small;
  std::map<std::string, std::vector<double>> to_huge;
  std::vector<std::string> order = all;
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::map<std::string, double> rates;
    for (const std::string& how : order) rates[how] = read_once(options, how);
    for (const std::string& how : all) {
      to_small[how].push_back(rates[how] / rates[kDirect]);
      to_huge[how].push_back(rates[how] / rates[kDirectHuge]);
    }
  }
  for (const std::string& how : all) {
    std::printf("%-64s %s of direct into small pages, %s into huge ones\n", how.c_str(),
                spread(to_small[how]).c_str(), spread(to_huge[how]).c_str());
  }
}

}  // namespace
}  // namespace outcore

int main(int argc, char** argv) {
  outcore::Options options;
  CLI::App app("Ways to populate a mapping beside direct reads, in turn");
  app.add_option("file", options.file, "file to read from front to back")->required();
  app.add_option("--range", options.range, "bytes of a range")->capture_default_str();
  app.add_option("--at-once", options.at_once, "ranges a call, requests in flight")
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "how often each")->capture_default_str();
  app.add_option("--share", options.share, "of the ranges that are read, hashed, ascending")
      ->capture_default_str();
  app.add_option("--faults", options.faults, "advice: normal, random, sequential")
      ->capture_default_str();
  app.add_option("--reads", options.reads, "advice: normal, random, sequential")->delimiter(',');
  app.add_option("--ways", options.ways, "ways to populate")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  try {
    outcore::compare(options);
  } catch (const outcore::Error& error) {
    std::fprintf(stderr, "populate_rates: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
