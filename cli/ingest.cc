// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/ingest_args.h"
#include "cli/ingest_queries.h"
#include "cli/ingest_record.h"
#include "cli/ingest_to_disk.h"
#include "cli/ingest_to_memory.h"
#include "cli/output_paths.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/files.h"
#include "common/sizes.h"
#include "storage/container/builder.h"
#include "storage/evolving/store_spec.h"
#include "storage/evolving/stream.h"

namespace outcore {

namespace {

void print_disk(const IngestOnDisk& disk) {
  const evolving::DiskIngestCounters& counted = disk.counters;
  fmt::print(
      "{}: {} updates acknowledged, in {} groups (median {:.1f} ms, 99 of 100 below {:.1f} ms); {} "
      "runs\n",
      disk.folder, with_commas(disk.acknowledged), with_commas(counted.commits),
      static_cast<double>(counted.commit_latency.quantile(0.5)) / 1e6,
      static_cast<double>(counted.commit_latency.quantile(0.99)) / 1e6, disk.runs);
  fmt::print("written: log {}, runs {}, merges {}; it stood still {} times, {:.2f} s\n",
             human_size(counted.log_bytes), human_size(counted.run_bytes),
             human_size(counted.merge_bytes), counted.stalls, counted.stalled_seconds);
}

void print_pmem(const IngestInPmem& pmem) {
  fmt::print("{}: {} updates acknowledged{}\n", pmem.folder, with_commas(pmem.acknowledged),
             pmem.is_persistent ? ""
                                : "; *not persistent*: an ordinary file stands in for persistent "
                                  "memory, and a loss of power would lose them");
}

void print_memory(const IngestOutcome& outcome) {
  const evolving::StoreCounters& counted = outcome.counters;
  fmt::print("{} edges stand, and {} removals were of edges that were not there\n",
             with_commas(outcome.edges.value_or(0)),
             with_commas(outcome.removals_missed.value_or(0)));
  fmt::print(
      "in the store {:.2f} s: sharding {:.2f} s, buffering {:.2f} s ({} phases), flushing "
      "{:.2f} s ({} times); buffers at most {}, chains {}\n",
      outcome.store_seconds, counted.shard_seconds, counted.buffer_seconds,
      counted.buffering_phases, counted.flush_seconds, counted.flushes,
      human_size(counted.most_buffer_bytes), human_size(counted.chain_bytes));
  if (!outcome.model) return;
  fmt::print("the model: bus {} read, {} written; medium {} read, {} written\n",
             human_size(outcome.model->bus_read_bytes()),
             human_size(outcome.model->bus_written_bytes()),
             human_size(outcome.model->medium_read_bytes()),
             human_size(outcome.model->medium_written_bytes()));
}

void print_queries(const QueryAccount& queries) {
  if (queries.answers.empty()) return;
  const AnswerAge age = mean_age(queries.answers);
  fmt::print(
      "{} windows answered by {}, {} passed over; the newest answer was {:.3f} s and {} updates "
      "behind; the stream waited {} times, {:.2f} s\n",
      queries.answers.size(), queries.workload, queries.passed_over, age.seconds,
      with_commas(static_cast<std::uint64_t>(age.updates)), queries.waits, queries.waited_seconds);
}

void print_text(const IngestArgs& args, const IngestOutcome& outcome) {
  const evolving::StoreCounters& counted = outcome.counters;
  fmt::print("{}: {} updates, {} of them removals; {} vertices; {:.2f} s, {:.1f} M/s\n",
             args.stream, with_commas(counted.updates), with_commas(counted.removals),
             with_commas(outcome.vertices), outcome.seconds,
             static_cast<double>(counted.updates) / 1e6 / std::max(outcome.seconds, 1e-9));
  if (outcome.disk) print_disk(*outcome.disk);
  if (outcome.pmem) print_pmem(*outcome.pmem);
  if (!outcome.disk) print_memory(outcome);
  if (outcome.queries) print_queries(*outcome.queries);
  if (outcome.verified) fmt::print("verified: out-lists, in-lists and degrees are the stream's\n");
  if (!args.freeze_to.empty())
    fmt::print("{}: frozen in {:.2f} s\n", args.freeze_to, outcome.freeze_seconds);
}

// The store that is meant: one in a folder where --store names it.
evolving::StoreSpec wanted_store(const IngestArgs& args) {
  const std::vector<std::string> given = spec_assignments(args.engine);
  const bool names_medium = std::any_of(given.begin(), given.end(), [](const std::string& word) {
    return word.starts_with("medium=");
  });
  const bool add_medium = !args.store.empty() && !names_medium;
  evolving::StoreSpec spec = evolving::parse_store_spec(
      !add_medium ? args.engine : args.engine + (given.empty() ? ":" : ",") + "medium=ssd");
  const std::string& medium = spec.parameters.text("medium");
  const bool is_in_folder = spec.on_disk || spec.in_pmem;
  if (is_in_folder && args.store.empty()) {
    throw usage_error(
        fmt::format("medium={} is a store in a folder; name it: --store FOLDER", medium));
  }
  if (!is_in_folder && !args.store.empty())
    throw usage_error(fmt::format("--store needs medium=ssd or pmem, not medium={}", medium));
  for (const auto& [option, is_given] :
       {std::pair("--ack", args.acknowledge_to >= 0), std::pair("--resume", args.resume)}) {
    if (is_given && args.store.empty())
      throw usage_error(fmt::format("{} needs --store FOLDER", option));
  }
  return spec;
}

void run_ingest(const IngestArgs& args) {
  check_output_paths({{"--record", args.record}});
  // Refused now, and not when the stream is in.
  if (!args.freeze_to.empty()) check_new_graph(args.freeze_to, args.force);
  evolving::StoreSpec spec = wanted_store(args);
  if (args.verify && args.stream == "-") {
    throw usage_error(
        "--verify reads the stream a second time, which standard input does not allow");
  }
  spec.options.threads = spec.modelled ? 1 : threads_or_all(args.threads);
  refuse_queries(args, spec);
  const IngestOutcome outcome =
      spec.on_disk ? ingest_to_disk(args, spec) : ingest_to_memory(args, spec);
  const nlohmann::json record = ingest_record(args.stream, spec, outcome);
  if (!args.record.empty()) write_json_atomically(args.record, record);
  if (args.json) fmt::print("{}\n", record.dump(2));
  if (!args.json) print_text(args, outcome);
}

}  // namespace

evolving::StreamOptions stream_options(const IngestArgs& args, unsigned threads) {
  return {.format = args.format,
          .threads = threads,
          .at_once = std::max<std::uint64_t>(
              1, parse_size(args.at_once, "--at-once") / sizeof(evolving::LogEdge))};
}

void add_ingest(CLI::App& app) {
  const auto args = std::make_shared<IngestArgs>();
  CLI::App* verb = app.add_subcommand(
      "ingest", "Take a stream of updates into a store for graphs that change (XPGraph)");
  verb->add_option("stream", args->stream, "File of updates, or a pipe; -: standard input")
      ->required();
  verb->add_option("--store", args->store,
                   "Folder of a store on a disk, which keeps what it acknowledges; a new one, or "
                   "one to go on with")
      ->type_name("FOLDER");
  verb->add_flag("--resume", args->resume,
                 "The stream begins with what the store has already: leave that out");
  verb->add_option("--ack", args->acknowledge_to,
                   "Write the number of the last acknowledged update to this descriptor, a line "
                   "each time that it grows")
      ->type_name("FD");
  verb->add_option("--memory", args->memory,
                   "For a store on a disk: room for updates that are in no run yet")
      ->capture_default_str();
  verb->add_option("--engine", args->engine, "The store: evolving, with parameters after a colon")
      ->capture_default_str();
  verb->add_option(
          "--format", args->format,
          "pairs32, text, ocs, tel32, graphlog, or auto: by the name's ending, else pairs32")
      ->capture_default_str();
  verb->add_option("--rate", args->rate, "Updates a second at most; 0: as fast as it goes")
      ->capture_default_str();
  verb->add_option("--snapshot-every", args->snapshot_every,
                   "Make a snapshot each time so many updates are in, and hold the last; 0: none")
      ->capture_default_str();
  verb->add_option("--query", args->query,
                   "Run a workload on what is there, whenever --every more updates are in, while "
                   "the stream goes on; its parameters follow a colon: bfs:source=7")
      ->type_name("WORKLOAD");
  verb->add_option("--every", args->every, "Updates of a window: the end of each is asked about")
      ->type_name("N");
  verb->add_flag("--newest", args->newest,
                 "The stream never waits for an answer: a window that ends while a query runs is "
                 "passed over");
  verb->add_option("--query-threads", args->query_threads,
                   "Threads of the queries; 0: as many as --threads")
      ->capture_default_str();
  verb->add_option("--at-once", args->at_once,
                   "How much of a file is handed to the store at once, 8 bytes an update")
      ->capture_default_str();
  verb->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  verb->add_flag("--compact", args->compact,
                 "At the end make each list one block; in memory before each query too");
  verb->add_flag("--verify", args->verify,
                 "At the end read the stream again and compare all lists with it");
  verb->add_option("--freeze", args->freeze_to,
                   "Folder of a new graph: what stands at the end, as import would make it");
  verb->add_flag("--force", args->force, "Let --freeze replace an existing graph");
  verb->add_option("--record", args->record, "Write the record of the ingestion here, as JSON");
  verb->add_flag("--json", args->json, "Print the record");
  std::string parameters;
  for (const Parameter& parameter : evolving::store_parameters())
    parameters += fmt::format("\n  {:<10} {} [{}]", parameter.name, parameter.full_help(),
                              parameter.fallback);
  verb->footer(
      "Example: outcore ingest edges.pairs --verify\n"
      "         outcore ingest changes.txt.gz --freeze graphs/now\n"
      "         outcore ingest edges.pairs --engine evolving:variant=graphone,medium=model --json\n"
      "         my-generator | outcore ingest - --format text --store stores/live --ack 3 "
      "3>acknowledged\n"
      "         outcore ingest edges.pairs --store stores/live --resume\n"
      "         outcore ingest edges.pairs --query pagerank --every 4000000 --rate 1000000\n"
      "A stream is u32 pairs, or text with an update a line: 'u v' and '+ u v' add an edge, '- u "
      "v' "
      "removes one\ncopy of it; or what 'outcore stream' writes (.ocs), u32 triples with times "
      "(.tel32), gfe_driver's\n.graphlog. Edges are a multiset: an edge added twice is there "
      "twice.\n"
      "Without --store the store lives in memory and ends with the program; --freeze keeps what it "
      "held.\nWith --store an update is acknowledged when it is sure to survive: a killed program, "
      "a power cut.\n"
      "Parameters of evolving:" +
      parameters);
  verb->callback([args] { run_ingest(*args); });
}

}  // namespace outcore
