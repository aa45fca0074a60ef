// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/scatter.h"

#include "common/stopwatch.h"
#include "engines/lists/block_reader.h"

namespace outcore {

namespace {

constexpr std::size_t kBinsInATurn = 16;

}  // namespace

Scatter::Scatter(const Round& round, Requests& requests, std::span<const VertexId> blockless,
                 const Workers& workers, std::span<Activations* const> outs)
    : round_(round), requests_(requests), blockless_(blockless), workers_(workers) {
  if (workers_.space == nullptr) return;
  for (std::size_t worker = 0; worker < outs.size(); ++worker) {
    SpillPort* const spill = workers_.spill.empty() ? nullptr : workers_.spill[worker].get();
    gatherers_.emplace_back(round.program, *workers_.space, *outs[worker], spill);
  }
}

bool Scatter::few() const {
  return requests_.size() <= Requests::kRunsInATurn && blockless_.size() <= kVertexRange;
}

void Scatter::start(unsigned scatterers, bool gathering_too) {
  if (workers_.space == nullptr) return;
  const unsigned workers = workers_.executor.size();
  workers_.space->start(round_.traits.message_bytes, scatterers, workers_.kept);
  for (std::size_t i = 0; i < workers_.bins.size(); ++i) {
    workers_.bins[i].start(gathering_too ? &gatherers_[i % workers] : nullptr, requests_.size());
  }
  for (unsigned worker = 0; worker < workers; ++worker) {
    workers_.hands[worker].into(workers_.bins[worker]);
  }
}

template <typename F>
void Scatter::guarded(unsigned worker, const F& f) {
  const Stopwatch watch;
  const double thread_before = thread_seconds();
  const double before = thread_before - gathering_seconds(worker);
  try {
    f();
  } catch (const BinSpace::Stopped&) {
    return;  // whoever stopped the others has thrown what the call ends with
  } catch (...) {
    if (workers_.space != nullptr) workers_.space->stop();
    if (reader_ != nullptr) reader_->stop();
    throw;
  }
  const double scattering = thread_seconds() - gathering_seconds(worker) - before;
  const double asleep = watch.seconds() - (thread_seconds() - thread_before);
  const std::lock_guard lock(seconds_mutex_);
  seconds_.scattering += scattering;
  seconds_.waiting += std::max(0.0, asleep);
}

// Of a worker; the thread that reads beside them gathers nothing.
double Scatter::gathering_seconds(unsigned worker) const {
  return worker < gatherers_.size() ? gatherers_[worker].counts().processor_seconds : 0;
}

void Scatter::scatter_blockless(unsigned worker) {
  HandOver& hands = workers_.hands[worker];
  while (true) {
    // Relaxed: hands out disjoint ranges; the executor published the vertices.
    const std::size_t first = next_blockless_.fetch_add(kVertexRange, std::memory_order_relaxed);
    if (first >= blockless_.size()) break;
    const std::size_t end = std::min<std::size_t>(first + kVertexRange, blockless_.size());
    for (std::size_t i = first; i < end; ++i) hands.add_inline(blockless_[i]);
    hands.flush();
  }
}

// A run whose targets are kept: messages alone, into bins of their own. Returns the bytes of holes.
std::uint64_t Scatter::scatter_run(unsigned worker, std::size_t run, const std::byte* data) {
  HandOver& hands = workers_.hands[worker];
  if (workers_.kept == nullptr) return requests_.hand_over(run, data, hands);
  std::uint64_t holes = 0;
  if (workers_.keeping) {
    std::vector<VertexId> targets;
    hands.note_targets(&targets);
    holes = requests_.hand_over(run, data, hands);
    hands.note_targets(nullptr);
    workers_.kept->keep(run, targets);
  } else if (workers_.kept->has(run)) {
    WorkerBins& messages_alone = workers_.bins[workers_.executor.size() + worker];
    messages_alone.begin_run(run);
    hands.into(messages_alone);
    holes = requests_.hand_over(run, data, hands);
    hands.into(workers_.bins[worker]);
  } else {
    holes = requests_.hand_over(run, data, hands);
  }
  return holes;
}

// What the worker kept back goes into its bins too.
void Scatter::end_scattering(unsigned worker) {
  if (workers_.space == nullptr) return;
  if (workers_.hands[worker].keeps_back()) workers_.hands[worker].deliver();
  workers_.space->scattered();
}

void Scatter::by_any() {
  const bool binned = workers_.space != nullptr;
  start(few() ? 1 : workers_.executor.size(), /*gathering_too=*/true);
  const auto work = [&](unsigned worker) {
    guarded(worker, [&] {
      scatter_blockless(worker);
      const auto hand_over = [&](std::size_t run, const std::byte* data) {
        return scatter_run(worker, run, data);
      };
      BlockReader(round_, workers_.executor, requests_, worker, hand_over,
                  *workers_.sources[worker])
          .work([&] {
            if (binned) gatherers_[worker].gather_there();
          });
      end_scattering(worker);
      if (binned) gatherers_[worker].gather_all();
    });
  };
  if (few()) {
    work(0);
  } else {
    workers_.executor.run(work);
  }
}

void Scatter::by_fixed(Executor& executor, unsigned scatterers) {
  start(scatterers, /*gathering_too=*/false);
  PageReader reader(round_, requests_, *workers_.sources.front());
  reader_ = &reader;
  const unsigned reads = executor.size() - 1;
  executor.run([&](unsigned worker) {
    guarded(worker, [&] {
      if (worker == reads) {
        reader.read();
      } else if (worker < scatterers) {
        scatter_blockless(worker);
        PageReader::Pages pages;
        while (reader.take(pages)) {
          reader.give_back(pages, scatter_run(worker, pages.run, pages.data));
        }
        end_scattering(worker);
      } else {
        gatherers_[worker].gather_all();
      }
    });
  });
  reader_ = nullptr;
}

void Scatter::gather_rest() {
  if (workers_.space == nullptr) return;
  const std::size_t bins = workers_.space->sizes().bins;
  workers_.executor.parallel_for(0, bins, few() ? bins : kBinsInATurn,
                                 [&](unsigned worker, std::size_t first, std::size_t last) {
                                   gatherers_[worker].gather_rest(first, last, workers_.bins);
                                 });
}

Gatherer::Counts Scatter::gathered() const {
  Gatherer::Counts sum;
  for (const Gatherer& gatherer : gatherers_) sum.add(gatherer.counts());
  return sum;
}

}  // namespace outcore
