// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/verbs.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "storage/container/builder.h"
#include "workloads/streams/streams.h"

namespace outcore {

namespace {

struct StreamArgs {
  std::string file;
  std::string memory = "256M";
  unsigned threads = 0;
  bool force = false;
  bool json = false;

  void add_to(CLI::App& app, bool sorts) {
    app.add_option("stream", file, "File of the new stream (.ocs)")->required();
    if (sorts) {
      app.add_option(
             "--memory", memory,
             "Memory, nearly all of it to sort in; what does not fit goes to a file beside the "
             "stream")
          ->capture_default_str();
    }
    app.add_option("--threads", threads, "Threads; 0: every core")->capture_default_str();
    app.add_flag("--force", force, "Replace an existing file");
    app.add_flag("--json", json, "Print for programs what was made");
  }
};

// Makes the stream and says what it is.
void write_stream(const StreamArgs& args, const auto& make, const auto& options) {
  const Stopwatch watch;
  const StreamCounts counts =
      make(options, StreamTarget{.file = args.file,
                                 .memory_bytes = parse_size(args.memory, "--memory"),
                                 .threads = threads_or_all(args.threads),
                                 .force = args.force});
  const std::uint64_t bytes = std::filesystem::file_size(args.file);
  if (args.json) {
    const nlohmann::json made = {{"stream", args.file},
                                 {"updates", counts.updates},
                                 {"removals", counts.removals},
                                 {"bytes", bytes},
                                 {"seconds", watch.seconds()}};
    fmt::print("{}\n", made.dump(2));
    return;
  }
  fmt::print("{}: {} updates, {} of them removals, {} in {:.1f} s\n", args.file,
             with_commas(counts.updates), with_commas(counts.removals), human_size(bytes),
             watch.seconds());
}

template <typename Options>
CLI::App* add_kind(CLI::App& stream, const std::string& name, const std::string& help,
                   StreamCounts (*make)(const Options&, const StreamTarget&), bool sorts,
                   const std::function<void(CLI::App&, Options&)>& add_options) {
  struct KindArgs : StreamArgs, Options {};
  const auto args = std::make_shared<KindArgs>();
  CLI::App* app = stream.add_subcommand(name, help);
  add_options(*app, *args);
  args->add_to(*app, sorts);
  app->callback([args, make] { write_stream(*args, make, static_cast<const Options&>(*args)); });
  return app;
}

void add_graph(CLI::App& app, std::filesystem::path& graph) {
  app.add_option("graph", graph, "Folder of the graph")->required();
}

void add_seed(CLI::App& app, std::uint64_t& seed) {
  app.add_option("--seed", seed, "Same seed, same stream")->capture_default_str();
}

void add_kinds_of_a_graph(CLI::App& stream) {
  add_kind<ShuffleOptions>(stream, "shuffle", "The edges of a graph in random order",
                           stream_shuffle, true,
                           [](CLI::App& app, ShuffleOptions& options) {
                             add_graph(app, options.graph);
                             add_seed(app, options.seed);
                             app.add_flag("--once", options.once,
                                          "Of a symmetric graph each edge in one direction, for "
                                          "stores with lists=symmetric");
                           })
      ->footer("Example: outcore stream shuffle graphs/kron20 kron20.ocs");
  add_kind<SortedOptions>(
      stream, "sorted", "The edges of a graph by source", stream_sorted, false,
      [](CLI::App& app, SortedOptions& options) { add_graph(app, options.graph); })
      ->footer("Example: outcore stream sorted graphs/kron20 kron20.ocs");
  add_kind<WindowOptions>(
      stream, "window", "A shuffled graph of which only the last edges stand", stream_window, true,
      [](CLI::App& app, WindowOptions& options) {
        add_graph(app, options.graph);
        app.add_option("--edges", options.edges, "Edges that stand at most")->required();
        add_seed(app, options.seed);
      })
      ->footer("Example: outcore stream window graphs/kron20 --edges 1000000 window.ocs");
  add_kind<AgingOptions>(
      stream, "aging", "A graph among edges that come and go; in the end exactly it stands",
      stream_aging, true,
      [](CLI::App& app, AgingOptions& options) {
        add_graph(app, options.graph);
        app.add_option("--factor", options.factor, "Updates for each edge of the graph")
            ->capture_default_str();
        add_seed(app, options.seed);
      })
      ->footer("Example: outcore stream aging graphs/kron20 --factor 10 aging.ocs");
}

void add_kinds_from_nothing(CLI::App& stream) {
  add_kind<GrowthOptions>(
      stream, "growth", "Vertices in the order of their birth, by preferential attachment",
      stream_growth, false,
      [](CLI::App& app, GrowthOptions& options) {
        app.add_option("--vertices", options.vertices, "Vertices")->capture_default_str();
        app.add_option("--degree", options.degree, "Edges of a new vertex")->capture_default_str();
        add_seed(app, options.seed);
      })
      ->footer("Example: outcore stream growth --vertices 1000000 --degree 8 growth.ocs");
  add_kind<BurstsOptions>(
      stream, "bursts", "Few vertices at a time have most of the edges, and others later",
      stream_bursts, false,
      [](CLI::App& app, BurstsOptions& options) {
        app.add_option("--vertices", options.vertices, "Vertices")->capture_default_str();
        app.add_option("--updates", options.updates, "Edges")->capture_default_str();
        app.add_option("--exponent", options.exponent,
                       "Exponent of Zipf's law, by which hot vertices are drawn")
            ->capture_default_str();
        app.add_option("--hot", options.hot, "Vertices that are hot at a time")
            ->capture_default_str();
        app.add_option("--drift", options.drift, "Edges after which an eighth of them changes")
            ->capture_default_str();
        add_seed(app, options.seed);
      })
      ->footer("Example: outcore stream bursts --vertices 1000000 --updates 10000000 bursts.ocs");
  add_kind<TimesOptions>(stream, "times", "A real stream of edges with times", stream_times, false,
                         [](CLI::App& app, TimesOptions& options) {
                           app.add_option(
                                  "file", options.file,
                                  "u32 triples (source, target, time) by time, also .gz or .zst")
                               ->required();
                           app.add_option("--window", options.window_seconds,
                                          "Remove an edge once it is so many seconds old; 0: never")
                               ->capture_default_str();
                         })
      ->footer("Example: outcore stream times messages.tel32.zst --window 86400 day.ocs");
}

}  // namespace

void add_stream(CLI::App& app) {
  CLI::App* stream = app.add_subcommand(
      "stream", "Make a stream of updates, for stores of graphs that change (outcore ingest)");
  stream->require_subcommand(1);
  add_kinds_of_a_graph(*stream);
  add_kinds_from_nothing(*stream);
  stream->footer(
      "Example: outcore stream aging graphs/kron16 aging.ocs && outcore ingest aging.ocs --verify\n"
      "A stream is a file of additions and removals. The same parameters give the same bytes with "
      "any number\nof threads. docs/streams.md describes the kinds.");
}

}  // namespace outcore
