// SPDX-License-Identifier: Apache-2.0
// Parallel loops, by OpenMP, over the vertices of a frontier and over ranges of all vertices.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "engines/frontier.h"

namespace outcore {

inline constexpr std::size_t kBatch = 64;    // vertices per batch, which is one virtual call
inline constexpr VertexId kRange = 1024;     // ids that a thread takes at once
inline constexpr std::size_t kAlone = 4096;  // so few vertices are not worth waking other threads

// Carries the first exception out of a parallel loop; an exception must not leave the loop by
// itself.
class Guard {
 public:
  template <typename F>
  void run(F&& f) {
    if (failed_.load(std::memory_order_relaxed)) return;  // a hint; the exception is under the lock
    try {
      f();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

inline int worker_number() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// Of the parallel region that the caller is in.
inline int team_size() {
#ifdef _OPENMP
  return omp_get_num_threads();
#else
  return 1;
#endif
}

inline VertexRange nth_range(VertexId id_space, std::size_t n) {
  const auto begin = static_cast<VertexId>(n * kRange);
  return {begin, begin + std::min(kRange, id_space - begin)};
}

// Calls f(batch of at most kBatch vertices) for the set bits of a range.
template <typename F>
void for_batches_of(const Bitmap& bits, VertexRange range, F&& f) {
  VertexId batch[kBatch];
  std::size_t count = 0;
  const auto hand_on = [&] {
    if (count > 0) f(std::span<const VertexId>(batch, std::exchange(count, 0)));
  };
  bits.for_each(range.begin, range.end, [&](std::size_t v) {
    batch[count++] = static_cast<VertexId>(v);
    if (count == kBatch) hand_on();
  });
  hand_on();
}

// Calls f(batch of at most kBatch vertices, worker) over the frontier, in
// parallel. A dense frontier is divided into ranges of ids.
template <typename F>
void for_batches(const Frontier& frontier, [[maybe_unused]] unsigned threads, F&& f) {
  Guard guard;
  if (frontier.is_sparse()) {
    const std::span<const VertexId> list = frontier.list();
    const std::size_t batches = (list.size() + kBatch - 1) / kBatch;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (list.size() > kAlone)
    for (std::size_t b = 0; b < batches; ++b) {
      guard.run([&] {
        f(list.subspan(b * kBatch, std::min(kBatch, list.size() - b * kBatch)), worker_number());
      });
    }
    guard.rethrow();
    return;
  }
  const std::size_t ids = frontier.bits().size();
  const std::size_t parts = (ids + kRange - 1) / kRange;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t p = 0; p < parts; ++p) {
    guard.run([&] {
      for_batches_of(frontier.bits(), nth_range(frontier.id_space(), p),
                     [&](std::span<const VertexId> batch) { f(batch, worker_number()); });
    });
  }
  guard.rethrow();
}

// The same over ranges of the whole id space.
template <typename F>
void for_ranges(VertexId id_space, [[maybe_unused]] unsigned threads, F&& f) {
  Guard guard;
  const std::size_t ranges = (std::size_t{id_space} + kRange - 1) / kRange;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::size_t r = 0; r < ranges; ++r) {
    guard.run([&] { f(nth_range(id_space, r), worker_number()); });
  }
  guard.rethrow();
}

// The same for ranges that all take the same time and may write new memory: each thread gets
// neighbouring ranges (Executor::parallel_for explains why).
template <typename F>
void for_neighbouring_ranges(VertexId id_space, [[maybe_unused]] unsigned threads, F&& f) {
  Guard guard;
  const std::size_t ranges = (std::size_t{id_space} + kRange - 1) / kRange;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t r = 0; r < ranges; ++r) guard.run([&] { f(nth_range(id_space, r)); });
  guard.rethrow();
}

}  // namespace outcore
