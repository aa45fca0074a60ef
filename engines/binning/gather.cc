// SPDX-License-Identifier: Apache-2.0
#include "engines/binning/gather.h"

#include "common/stopwatch.h"

namespace outcore {

void Gatherer::gather(const FullBin& full) {
  const double before = thread_seconds();
  if (spill_ != nullptr) {
    spill_->write(full, space_);
    ++counts_.bins_spilled;
  } else {
    drain(full.bin, full.buffers);
    ++counts_.early;
  }
  space_.give_back(full);
  counts_.processor_seconds += thread_seconds() - before;
}

void Gatherer::gather_there() {
  FullBin full;
  while (space_.take_full(full)) gather(full);
}

void Gatherer::gather_all() {
  FullBin full;
  while (space_.wait_full(full)) gather(full);
}

void Gatherer::gather_rest(std::size_t first, std::size_t end, std::span<WorkerBins> workers) {
  const double before = thread_seconds();
  for (; first < end; ++first) gather_rest(first, workers);
  counts_.processor_seconds += thread_seconds() - before;
}

void Gatherer::gather_rest(std::size_t bin, std::span<WorkerBins> workers) {
  const std::uint64_t before = counts_.records;
  FullBin rest = space_.take_rest(bin);
  for (WorkerBins& worker : workers) {
    drain(bin, worker.take_line(bin));
    BinBuffer* current = worker.take_current(bin);
    if (current == nullptr) continue;
    current->next = rest.buffers;
    rest.buffers = current;
  }
  drain(bin, rest.buffers);
  if (rest.buffers != nullptr) space_.give_back(rest);
  if (spill_ != nullptr) {
    spill_->read(bin, space_, [&](const BinBuffer& buffer) {
      counts_.records_spilled += buffer.count;
      drain(bin, space_.records(buffer));
    });
  }
  if (counts_.records > before) ++counts_.at_end;
}

void Gatherer::drain(std::size_t bin, const BinBuffer* buffers) {
  for (; buffers != nullptr; buffers = buffers->next) drain(bin, space_.records(*buffers));
}

void Gatherer::drain(std::size_t bin, const BinRecords& part) {
  const Records& records = part.records;
  if (records.count == 0) return;
  counts_.records += records.count;
  space_.note_drained(bin, records.count);
  if (records.targets != nullptr) {
    program_.drain(records, out_);
    return;
  }
  counts_.kept += records.count;
  for_each_kept(space_.kept(), part.runs, bin, part.place, records.count,
                [&](const VertexId* targets, std::size_t first, std::size_t count) {
                  const std::byte* messages = records.messages + first * space_.message_bytes();
                  program_.drain({targets, messages, count}, out_);
                });
}

}  // namespace outcore
