// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/rate_meter.h"

#include <algorithm>
#include <cmath>

#include "common/hash.h"
#include "common/stopwatch.h"
#include "storage/io/backend.h"

namespace outcore {

namespace {

// The rates of time slices, and whether they agree well enough to trust their mean.
class Slices {
 public:
  static constexpr double kSeconds = 0.02;
  static constexpr std::size_t kFewest = 6;

  void add(double bytes, double seconds) {
    const double rate = bytes / seconds;
    ++count_;
    sum_ += rate;
    squares_ += rate * rate;
  }
  [[nodiscard]] bool agree(double good_enough) const {
    if (count_ < kFewest) return false;
    const auto n = static_cast<double>(count_);
    const double mean = sum_ / n;
    const double variance = std::max(0.0, squares_ / n - mean * mean) * n / (n - 1);
    return std::sqrt(variance / n) < good_enough * mean;
  }

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

float at_share(std::vector<float>& sorted_in_part, double share) {
  const auto place = static_cast<std::size_t>(share * static_cast<double>(sorted_in_part.size()));
  const auto nth = sorted_in_part.begin() +
                   static_cast<std::ptrdiff_t>(std::min(place, sorted_in_part.size() - 1));
  std::nth_element(sorted_in_part.begin(), nth, sorted_in_part.end());
  return *nth;
}

// Keeps `concurrency` requests in flight.
class Requests {
 public:
  Requests(Channel& channel, Op op, std::byte* buffers, const ReadRate& cell, std::uint64_t places,
           std::uint64_t seed)
      : channel_(channel),
        op_(op),
        buffers_(buffers),
        cell_(cell),
        places_(places),
        next_(cell.random ? mix(seed) : mix(seed) % places),
        started_(cell.concurrency),
        done_(cell.concurrency) {
    for (unsigned slot = 0; slot < cell.concurrency; ++slot) submit(slot);
    channel_.flush();
  }

  // Waits for the next requests to finish and starts as many new ones; returns how many.
  std::size_t turn(std::vector<float>& latencies_us) {
    // A sixteenth at a time: as few calls as an engine would make, with little effect on latencies.
    const std::size_t count = channel_.reap(done_, std::max(1U, cell_.concurrency / 16));
    const double now = watch_.seconds();
    for (std::size_t i = 0; i < count; ++i) {
      const auto slot = static_cast<unsigned>(done_[i].tag);
      latencies_us.push_back(static_cast<float>((now - started_[slot]) * 1e6));
      submit(slot);
    }
    channel_.flush();
    return count;
  }

 private:
  void submit(unsigned slot) {
    const std::uint64_t place = (cell_.random ? mix(next_) : next_) % places_;
    ++next_;
    started_[slot] = watch_.seconds();
    channel_.submit({.file = 0,
                     .bytes = cell_.bytes,
                     .offset = place * cell_.bytes,
                     .memory = buffers_ + std::size_t{slot} * cell_.bytes,
                     .tag = slot,
                     .op = op_});
  }

  Channel& channel_;
  Op op_;
  std::byte* buffers_;
  const ReadRate& cell_;
  std::uint64_t places_;
  std::uint64_t next_;
  Stopwatch watch_;
  std::vector<double> started_;
  std::vector<Completion> done_;
};

}  // namespace

RateMeter::RateMeter(const ScratchFile& file)
    : file_(file), buffers_(kMostConcurrency, kMostBytes, 0) {}

void RateMeter::measure(Op op, ReadRate& cell, double seconds, double good_enough) {
  const auto backend = make_backend("uring", {.depth = cell.concurrency});
  backend->add_file(file_.path(), op == Op::write);
  const std::span<std::byte> buffers =
      buffers_.memory().first(std::size_t{cell.concurrency} * cell.bytes);
  if (op == Op::write) randomise(buffers, ++seed_);
  const auto channel = backend->open_channel(buffers);
  backend_ = backend->name();
  notes_ = backend->notes();

  std::vector<float> latencies;
  Requests requests_in_flight(*channel, op, buffers.data(), cell, file_.bytes() / cell.bytes,
                              ++seed_);
  Stopwatch watch;
  requests_in_flight.turn(latencies);  // until requests flow steadily
  latencies.clear();
  Slices slices;
  std::size_t requests = 0;
  std::size_t in_slice = 0;
  Stopwatch slice;
  const double begin = watch.seconds();
  double end = begin;
  do {
    in_slice += requests_in_flight.turn(latencies);
    end = watch.seconds();
    if (slice.seconds() < Slices::kSeconds) continue;
    slices.add(static_cast<double>(in_slice) * cell.bytes, slice.lap());
    requests += in_slice;
    in_slice = 0;
    // Less than a slice gives no rate, however long the start took.
  } while ((end < seconds || end - begin < Slices::kSeconds) && !slices.agree(good_enough));
  requests += in_slice;
  cell.mb_per_s = static_cast<double>(requests) * cell.bytes / (end - begin) / 1e6;
  cell.p50_us = at_share(latencies, 0.5);
  cell.p99_us = at_share(latencies, 0.99);
}

}  // namespace outcore
