// SPDX-License-Identifier: Apache-2.0
#include "cli/ingest_to_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "cli/acknowledged.h"
#include "cli/ingest_queries.h"
#include "cli/on_interrupt.h"
#include "cli/timed_feed.h"
#include "cli/window_feed.h"
#include "common/error.h"
#include "common/stopwatch.h"
#include "storage/evolving/ahead_feed.h"
#include "storage/evolving/check_store.h"
#include "storage/evolving/file_medium.h"
#include "storage/evolving/freeze.h"
#include "storage/evolving/opened_store.h"
#include "storage/evolving/optane_model.h"
#include "storage/evolving/pmem_store.h"
#include "storage/evolving/store.h"
#include "storage/evolving/stream.h"
#include "storage/io/probe/bound_by.h"
#include "storage/io/timeline.h"

namespace outcore {

namespace {

// The size of the stream's file, also if it is text or compressed; nothing for a pipe.
std::optional<std::uint64_t> stream_bytes(const std::filesystem::path& stream) {
  std::error_code none;
  const std::uint64_t bytes = std::filesystem::file_size(stream, none);
  return none ? std::nullopt : std::optional(bytes);
}

// The size of the modelled cache that suits a stream of this length; 1 MiB if that is not known.
std::uint64_t usual_cache(const std::filesystem::path& stream) {
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 20;
  const std::optional<std::uint64_t> bytes = stream_bytes(stream);
  return bytes ? evolving::OptaneModel::usual_cache_bytes(*bytes) : kUnknown;
}

// The stream's folder, where files beside it go; the current folder for standard input.
std::filesystem::path folder_of(const std::filesystem::path& stream) {
  return stream.has_parent_path() ? stream.parent_path() : std::filesystem::path(".");
}

void choose_log(const std::string& stream, evolving::StoreSpec& spec) {
  const std::optional<std::uint64_t> bytes = stream_bytes(stream);
  if (!spec.usual_log || !bytes) return;
  spec.options.log_edges =
      evolving::usual_log_edges(*bytes / sizeof(evolving::LogEdge), spec.options.threshold);
}

// What the store writes to, if it is not plain memory.
struct Medium {
  std::optional<evolving::OptaneModel> model;
  std::optional<evolving::FileMedium> file;

  Medium(const IngestArgs& args, evolving::StoreSpec& spec) {
    if (spec.modelled) {
      model.emplace(evolving::OptaneParameters{
          .cache_bytes = spec.cache_bytes.value_or(usual_cache(args.stream)), .dimms = spec.dimms});
      spec.options.medium = &*model;
    }
    if (spec.in_pmem) spec.options.image = evolving::open_to_write(args.store, spec.options);
    if (spec.in_file) spec.options.medium = &file.emplace(folder_of(args.stream));
  }
};

// What a store in persistent memory has taken in is acknowledged.
class AcknowledgingSink final : public evolving::UpdateSink {
 public:
  AcknowledgingSink(evolving::Store& store, const evolving::PmemImage* image, int fd)
      : store_(store), image_(image), told_(line_writer(fd)) {}
  std::span<evolving::LogEdge> room(std::uint64_t most) override { return store_.room(most); }
  void append(std::uint64_t count) override {
    store_.append(count);
    if (told_) told_(image_->head());
  }

 private:
  evolving::Store& store_;
  const evolving::PmemImage* image_;
  const std::function<void(std::uint64_t)> told_;
};

class MemoryRun {
 public:
  MemoryRun(const IngestArgs& args, const evolving::StoreSpec& spec, Medium& medium)
      : args_(args),
        spec_(spec),
        medium_(medium),
        opened_at_(spec.options.image ? spec.options.image->head() : 0),
        replayed_(spec.options.image ? opened_at_ - spec.options.image->flushed() : 0),
        store_(spec.options),
        open_seconds_(opening_.seconds()),
        sink_(store_, spec.options.image.get(), args.acknowledge_to),
        feed_(sink_,
              {.rate = args.rate,
               .snapshot_every = args.snapshot_every,
               .skip = args.resume ? opened_at_ : 0},
              [this] { return store_.snapshot(); }),
        queries_(args, spec, [this] { return so_far(); }) {}

  // Takes the whole stream in, flushes at the end, and looks at what is there.
  IngestOutcome run(const OnInterrupt* on_interrupt) {
    std::optional<std::jthread> waits;
    if (on_interrupt != nullptr)
      waits.emplace(on_interrupt->then([this] { return queries_.interrupted(); }));
    take_in();
    IngestOutcome outcome = so_far();
    outcome.seconds = seconds_;
    outcome.bound = bound_;
    outcome.store_seconds += flush_seconds_;
    if (args_.compact) compact();
    outcome.compact_seconds = compact_seconds_;
    account(outcome);
    const std::shared_ptr<evolving::Snapshot> snapshot = store_.snapshot();
    snapshot->prepare(spec_.options.threads);
    look_at(*snapshot, outcome);
    queries_.account(outcome);
    return outcome;
  }

 private:
  void take_in() {
    WindowFeed windows(feed_, queries_.windows(), opened_at_, [this] { return open_snapshot(); });
    Timeline timeline(args_.stream);
    read_into(windows);
    refuse_shorter_stream();
    const Stopwatch last;
    store_.flush_all();
    if (medium_.file) medium_.file->sync();
    flush_seconds_ = last.seconds();
    seconds_ = watch_.seconds();
    bound_ = bound_by(timeline.finish(), spec_.options.threads, std::nullopt);
    windows.finish();
  }

  void refuse_shorter_stream() const {
    const std::uint64_t there = args_.resume ? opened_at_ : 0;
    const std::uint64_t skipped = feed_.account().skipped;
    if (skipped == there) return;
    throw usage_error(fmt::format("--resume: {} has {} updates, and the store has {} already",
                                  args_.stream, skipped, there));
  }

  // By a thread that reads while others archive, where there are others.
  void read_into(evolving::UpdateSink& sink) {
    const evolving::StreamOptions stream = stream_options(args_, spec_.options.threads);
    if (stream.threads == 1) {
      evolving::read_stream(args_.stream, stream, sink);
      return;
    }
    evolving::AheadFeed ahead(sink, stream.at_once);
    evolving::read_stream(args_.stream, stream, ahead);
    ahead.finish();
  }

  // A snapshot of now, and what opens it in the thread of the queries.
  WindowQueries::Open open_snapshot() {
    if (args_.compact) compact();
    const Stopwatch watch;
    std::shared_ptr<evolving::Snapshot> snapshot = store_.snapshot();
    longest_snapshot_ = std::max(longest_snapshot_, watch.seconds());
    ++snapshots_;
    return [snapshot = std::move(snapshot), stream = args_.stream,
            threads = queries_.windows()->wishes().threads,
            now = queries_.windows()->seconds()]() mutable {
      snapshot->prepare(threads);
      OpenedPrefix opened{.graph = nullptr, .prefix = snapshot->updates(), .known_s = now};
      opened.graph = std::make_unique<evolving::OpenedStore>(stream, std::move(snapshot));
      return opened;
    };
  }

  void compact() {
    const Stopwatch compaction;
    store_.compact_all();
    compact_seconds_ += compaction.seconds();
  }

  [[nodiscard]] IngestOutcome so_far() const {
    const TimedFeed::Account fed = feed_.account();
    IngestOutcome outcome;
    outcome.rate = args_.rate;
    outcome.seconds = watch_.seconds();
    outcome.store_seconds = fed.store_seconds;
    outcome.snapshots = fed.snapshots;
    outcome.longest_snapshot_seconds = fed.longest_snapshot_seconds;
    outcome.log_edges = spec_.options.log_edges;
    outcome.counters = counters(fed);
    outcome.vertices = store_.vertices();
    if (const auto& image = spec_.options.image) {
      outcome.pmem = IngestInPmem{.folder = args_.store,
                                  .is_persistent = image->memory().is_persistent(),
                                  .opened_at = opened_at_,
                                  .replayed = replayed_,
                                  .open_seconds = open_seconds_,
                                  .skipped = fed.skipped,
                                  .acknowledged = image->head()};
    }
    return outcome;
  }

  // With the updates of this stream, not those that were there.
  [[nodiscard]] evolving::StoreCounters counters(const TimedFeed::Account& fed) const {
    evolving::StoreCounters counters = store_.counters();
    counters.updates = fed.taken;
    counters.removals = fed.removals;
    return counters;
  }

  void account(IngestOutcome& outcome) const {
    outcome.snapshots += snapshots_;
    outcome.longest_snapshot_seconds =
        std::max(outcome.longest_snapshot_seconds, longest_snapshot_);
    outcome.counters = counters(feed_.account());
    if (const auto& file = medium_.file)
      outcome.file = {{.writes = file->writes(), .written_bytes = file->written_bytes()}};
    if (!medium_.model) return;
    medium_.model->drain();
    outcome.model = medium_.model->counters();
  }

  void look_at(const evolving::Snapshot& snapshot, IngestOutcome& outcome) {
    outcome.vertices = snapshot.vertices();
    outcome.edges = snapshot.edges();
    outcome.removals_missed = snapshot.removals_missed();
    if (args_.verify) {
      evolving::check_store(snapshot, args_.stream, stream_options(args_, spec_.options.threads));
      queries_.verify(spec_.options.symmetric);
      outcome.verified = true;
    }
    if (args_.freeze_to.empty()) return;
    const Stopwatch watch;
    evolving::freeze(snapshot, args_.freeze_to,
                     {.threads = spec_.options.threads, .force = args_.force});
    outcome.freeze_seconds = watch.seconds();
  }

  const IngestArgs& args_;
  const evolving::StoreSpec& spec_;
  Medium& medium_;
  const Stopwatch opening_;
  const std::uint64_t opened_at_;  // updates in the store before
  const std::uint64_t replayed_;
  evolving::Store store_;
  const double open_seconds_;
  AcknowledgingSink sink_;
  TimedFeed feed_;
  const Stopwatch watch_;
  // Of the thread that feeds.
  double seconds_ = 0;
  nlohmann::json bound_;
  double flush_seconds_ = 0;
  double compact_seconds_ = 0;
  double longest_snapshot_ = 0;
  std::uint64_t snapshots_ = 0;
  IngestQueries queries_;
};

}  // namespace

IngestOutcome ingest_to_memory(const IngestArgs& args, evolving::StoreSpec& spec) {
  std::optional<OnInterrupt> on_interrupt;  // before any thread
  if (!args.query.empty()) on_interrupt.emplace();
  choose_log(args.stream, spec);
  Medium medium(args, spec);
  return MemoryRun(args, spec, medium).run(on_interrupt ? &*on_interrupt : nullptr);
}

}  // namespace outcore
