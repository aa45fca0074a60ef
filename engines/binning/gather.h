// SPDX-License-Identifier: Apache-2.0
// One worker's way of applying bins: each is its own while it does so, hence without atomics.
//
// Threads: belongs to one worker; on cache lines of its own.
#pragma once

#include <span>

#include "engines/binning/bins.h"
#include "engines/binning/spill.h"
#include "engines/program.h"

namespace outcore {

class alignas(64) Gatherer {
 public:
  // `spill`: the worker's own; null: full bins are applied at once.
  Gatherer(Program& program, BinSpace& space, Activations& out, SpillPort* spill = nullptr)
      : program_(program), space_(space), out_(out), spill_(spill) {}

  // Applies what was handed over, or writes it to the disk until the end of the round, and gives
  // the buffers back.
  void gather(const FullBin& full);
  // Full bins that are there.
  void gather_there();
  // Full bins as they come, until nobody scatters any more.
  void gather_all();
  // At the end of a round: what is left of bins, handed over or with any of the workers.
  void gather_rest(std::size_t first, std::size_t end, std::span<WorkerBins> workers);

  struct Counts {
    std::uint64_t early = 0;   // bins gathered while pages were still to come
    std::uint64_t at_end = 0;  // and after
    std::uint64_t records = 0;
    std::uint64_t kept = 0;  // of them, those whose targets were kept
    std::uint64_t bins_spilled = 0;
    std::uint64_t records_spilled = 0;  // read back and applied
    double processor_seconds = 0;
    void add(const Counts& other) {
      early += other.early;
      at_end += other.at_end;
      records += other.records;
      kept += other.kept;
      bins_spilled += other.bins_spilled;
      records_spilled += other.records_spilled;
      processor_seconds += other.processor_seconds;
    }
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void gather_rest(std::size_t bin, std::span<WorkerBins> workers);
  void drain(std::size_t bin, const BinRecords& records);
  void drain(std::size_t bin, const BinBuffer* buffers);

  Program& program_;
  BinSpace& space_;
  Activations& out_;
  SpillPort* spill_;
  Counts counts_;
};

}  // namespace outcore
