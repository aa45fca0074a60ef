// SPDX-License-Identifier: Apache-2.0
// What `outcore ingest` is asked to do.
#pragma once

#include <cstdint>
#include <string>

#include "storage/evolving/stream.h"

namespace outcore {

struct IngestArgs {
  std::string stream;
  std::string store;  // folder; empty: in memory
  std::string engine = "evolving";
  std::string format = "auto";
  std::string freeze_to;
  std::string record;
  std::string at_once = "32M";
  std::string memory = "1G";
  std::uint64_t rate = 0;
  std::uint64_t snapshot_every = 0;
  std::string query;        // a workload with parameters; empty: none
  std::uint64_t every = 0;  // updates between two queries
  bool newest = false;
  unsigned query_threads = 0;
  unsigned threads = 0;
  int acknowledge_to = -1;  // a descriptor; -1: none
  bool resume = false;
  bool compact = false;
  bool verify = false;
  bool force = false;
  bool json = false;
};

evolving::StreamOptions stream_options(const IngestArgs& args, unsigned threads);

}  // namespace outcore
