// SPDX-License-Identifier: Apache-2.0
// The record of an ingestion: the JSON document of configs/schema/ingest.schema.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/window_queries.h"
#include "common/ids.h"
#include "storage/evolving/counters.h"
#include "storage/evolving/durable/disk_ingest.h"
#include "storage/evolving/optane_model.h"
#include "storage/evolving/store_spec.h"

namespace outcore {

// What went into a store in a folder.
struct IngestOnDisk {
  std::string folder;
  evolving::DiskIngestCounters counters;
  std::uint64_t opened_at = 0;  // updates in the store before
  std::uint64_t replayed = 0;   // those of them that were read from the log again
  double open_seconds = 0;
  std::uint64_t skipped = 0;  // updates of the stream that the store had already
  std::uint64_t acknowledged = 0;
  std::uint64_t runs = 0;
};

// What went into a store in persistent memory.
struct IngestInPmem {
  std::string folder;
  bool is_persistent = true;    // false: an ordinary file stood in
  std::uint64_t opened_at = 0;  // updates in the store before
  std::uint64_t replayed = 0;   // those of them that were buffered again
  double open_seconds = 0;
  std::uint64_t skipped = 0;  // updates of the stream that the store had already
  std::uint64_t acknowledged = 0;
};

// What variant=graphone-file wrote.
struct IngestInFile {
  std::uint64_t writes = 0;
  std::uint64_t written_bytes = 0;
};

struct IngestOutcome {
  std::uint64_t rate = 0;    // updates a second at most; 0: any
  double seconds = 0;        // the whole stream, with reading it and the flush at the end
  double store_seconds = 0;  // the part of that in which the store worked
  std::uint64_t snapshots = 0;
  double longest_snapshot_seconds = 0;  // for which the store stood still
  double compact_seconds = 0;
  double freeze_seconds = 0;
  std::uint64_t log_edges = 0;  // that the log of a store in memory has room for
  evolving::StoreCounters counters;
  std::optional<evolving::OptaneCounters> model;
  std::optional<IngestInFile> file;
  std::optional<IngestOnDisk> disk;
  std::optional<IngestInPmem> pmem;
  std::optional<QueryAccount> queries;
  VertexId vertices = 0;
  // Not counted in a folder: that takes as long as to read all of it.
  std::optional<std::uint64_t> edges;  // that stand
  std::optional<std::uint64_t> removals_missed;
  bool verified = false;
  nlohmann::json bound;     // what the ingestion was bound by (bound_by.h)
  bool is_complete = true;  // false: the stream goes on
};

nlohmann::json ingest_record(const std::string& stream, const evolving::StoreSpec& spec,
                             const IngestOutcome& outcome);

}  // namespace outcore
