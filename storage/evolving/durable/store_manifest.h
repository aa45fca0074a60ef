// SPDX-License-Identifier: Apache-2.0
// store.json: what a durable store consists of. It is replaced as a whole: written under another
// name, synced, renamed, and the folder synced. So after a crash the old one or the new one stands
// there, and what it names was durable before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "storage/evolving/durable/disk.h"
#include "storage/evolving/durable/durable_log.h"
#include "storage/evolving/durable/run.h"

namespace outcore::evolving {

struct StoreManifest {
  static constexpr int kVersion = 3;
  static constexpr const char* kName = "store.json";
  static constexpr const char* kPending = "store.json.pending";
  static constexpr const char* kLog = "log";

  VertexId limit = 0;       // ids must be below
  VertexId vertices = 0;    // ids of the updates that runs hold are below
  std::uint32_t epoch = 0;  // how often it was opened to write
  // What runs hold, and the page of the log from which on the rest is to be replayed.
  LogPosition flushed;
  // At least this many updates are acknowledged: all of them after a clean end.
  std::uint64_t acknowledged = 0;
  std::uint64_t log_pages = 0;
  unsigned id_bytes = 4;      // in the log and in newer runs
  std::string codec = "raw";  // of all runs but a first one that a flush wrote
  std::vector<Run> runs;      // the oldest first, one range behind the other
  std::uint64_t next_run = 1;
  std::uint64_t removals_missed = 0;  // that were found out so far
};

// Throws bad_input for what is no manifest of this version or has another seal, and a usage Error
// where there is no store.
StoreManifest read_store_manifest(Disk& disk);
// Returns when it is durable, with everything else that the store's folder has.
void publish(Disk& disk, const StoreManifest& manifest);

}  // namespace outcore::evolving
