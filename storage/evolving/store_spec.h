// SPDX-License-Identifier: Apache-2.0
// What users write of a store: evolving:variant=graphone,medium=model. The parameters are those of
// the engine `evolving`, so that a record's options name the store too.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "common/parameters.h"
#include "storage/evolving/durable/group_commit.h"
#include "storage/evolving/optane_model.h"
#include "storage/evolving/store_knobs.h"

namespace outcore::evolving {

std::span<const Parameter> store_parameters();

struct StoreSpec {
  Parameters parameters;
  StoreKnobs options;      // without medium
  bool usual_log = false;  // log=auto: usual_log_edges, where it is known how many updates come
  bool in_file = false;    // graphone-file: a FileMedium
  bool modelled = false;
  bool in_pmem = false;                      // medium=pmem: a store in a folder (pmem_store.h)
  std::optional<std::uint64_t> cache_bytes;  // of the model; unset: OptaneModel::usual_cache_bytes
  unsigned dimms = 8;
  // medium=ssd: a store in a folder (durable/durable_store.h).
  bool on_disk = false;
  std::uint64_t log_pages = 0;
  unsigned id_bytes = 4;
  std::string codec = "raw";
  GroupCommit::Limits group;
  unsigned factor = 4;
};

// A log of a sixteenth of a stream, at least two thresholds: the paper has 8 GB for Kron30's 128
// GB.
std::uint64_t usual_log_edges(std::uint64_t updates, std::uint64_t threshold);

// Throws a usage Error for another engine, an unknown parameter or a value that is none.
StoreSpec parse_store_spec(const std::string& spec);

}  // namespace outcore::evolving
