// SPDX-License-Identifier: Apache-2.0
// The queries of an ingestion (--query), and its record while it goes on: what was answered stays
// there if the program is interrupted or killed.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "cli/ingest_args.h"
#include "cli/ingest_record.h"
#include "cli/window_queries.h"
#include "common/stopwatch.h"
#include "storage/evolving/store_spec.h"

namespace outcore {

// Throws a usage Error for options of queries that contradict one another, or the store.
void refuse_queries(const IngestArgs& args, const evolving::StoreSpec& spec);

class IngestQueries {
 public:
  // `so_far` says what is known of the ingestion; any thread may call it. REQUIRES:
  // refuse_queries() accepts the arguments.
  IngestQueries(const IngestArgs& args, const evolving::StoreSpec& spec,
                std::function<IngestOutcome()> so_far);

  // Null without --query.
  [[nodiscard]] WindowQueries* windows() { return windows_ ? &*windows_ : nullptr; }
  // Writes the record of what was done, and says where it is. Any thread may call it; empty without
  // --query.
  std::string interrupted();
  // Puts what was answered into the outcome. REQUIRES of both: all windows are answered.
  void account(IngestOutcome& outcome) const;
  // Each answer, against the stream read again. Throws Error (wrong_answer).
  void verify(bool symmetric);

 private:
  void answered();
  // Writes the record unless that was done within the last `seconds`.
  void write_record(double seconds);

  const IngestArgs& args_;
  const evolving::StoreSpec& spec_;
  const std::function<IngestOutcome()> so_far_;
  std::mutex writing_;  // held while the record is written
  std::optional<double> written_s_;
  const Stopwatch watch_;
  std::optional<WindowQueries> windows_;
};

}  // namespace outcore
