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
#include "storage/evolving/opened_store.h"
#include "storage/evolving/pmem_store.h"
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

// A store in persistent memory has what its lists are; others are directed, unless asked.
bool is_symmetric(const RunRequest& request, const EngineEntry& engine) {
  if (engine.reads != GraphKind::store) return false;
  if (spec_of(request).options.symmetric) return true;
  return evolving::is_pmem_store(request.graph) &&
         evolving::facts_of_pmem_store(request.graph).symmetric;
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

std::string seal_of(const fs::path& store) {
  return read_json(store / evolving::StoreManifest::kName).at("seal");
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
  opened.checksum = seal_of(request.graph);
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
  if (loaded.is_persistent) opened.record["persistent"] = *loaded.is_persistent;
  opened.checksum = loaded.is_persistent ? evolving::checksum_of(loaded.graph->snapshot())
                                         : seal_of(request.graph);
  opened.graph = std::move(loaded.graph);
  return opened;
}

StoreOfRun open_lists(const RunRequest& request) {
  evolving::StoredLists stored = evolving::open_stored_lists(request.graph, request.prefix);
  const evolving::StoredLists::Counts& counts = stored.counts();
  StoreOfRun opened;
  opened.prefix = counts.prefix;
  opened.checksum = seal_of(request.graph);
  opened.record = {
      {"prefix", counts.prefix},         {"medium", "ssd"},
      {"logged", counts.logged},         {"runs", stored.side(Direction::out).runs.size()},
      {"tombstones", counts.tombstones}, {"removals_missed", counts.removals_missed}};
  opened.graph = std::make_unique<evolving::OpenedStore>(std::move(stored));
  return opened;
}

StoreOfRun open_for_engine_of_stores(const RunRequest& request) {
  const evolving::StoreSpec spec = spec_of(request);
  const bool in_pmem = evolving::is_pmem_store(request.graph);
  if (spec.in_pmem && !in_pmem) {
    throw usage_error(fmt::format(
        "{}: medium=pmem is of stores that ingest makes in persistent memory, and this one is on a "
        "disk; say medium=ssd or medium=dram",
        request.graph.string()));
  }
  if (spec.on_disk && in_pmem) {
    throw usage_error(fmt::format(
        "{}: medium=ssd is of stores that ingest makes on a disk, and this one is in persistent "
        "memory; say medium=pmem, which reads its lists in place, or medium=dram",
        request.graph.string()));
  }
  return spec.on_disk ? open_lists(request) : load_lists(request, spec);
}

}  // namespace

bool is_store(const fs::path& folder) {
  return evolving::is_durable_store(folder) || evolving::is_pmem_store(folder);
}

Container container_of(const RunRequest& request) {
  if (!is_store(request.graph)) return Container(request.graph);
  GraphFacts facts;
  facts.name = request.graph.filename().string();
  facts.vertices = kNoVertex;
  facts.edges = 1;
  facts.symmetric = is_symmetric(request, find_engine(request.engine));
  return Container::without_files(request.graph, facts);
}

std::uint64_t flushed_updates(const fs::path& store) {
  if (evolving::is_pmem_store(store)) return evolving::facts_of_pmem_store(store).updates;
  evolving::RealDisk disk(store);
  return evolving::read_store_manifest(disk).flushed.update;
}

void settle_store(RunRequest& request, const EngineEntry& engine, const Workload& workload) {
  if (!request.layout.empty()) {
    throw usage_error(fmt::format("--layout {}: {} is a store, which has no layouts; leave it out",
                                  request.layout, request.graph.string()));
  }
  if (evolving::is_pmem_store(request.graph) || !reads_runs(engine))
    check_reads_store(engine, request.graph);
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
  if (evolving::is_pmem_store(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

std::uint64_t bytes_of_store(const fs::path& folder) {
  if (evolving::is_pmem_store(folder)) return evolving::facts_of_pmem_store(folder).bytes;
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
  const bool in_pmem = evolving::is_pmem_store(request.graph);
  if (request.against.empty()) {
    const auto& of_files =
        in_pmem ? evolving::canonical_lists_of_pmem_store : evolving::canonical_lists_of_store;
    return of_files(request.graph, prefix, facts.symmetric, facts.vertices);
  }
  if (in_pmem && evolving::facts_of_pmem_store(request.graph).symmetric) {
    return evolving::canonical_lists_of_undirected_stream(
        request.against, {.threads = request.options.threads}, prefix, facts.vertices);
  }
  return evolving::canonical_lists_of_stream(request.against, {.threads = request.options.threads},
                                             prefix, facts.symmetric, facts.vertices);
}

}  // namespace outcore
