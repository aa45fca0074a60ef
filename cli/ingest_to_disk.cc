// SPDX-License-Identifier: Apache-2.0
#include "cli/ingest_to_disk.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <thread>

#include "cli/acknowledged.h"
#include "cli/device_files.h"
#include "cli/ingest_queries.h"
#include "cli/on_interrupt.h"
#include "cli/timed_feed.h"
#include "cli/window_feed.h"
#include "common/error.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/evolving/durable/check_durable_store.h"
#include "storage/evolving/durable/disk_ingest.h"
#include "storage/evolving/durable/freeze_durable_store.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/opened_store.h"
#include "storage/evolving/stored_lists.h"
#include "storage/io/probe/bound_by.h"
#include "storage/io/timeline.h"

namespace outcore {

namespace {

void refuse_contradictions(const IngestArgs& args) {
  if (args.snapshot_every > 0) {
    throw usage_error(
        "--snapshot-every is of stores in memory; of a store on a disk, outcore query "
        "makes a snapshot in a process of its own");
  }
}

// Creates the store where there is none.
void create_if_missing(const IngestArgs& args, const evolving::StoreSpec& spec) {
  evolving::RealDisk::make(args.store);
  if (evolving::is_durable_store(args.store)) return;
  evolving::RealDisk disk(args.store);
  for (const std::string& name : disk.list()) {
    const bool is_remains = name == "log" || name == "store.json.pending";
    if (is_remains) continue;
    throw usage_error(fmt::format("{}: the folder has {}, which is no store's; name a new folder",
                                  args.store, name));
  }
  evolving::DurableStore::create(
      disk, {.limit = spec.id_bytes == 3 ? evolving::kNarrowIds : evolving::kMostVertices,
             .log_pages = spec.log_pages,
             .id_bytes = spec.id_bytes,
             .codec = spec.codec});
}

// What writes of the device that holds a folder take, if it was probed. Reads are not counted:
// those of merges go through the page cache.
std::optional<DevicePace> write_pace(const std::string& folder) {
  const auto probed = find_probe(device_facts(folder).at("source"));
  if (!probed) return std::nullopt;
  constexpr unsigned kAny = ~0U;
  return DevicePace{.source = probed->path.string(),
                    .costs = {},
                    .write_mb_per_s = probed->device.write_mb_per_s,
                    .write_costs = probed->device.write_costs_at(kAny)};
}

class DiskRun {
 public:
  DiskRun(const IngestArgs& args, const evolving::StoreSpec& spec)
      : args_(args),
        disk_(args.store),
        ingest_(disk_, knobs(args, spec),
                [this, write = line_writer(args.acknowledge_to)](std::uint64_t last) {
                  acknowledged_.tell(last);
                  if (write) write(last);
                }),
        feed_(ingest_, {.rate = args.rate, .skip = args.resume ? ingest_.opened_at() : 0}),
        queries_(args, spec, [this] { return so_far(); }) {}

  // A query may wait for what will not be acknowledged any more.
  ~DiskRun() { acknowledged_.end(); }
  DiskRun(const DiskRun&) = delete;
  DiskRun& operator=(const DiskRun&) = delete;

  IngestOutcome run(const OnInterrupt& on_interrupt) {
    const std::jthread waits = on_interrupt.then([this] { return interrupted(); });
    take_in();
    IngestOutcome outcome = so_far();
    outcome.seconds = seconds_;
    outcome.bound = bound_;
    if (args_.verify) queries_.verify(false);
    queries_.account(outcome);
    if (!args_.compact) return outcome;
    const Stopwatch compaction;
    ingest_.compact();
    outcome.compact_seconds = compaction.seconds();
    return outcome;
  }

 private:
  static evolving::DiskIngestKnobs knobs(const IngestArgs& args, const evolving::StoreSpec& spec) {
    return {
        .group = spec.group, .factor = spec.factor, .memory = parse_size(args.memory, "--memory")};
  }

  void take_in() {
    WindowFeed windows(feed_, queries_.windows(), ingest_.opened_at(),
                       [this] { return open_newest(); });
    Timeline timeline(args_.stream, {.requests = &disk_.requests()});
    try {
      evolving::read_stream(args_.stream, stream_options(args_, threads_or_all(args_.threads)),
                            windows);
    } catch (const Error& error) {
      // The updates before a broken record are kept.
      if (error.code() == ExitCode::bad_input) ingest_.interrupt();
      throw;
    }
    refuse_shorter_stream();
    ingest_.finish();
    seconds_ = watch_.seconds();
    bound_ = bound_by(timeline.finish(), threads_or_all(args_.threads), write_pace(args_.store));
    windows.finish();
  }

  std::string interrupted() {
    ingest_.interrupt();
    const std::string answered = queries_.interrupted();
    return fmt::format("{} has {} updates, all of them acknowledged{}{}", args_.store,
                       with_commas(ingest_.store().acknowledged()), answered.empty() ? "" : "; ",
                       answered);
  }

  // Opens what is acknowledged when all of the window is.
  WindowQueries::Open open_newest() {
    return [this, window = ingest_.opened_at() + feed_.taken()] {
      acknowledged_.wait_for(window);
      OpenedPrefix opened{.graph = nullptr, .prefix = 0, .known_s = queries_.windows()->seconds()};
      evolving::StoredLists lists = evolving::open_stored_lists(args_.store, std::nullopt);
      opened.prefix = lists.counts().prefix;
      opened.graph = std::make_unique<evolving::OpenedStore>(std::move(lists));
      return opened;
    };
  }

  void refuse_shorter_stream() {
    const std::uint64_t there = args_.resume ? ingest_.opened_at() : 0;
    const std::uint64_t skipped = feed_.account().skipped;
    if (skipped == there) return;
    ingest_.interrupt();
    throw usage_error(fmt::format("--resume: {} has {} updates, and the store has {} already",
                                  args_.stream, skipped, there));
  }

  [[nodiscard]] IngestOutcome so_far() const {
    const TimedFeed::Account fed = feed_.account();
    IngestOutcome outcome;
    outcome.rate = args_.rate;
    outcome.seconds = watch_.seconds();
    outcome.store_seconds = fed.store_seconds;
    outcome.counters.updates = fed.taken;
    outcome.counters.removals = fed.removals;
    outcome.disk = IngestOnDisk{.folder = args_.store,
                                .counters = ingest_.counters(),
                                .opened_at = ingest_.opened_at(),
                                .replayed = ingest_.replayed(),
                                .open_seconds = ingest_.open_seconds(),
                                .skipped = fed.skipped,
                                .acknowledged = ingest_.store().acknowledged(),
                                .runs = ingest_.store().runs().size()};
    outcome.vertices = ingest_.store().vertices();
    return outcome;
  }

  const IngestArgs& args_;
  evolving::RealDisk disk_;
  Acknowledged acknowledged_;
  evolving::DiskIngest ingest_;
  TimedFeed feed_;
  const Stopwatch watch_;
  double seconds_ = 0;
  nlohmann::json bound_;
  IngestQueries queries_;
};

}  // namespace

IngestOutcome ingest_to_disk(const IngestArgs& args, const evolving::StoreSpec& spec) {
  refuse_contradictions(args);
  IngestOutcome outcome;
  {
    const OnInterrupt on_interrupt;  // before any thread
    create_if_missing(args, spec);
    outcome = DiskRun(args, spec).run(on_interrupt);
  }
  const unsigned threads = threads_or_all(args.threads);
  if (args.verify) {
    evolving::check_durable_store(args.store,
                                  {.against = args.stream, .stream = stream_options(args, threads)},
                                  [](const std::string&) {});
    outcome.verified = true;
  }
  if (!args.freeze_to.empty()) {
    const Stopwatch watch;
    evolving::freeze_durable_store(args.store, args.freeze_to,
                                   {.threads = threads, .force = args.force});
    outcome.freeze_seconds = watch.seconds();
  }
  return outcome;
}

}  // namespace outcore
