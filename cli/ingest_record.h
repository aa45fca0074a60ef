// SPDX-License-Identifier: Apache-2.0
// The record of an ingestion: the JSON document of configs/schema/ingest.schema.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/ids.h"
#include "storage/evolving/counters.h"
#include "storage/evolving/optane_model.h"
#include "storage/evolving/store_spec.h"

namespace outcore {

struct IngestOutcome {
  double seconds = 0;        // the whole stream, with reading it and the flush at the end
  double store_seconds = 0;  // the part of them that the store worked
  std::uint64_t snapshots = 0;
  double longest_snapshot_seconds = 0;  // for which the store stood still
  double compact_seconds = 0;
  double freeze_seconds = 0;
  evolving::StoreCounters counters;
  std::optional<evolving::OptaneCounters> model;
  VertexId vertices = 0;
  std::uint64_t edges = 0;  // that stand
  std::uint64_t removals_missed = 0;
  bool verified = false;
};

nlohmann::json ingest_record(const std::string& stream, const evolving::StoreSpec& spec,
                             const IngestOutcome& outcome);

}  // namespace outcore
