// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "cli/ingest_record.h"
#include "cli/output_paths.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/files.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/container/builder.h"
#include "storage/evolving/check_store.h"
#include "storage/evolving/freeze.h"
#include "storage/evolving/optane_model.h"
#include "storage/evolving/store.h"
#include "storage/evolving/store_spec.h"
#include "storage/evolving/stream.h"

namespace outcore {

namespace {

struct IngestArgs {
  std::string stream;
  std::string engine = "evolving";
  std::string format = "auto";
  std::string freeze_to;
  std::string record;
  std::string at_once = "32M";
  std::uint64_t rate = 0;
  std::uint64_t snapshot_every = 0;
  unsigned threads = 0;
  bool compact = false;
  bool verify = false;
  bool force = false;
  bool json = false;
};

// Feeds a store, at no more than so many updates a second, and makes snapshots as it goes. What the
// store does is timed apart from reading and waiting.
class TimedFeed : public evolving::UpdateSink {
 public:
  TimedFeed(evolving::Store& store, std::uint64_t rate, std::uint64_t snapshot_every)
      : store_(store), rate_(rate), snapshot_every_(snapshot_every) {}

  std::span<evolving::LogEdge> room(std::uint64_t most) override {
    const Stopwatch watch;
    // At a given rate updates come in portions of a hundredth of a second.
    if (rate_ > 0) most = std::min(most, std::max<std::uint64_t>(1, rate_ / 100));
    if (snapshot_every_ > 0) most = std::min(most, snapshot_every_ - taken_ % snapshot_every_);
    const std::span<evolving::LogEdge> room = store_.room(most);
    store_seconds_ += watch.seconds();
    return room;
  }
  void append(std::uint64_t count) override {
    const Stopwatch watch;
    store_.append(count);
    taken_ += count;
    if (snapshot_every_ > 0 && taken_ % snapshot_every_ == 0 && count > 0) take_snapshot();
    store_seconds_ += watch.seconds();
    if (rate_ == 0) return;
    const double due = static_cast<double>(taken_) / static_cast<double>(rate_);
    if (const double early = due - watch_.seconds(); early > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(early));
  }
  void account(IngestOutcome& outcome) const {
    outcome.store_seconds = store_seconds_;
    outcome.snapshots = snapshots_;
    outcome.longest_snapshot_seconds = longest_snapshot_;
  }

 private:
  // The last one is kept, as a reader would.
  void take_snapshot() {
    const Stopwatch watch;
    std::shared_ptr<evolving::Snapshot> next = store_.snapshot();
    longest_snapshot_ = std::max(longest_snapshot_, watch.seconds());
    last_.swap(next);
    ++snapshots_;
  }

  evolving::Store& store_;
  std::uint64_t rate_;
  std::uint64_t snapshot_every_;
  Stopwatch watch_;
  double store_seconds_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t snapshots_ = 0;
  double longest_snapshot_ = 0;
  std::shared_ptr<evolving::Snapshot> last_;
};

// The cache of the model for lists as long as the stream's, where its size says how long they are.
std::uint64_t usual_cache(const std::filesystem::path& stream) {
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 20;
  std::error_code none;
  const std::uint64_t bytes = std::filesystem::file_size(stream, none);
  return none ? kUnknown : evolving::OptaneModel::usual_cache_bytes(bytes);
}

void print_text(const IngestArgs& args, const IngestOutcome& outcome) {
  const evolving::StoreCounters& counted = outcome.counters;
  fmt::print(
      "{}: {} updates, {} of them removals ({} of edges that were not there); {} vertices and "
      "{} edges stand; {:.2f} s, {:.1f} M/s\n",
      args.stream, with_commas(counted.updates), with_commas(counted.removals),
      with_commas(outcome.removals_missed), with_commas(outcome.vertices),
      with_commas(outcome.edges), outcome.seconds,
      static_cast<double>(counted.updates) / 1e6 / std::max(outcome.seconds, 1e-9));
  fmt::print(
      "in the store {:.2f} s: sharding {:.2f} s, buffering {:.2f} s ({} phases), flushing "
      "{:.2f} s ({} times); buffers at most {}, chains {}\n",
      outcome.store_seconds, counted.shard_seconds, counted.buffer_seconds,
      counted.buffering_phases, counted.flush_seconds, counted.flushes,
      human_size(counted.most_buffer_bytes), human_size(counted.chain_bytes));
  if (outcome.model) {
    fmt::print("the model: bus {} read, {} written; medium {} read, {} written\n",
               human_size(outcome.model->bus_read_bytes()),
               human_size(outcome.model->bus_written_bytes()),
               human_size(outcome.model->medium_read_bytes()),
               human_size(outcome.model->medium_written_bytes()));
  }
  if (outcome.verified) fmt::print("verified: out-lists, in-lists and degrees are the stream's\n");
  if (!args.freeze_to.empty())
    fmt::print("{}: frozen in {:.2f} s\n", args.freeze_to, outcome.freeze_seconds);
}

// Takes the whole stream in, and flushes at the end.
void take_in(const IngestArgs& args, evolving::Store& store, const evolving::StreamOptions& stream,
             IngestOutcome& outcome) {
  const Stopwatch watch;
  TimedFeed feed(store, args.rate, args.snapshot_every);
  evolving::read_stream(args.stream, stream, feed);
  const Stopwatch last;
  store.flush_all();
  feed.account(outcome);
  outcome.store_seconds += last.seconds();
  outcome.seconds = watch.seconds();
  if (!args.compact) return;
  const Stopwatch compaction;
  store.compact_all();
  outcome.compact_seconds = compaction.seconds();
}

void run_ingest(IngestArgs& args) {
  check_output_paths({{"--record", args.record}});
  evolving::StoreSpec spec = evolving::parse_store_spec(args.engine);
  spec.options.threads = spec.modelled ? 1 : threads_or_all(args.threads);
  if (args.verify && args.stream == "-")
    throw usage_error(
        "--verify reads the stream a second time, which standard input does not allow");
  std::optional<evolving::OptaneModel> model;
  if (spec.modelled) {
    model.emplace(evolving::OptaneParameters{
        .cache_bytes = spec.cache_bytes.value_or(usual_cache(args.stream)), .dimms = spec.dimms});
    spec.options.medium = &*model;
  }
  const evolving::StreamOptions stream{
      .format = args.format,
      .threads = spec.options.threads,
      .at_once = std::max<std::uint64_t>(
          1, parse_size(args.at_once, "--at-once") / sizeof(evolving::LogEdge))};
  evolving::Store store(spec.options);
  IngestOutcome outcome;
  take_in(args, store, stream, outcome);
  if (model) {
    model->drain();
    outcome.model = model->counters();
  }
  outcome.counters = store.counters();
  const std::shared_ptr<evolving::Snapshot> snapshot = store.snapshot();
  snapshot->prepare(spec.options.threads);
  outcome.vertices = snapshot->vertices();
  outcome.edges = snapshot->edges();
  outcome.removals_missed = snapshot->removals_missed();
  if (args.verify) {
    evolving::check_store(*snapshot, args.stream, stream);
    outcome.verified = true;
  }
  if (!args.freeze_to.empty()) {
    const Stopwatch watch;
    evolving::freeze(*snapshot, args.freeze_to,
                     {.threads = spec.options.threads, .force = args.force});
    outcome.freeze_seconds = watch.seconds();
  }
  const nlohmann::json record = ingest_record(args.stream, spec, outcome);
  if (!args.record.empty()) write_json_atomically(args.record, record);
  if (args.json) fmt::print("{}\n", record.dump(2));
  if (!args.json) print_text(args, outcome);
}

}  // namespace

void add_ingest(CLI::App& app) {
  const auto args = std::make_shared<IngestArgs>();
  CLI::App* verb = app.add_subcommand(
      "ingest", "Take a stream of updates into a store for graphs that change (XPGraph)");
  verb->add_option("stream", args->stream, "File of updates, or a pipe; -: standard input")
      ->required();
  verb->add_option("--engine", args->engine, "The store: evolving, with parameters after a colon")
      ->capture_default_str();
  verb->add_option("--format", args->format, "pairs32, text, or auto: text by the name's ending")
      ->capture_default_str();
  verb->add_option("--rate", args->rate, "Updates a second at most; 0: as fast as it goes")
      ->capture_default_str();
  verb->add_option("--snapshot-every", args->snapshot_every,
                   "Make a snapshot each time so many updates are in, and hold the last; 0: none")
      ->capture_default_str();
  verb->add_option("--at-once", args->at_once,
                   "How much of a file is handed to the store at once, 8 bytes an update")
      ->capture_default_str();
  verb->add_option("--threads", args->threads, "Threads; 0: every core")->capture_default_str();
  verb->add_flag("--compact", args->compact, "At the end make each list one block");
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
      "         my-generator | outcore ingest - --format text\n"
      "A stream is u32 pairs, or text with an update a line: 'u v' and '+ u v' add an edge, '- u "
      "v' "
      "removes one\ncopy of it. Edges are a multiset: an edge added twice is there twice.\n"
      "The store lives in memory and ends with the program; --freeze keeps what it held.\n"
      "Parameters of evolving:" +
      parameters);
  verb->callback([args] { run_ingest(*args); });
}

}  // namespace outcore
