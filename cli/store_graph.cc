// SPDX-License-Identifier: Apache-2.0
#include "cli/store_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/error.h"
#include "common/files.h"
#include "common/shell.h"
#include "storage/container/hashed_file.h"
#include "storage/evolving/durable/check_durable_store.h"
#include "storage/evolving/durable/durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_manifest.h"
#include "storage/evolving/load_store.h"
#include "storage/evolving/store_spec.h"
#include "storage/evolving/stored_lists.h"
#include "storage/layout/open_layout.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

// The parameters of the engine are those of the store in memory.
evolving::StoreSpec spec_of(const RunRequest& request) {
  std::vector<std::string> assignments;
  for (const auto& [name, text] : request.options.settings.changed())
    assignments.push_back(fmt::format("{}={}", name, text));
  const char* colon = assignments.empty() ? "" : ":";
  return evolving::parse_store_spec(
      fmt::format("evolving{}{}", colon, fmt::join(assignments, ",")));
}

bool is_symmetric(const RunRequest& request, const EngineEntry& engine) {
  return engine.reads == GraphKind::store && spec_of(request).options.symmetric;
}

// Can an engine of lists open the run of the store in place?
bool reads_runs(const EngineEntry& engine) { return can_read(engine, GraphKind::lists, "csr"); }

GraphFacts facts_of(const RunRequest& request, const OpenedGraph& graph, std::uint64_t prefix) {
  GraphFacts facts;
  facts.name = fs::absolute(request.graph / "").parent_path().filename().string();
  facts.vertices = graph.facts().vertices;
  facts.edges = graph.facts().edges;
  facts.symmetric = graph.facts().symmetric;
  facts.provenance = {{"store", request.graph.string()}, {"updates", prefix}};
  return facts;
}

StoreOfRun open_run(const RunRequest& request, const EngineEntry& engine) {
  evolving::RealDisk disk(request.graph);
  std::uint64_t logged = 0;
  const evolving::DurableStore store(
      disk, {}, [&](std::span<const evolving::Update> updates) { logged += updates.size(); });
  const std::vector<evolving::Run> runs = store.runs();
  if (runs.size() != 1 || logged > 0) check_reads_store(engine, request.graph);
  if (request.prefix && *request.prefix != store.flushed()) {
    throw usage_error(fmt::format("--prefix {}: {} is opened in place, with all of its {} updates",
                                  *request.prefix, request.graph.string(), store.flushed()));
  }
  StoreOfRun opened;
  opened.graph = open_layout(request.graph / runs.front().name);
  opened.prefix = store.flushed();
  opened.record = {{"prefix", opened.prefix},
                   {"medium", "ssd"},
                   {"runs", 1},
                   {"removals_missed", store.removals_missed()}};
  return opened;
}

StoreOfRun load_lists(const RunRequest& request, const evolving::StoreSpec& spec) {
  evolving::LoadedStore loaded = evolving::load_store(
      request.graph, {.spec = spec, .threads = request.options.threads, .prefix = request.prefix});
  StoreOfRun opened;
  opened.prefix = loaded.prefix;
  opened.record = {{"prefix", loaded.prefix},
                   {"medium", spec.parameters.text("medium")},
                   {"variant", spec.parameters.text("variant")},
                   {"logged", loaded.logged},
                   {"buffered", loaded.buffered},
                   {"flushed", loaded.flushed},
                   {"runs", loaded.runs},
                   {"tombstones", loaded.tombstones},
                   {"removals_missed", loaded.removals_missed}};
  opened.graph = std::move(loaded.graph);
  return opened;
}

StoreOfRun open_lists(const RunRequest& request) {
  evolving::StoredLists stored = evolving::open_stored_lists(request.graph, request.prefix);
  const evolving::StoredLists::Counts& counts = stored.counts();
  StoreOfRun opened;
  opened.prefix = counts.prefix;
  opened.record = {
      {"prefix", counts.prefix},         {"medium", "ssd"},
      {"logged", counts.logged},         {"runs", stored.side(Direction::out).runs.size()},
      {"tombstones", counts.tombstones}, {"removals_missed", counts.removals_missed}};
  opened.graph = std::make_unique<evolving::OpenedStore>(std::move(stored));
  return opened;
}

StoreOfRun open_for_engine_of_stores(const RunRequest& request) {
  const evolving::StoreSpec spec = spec_of(request);
  if (spec.in_pmem) {
    throw usage_error(fmt::format(
        "{}: medium=pmem is of stores that ingest makes in persistent memory, and this one is on a "
        "disk; say medium=ssd or medium=dram",
        request.graph.string()));
  }
  return spec.on_disk ? open_lists(request) : load_lists(request, spec);
}

}  // namespace

Container container_of(const RunRequest& request) {
  if (!evolving::is_durable_store(request.graph)) return Container(request.graph);
  GraphFacts facts;
  facts.name = request.graph.filename().string();
  facts.vertices = kNoVertex;
  facts.edges = 1;
  facts.symmetric = is_symmetric(request, find_engine(request.engine));
  return Container::without_files(request.graph, facts);
}

std::uint64_t flushed_updates(const fs::path& store) {
  evolving::RealDisk disk(store);
  return evolving::read_store_manifest(disk).flushed.update;
}

void settle_store(RunRequest& request, const EngineEntry& engine, const Workload& workload) {
  if (!request.layout.empty()) {
    throw usage_error(fmt::format("--layout {}: {} is a store, which has no layouts; leave it out",
                                  request.layout, request.graph.string()));
  }
  if (!reads_runs(engine)) check_reads_store(engine, request.graph);
  if (workload.needs_symmetric && !is_symmetric(request, engine)) {
    throw usage_error(
        fmt::format("{} needs a symmetric graph, and edges of a store have a direction; --engine "
                    "evolving:lists=symmetric has each of them at both ends",
                    workload.name));
  }
  request.layout = "store";
}

std::vector<fs::path> files_of_store(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

std::uint64_t bytes_of_store(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const fs::path& file : files_of_store(folder)) bytes += fs::file_size(file);
  return bytes;
}

StoreOfRun open_store(const RunRequest& request, const EngineEntry& engine) {
  StoreOfRun opened = engine.reads == GraphKind::store ? open_for_engine_of_stores(request)
                                                       : open_run(request, engine);
  opened.facts = facts_of(request, *opened.graph, opened.prefix);
  opened.record["edges"] = opened.facts.edges;
  opened.record["bytes"] = bytes_of_store(request.graph);
  return opened;
}

evolving::CanonicalLists canonical_lists(const RunRequest& request, const GraphFacts& facts,
                                         std::uint64_t prefix) {
  if (request.against.empty()) {
    return evolving::canonical_lists_of_store(request.graph, prefix, facts.symmetric,
                                              facts.vertices);
  }
  return evolving::canonical_lists_of_stream(request.against, {.threads = request.options.threads},
                                             prefix, facts.symmetric, facts.vertices);
}

}  // namespace outcore
