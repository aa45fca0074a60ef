// SPDX-License-Identifier: Apache-2.0
// A round of Blaze's EdgeMap: the pages of its frontier are scattered into bins, which are gathered
// while other pages are still to come (online binning), and the rest of them afterwards.
//
// Who does what (`roles`):
//   any     each worker reads by its own requests, scatters what has come, and gathers a full bin
//           when there is one; once there is no page left, it gathers what the others hand over
//   fixed   one thread reads, so many workers scatter and the others gather, as published
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engines/binning/bins.h"
#include "engines/binning/gather.h"
#include "engines/binning/page_reader.h"
#include "engines/lists/requests.h"

namespace outcore {

class Scatter {
 public:
  // What it needs of the engine. All outlive it.
  struct Workers {
    Executor& executor;
    std::span<HandOver> hands;
    std::span<const std::unique_ptr<BlockSource>> sources;  // one a worker; fixed: one
    // One a worker, and as many again without targets where these are kept; none: told at once.
    std::span<WorkerBins> bins;
    BinSpace* space = nullptr;                          // null then
    KeptIds* kept = nullptr;                            // null: no targets are kept in this round
    bool keeping = false;                               // they are to be noted in it
    std::span<const std::unique_ptr<SpillPort>> spill;  // one a worker; none: bins stay in memory
  };
  // Of all workers together: of processors to scatter, and asleep.
  struct Seconds {
    double scattering = 0;
    double waiting = 0;
  };

  // `blockless`: vertices whose lists need no page.
  Scatter(const Round& round, Requests& requests, std::span<const VertexId> blockless,
          const Workers& workers, std::span<Activations* const> outs);

  void by_any();
  // `executor`: one more than the workers, for the thread that reads.
  void by_fixed(Executor& executor, unsigned scatterers);
  // What is left in the bins.
  void gather_rest();

  [[nodiscard]] Gatherer::Counts gathered() const;
  [[nodiscard]] const Seconds& seconds() const { return seconds_; }

 private:
  // Few pages are the work of one worker: waking the others would cost more than it brings.
  [[nodiscard]] bool few() const;
  void start(unsigned scatterers, bool gathering_too);
  // Runs f(), a worker's part, timed. What it throws stops those who wait.
  template <typename F>
  void guarded(unsigned worker, const F& f);
  [[nodiscard]] double gathering_seconds(unsigned worker) const;
  void scatter_blockless(unsigned worker);
  std::uint64_t scatter_run(unsigned worker, std::size_t run, const std::byte* data);
  void end_scattering(unsigned worker);

  const Round& round_;
  Requests& requests_;
  std::span<const VertexId> blockless_;
  Workers workers_;
  std::vector<Gatherer> gatherers_;  // one a worker; none without bins
  PageReader* reader_ = nullptr;     // while there is one
  std::atomic<std::size_t> next_blockless_{0};
  std::mutex seconds_mutex_;
  Seconds seconds_;
};

}  // namespace outcore
