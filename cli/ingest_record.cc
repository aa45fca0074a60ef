// SPDX-License-Identifier: Apache-2.0
#include "cli/ingest_record.h"

#include "common/machine.h"

namespace outcore {

namespace {

nlohmann::json model_json(const evolving::OptaneCounters& counted) {
  return {{"bus_read_bytes", counted.bus_read_bytes()},
          {"bus_written_bytes", counted.bus_written_bytes()},
          {"medium_read_bytes", counted.medium_read_bytes()},
          {"medium_written_bytes", counted.medium_written_bytes()}};
}

// Bytes written per byte of the updates, of which each has 8.
double write_amplification(const evolving::DiskIngestCounters& counted, std::uint64_t updates) {
  const std::uint64_t written = counted.log_bytes + counted.run_bytes + counted.merge_bytes;
  return updates == 0 ? 0 : static_cast<double>(written) / (8 * static_cast<double>(updates));
}

nlohmann::json disk_json(const IngestOnDisk& disk, std::uint64_t updates) {
  const evolving::DiskIngestCounters& counted = disk.counters;
  return {{"folder", disk.folder},
          {"opened_at", disk.opened_at},
          {"replayed", disk.replayed},
          {"open_seconds", disk.open_seconds},
          {"skipped", disk.skipped},
          {"acknowledged", disk.acknowledged},
          {"runs", disk.runs},
          {"commits", counted.commits},
          {"commit_latency", counted.commit_latency.json()},
          {"stalls", counted.stalls},
          {"stalled_seconds", counted.stalled_seconds},
          {"flushes", counted.flushes},
          {"flush_seconds", counted.flush_seconds},
          {"merges", counted.merges},
          {"merge_seconds", counted.merge_seconds},
          {"log_bytes", counted.log_bytes},
          {"run_bytes", counted.run_bytes},
          {"merge_bytes", counted.merge_bytes},
          {"write_amplification", write_amplification(counted, updates)}};
}

template <typename T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json file_json(const IngestInFile& file) {
  return {{"write_requests", file.writes}, {"written_bytes", file.written_bytes}};
}

nlohmann::json pmem_json(const IngestInPmem& pmem) {
  return {{"folder", pmem.folder},
          {"persistent", pmem.is_persistent},
          {"opened_at", pmem.opened_at},
          {"replayed", pmem.replayed},
          {"open_seconds", pmem.open_seconds},
          {"skipped", pmem.skipped},
          {"acknowledged", pmem.acknowledged}};
}

nlohmann::json nodes_json(const std::vector<evolving::NodeCounters>& nodes) {
  nlohmann::json all = nlohmann::json::array();
  for (const evolving::NodeCounters& node : nodes)
    all.push_back({{"entries", node.entries}, {"chain_bytes", node.chain_bytes}});
  return all;
}

nlohmann::json work_json(const evolving::StoreCounters& counted, std::uint64_t log_edges) {
  return {{"log_edges", log_edges},
          {"buffering_phases", counted.buffering_phases},
          {"greatest_phase", counted.greatest_phase},
          {"flushes", counted.flushes},
          {"forced_flushes", counted.forced_flushes},
          {"moves", counted.moves},
          {"blocks", counted.blocks},
          {"full_blocks", counted.full_blocks},
          {"block_bytes", counted.block_bytes},
          {"block_writes", counted.block_writes},
          {"copied_partitions", counted.copied_partitions},
          {"compactions", counted.compactions},
          {"vertex_buffer_bytes", counted.most_buffer_bytes},
          {"pool_bytes", counted.pool_bytes},
          {"chain_bytes", counted.chain_bytes},
          {"nodes", nodes_json(counted.nodes)}};
}

nlohmann::json answer_json(const WindowAnswer& answer) {
  return {{"prefix", answer.prefix},         {"edges", answer.edges},   {"known_s", answer.known_s},
          {"answered_s", answer.answered_s}, {"taken", answer.taken},   {"open_s", answer.open_s},
          {"run_s", answer.run_s},           {"digest", answer.digest}, {"summary", answer.summary},
          {"verified", answer.verified}};
}

nlohmann::json queries_json(const QueryAccount& queries) {
  nlohmann::json answers = nlohmann::json::array();
  double run_seconds = 0;
  for (const WindowAnswer& answer : queries.answers) {
    answers.push_back(answer_json(answer));
    run_seconds += answer.open_s + answer.run_s;
  }
  nlohmann::json age;  // null: nothing was answered
  if (!queries.answers.empty()) {
    const AnswerAge mean = mean_age(queries.answers);
    age = {{"seconds", mean.seconds}, {"updates", mean.updates}};
  }
  return {{"workload", queries.workload},
          {"parameters", queries.parameters},
          {"every", queries.every},
          {"newest", queries.newest},
          {"threads", queries.threads},
          {"answered", queries.answers.size()},
          {"passed_over", queries.passed_over},
          {"waits", queries.waits},
          {"waited_seconds", queries.waited_seconds},
          {"seconds", run_seconds},
          {"age", age},
          {"answers", answers}};
}

}  // namespace

nlohmann::json ingest_record(const std::string& stream, const evolving::StoreSpec& spec,
                             const IngestOutcome& outcome) {
  const evolving::StoreCounters& counted = outcome.counters;
  nlohmann::json options = nlohmann::json::object();
  for (const auto& [name, value] : spec.parameters.changed()) options[name] = value;
  return {{"record", "ingest"},
          {"version", 1},
          {"time", timestamp()},
          {"command", command_words()},
          {"build", build_facts()},
          {"machine", machine_facts()},
          {"stream", stream},
          {"engine", {{"name", "evolving"}, {"options", options}}},
          {"parameters", spec.parameters.json()},
          {"threads", spec.options.threads},
          {"rate", outcome.rate},
          {"updates", counted.updates},
          {"removals", counted.removals},
          {"removals_missed", or_null(outcome.removals_missed)},
          {"vertices", outcome.vertices},
          {"edges", or_null(outcome.edges)},
          {"snapshots", outcome.snapshots},
          {"verified", outcome.verified},
          {"seconds",
           {{"total", outcome.seconds},
            {"store", outcome.store_seconds},
            {"sharding", counted.shard_seconds},
            {"buffering", counted.buffer_seconds},
            {"flushing", counted.flush_seconds},
            {"longest_snapshot", outcome.longest_snapshot_seconds},
            {"compaction", outcome.compact_seconds},
            {"freezing", outcome.freeze_seconds}}},
          {"work", outcome.disk ? nlohmann::json() : work_json(counted, outcome.log_edges)},
          {"disk", outcome.disk ? disk_json(*outcome.disk, counted.updates) : nlohmann::json()},
          {"pmem", outcome.pmem ? pmem_json(*outcome.pmem) : nlohmann::json()},
          {"model", outcome.model ? model_json(*outcome.model) : nlohmann::json()},
          {"queries", outcome.queries ? queries_json(*outcome.queries) : nlohmann::json()},
          {"complete", outcome.is_complete},
          {"file", outcome.file ? file_json(*outcome.file) : nlohmann::json()},
          {"bound", outcome.bound},
          {"peak_rss_bytes", peak_resident_bytes()}};
}

}  // namespace outcore
