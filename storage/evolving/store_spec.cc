// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/store_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

#include "common/error.h"
#include "common/parse_number.h"
#include "common/sizes.h"
#include "storage/evolving/log_edge.h"

namespace outcore::evolving {

namespace {

using Kind = Parameter::Kind;

const std::array<Parameter, 19>& declared() {
  static const std::array<Parameter, 19> parameters = {{
      {.name = "medium",
       .fallback = "dram",
       .help =
           "What lists and log live on; model counts what Optane would move; ssd: a folder, whose "
           "runs queries read in place; what is acknowledged survives; pmem: a folder in "
           "persistent memory (a file system mounted with -o dax); what is acknowledged survives",
       .choices = {"dram", "model", "ssd", "pmem"}},
      {.name = "variant",
       .fallback = "xpgraph",
       .help = "battery: the log may overwrite buffered edges; dram: and buffers are fixed:64; "
               "graphone: no buffers, each edge is written by itself; graphone-dram: on dram only; "
               "graphone-file: into a file without a name beside the stream",
       .choices = {"xpgraph", "battery", "dram", "graphone", "graphone-dram", "graphone-file"}},
      {.name = "threshold",
       .fallback = "65536",
       .help = "Edges not buffered that start a buffering phase",
       .kind = Kind::whole,
       .least = 1,
       .most = 1U << 31},
      {.name = "batch",
       .fallback = "all",
       .help = "What a phase takes: all that is there, or exactly the threshold",
       .choices = {"all", "exact"}},
      {.name = "log",
       .fallback = "auto",
       .help =
           "Size of the edge log, 8 bytes an edge; a power of two. With medium=ssd the size of a "
           "new store's log. auto: a sixteenth of the stream, as the paper's 8 GB are of 128; 128M "
           "where its size is unknown, and with medium=ssd"},
      {.name = "buffers",
       .fallback = "auto",
       .help = "Bytes of vertex buffers: LEAST-GREATEST, fixed:BYTES, or auto (16-256)"},
      {.name = "pool", .fallback = "16G", .help = "Most memory of vertex buffers"},
      {.name = "bulk", .fallback = "16M", .help = "What a thread takes of the pool at once"},
      {.name = "ranges",
       .fallback = "0",
       .help = "Ranges of vertices that a phase is split into; 0: by its size",
       .kind = Kind::whole,
       .least = 0,
       .most = 65536},
      {.name = "clwb",
       .fallback = "off",
       .help = "Blocks of 256 bytes leave the model's cache at once",
       .choices = {"on", "off"}},
      {.name = "cache",
       .fallback = "auto",
       .help = "Size of the model's cache; auto: 1/512 of the lists"},
      {.name = "dimms",
       .fallback = "8",
       .help = "Modules of the model, interleaved by 4 KB",
       .kind = Kind::whole,
       .least = 1,
       .most = 64},
      {.name = "group",
       .fallback = "1M",
       .help = "medium=ssd: most bytes of the log that are made durable at once"},
      {.name = "group_ms",
       .fallback = "10",
       .help = "medium=ssd: longest that an update waits for others of its group",
       .kind = Kind::real,
       .least = 0,
       .most = 60'000},
      {.name = "ids",
       .fallback = "4",
       .help = "medium=ssd: bytes of an id in a new store's log and newer runs; 3: ids are below "
               "16777216",
       .choices = {"4", "3"}},
      {.name = "codec",
       .fallback = "raw",
       .help = "medium=ssd: codec of a new store's runs, as of a layout's lists",
       .choices = {"raw", "svb", "varint"}},
      {.name = "factor",
       .fallback = "4",
       .help = "medium=ssd: so many runs merged equally often become one; 0: none",
       .kind = Kind::whole,
       .least = 0,
       .most = 64},
      {.name = "lists",
       .fallback = "directed",
       .help = "directed: out-lists and in-lists; symmetric: each edge stands at both ends",
       .choices = {"directed", "symmetric"}},
      {.name = "nodes",
       .fallback = "auto",
       .help =
           "On machines with P memory nodes: sub-graphs: vertex v and its threads are of node v "
           "mod P; directions: out-lists are on one node, in-lists on another; off: wherever "
           "the kernel puts them; auto: sub-graphs, off for graphone",
       .choices = {"auto", "sub-graphs", "directions", "off"}},
  }};
  return parameters;
}

std::uint32_t bytes_of(const std::string& text, const std::string& all) {
  const auto bytes = parse_number<std::uint32_t>(text);
  if (bytes) return *bytes;
  throw usage_error(fmt::format(
      "engine evolving: buffers={}: expected auto, LEAST-GREATEST or fixed:BYTES, as in 16-256",
      all));
}

void set_buffers(StoreKnobs& options, const std::string& text, bool dram) {
  if (text == "auto") {
    if (dram) options.least_buffer = options.most_buffer = 64;  // section IV-C
  } else if (text.starts_with("fixed:")) {
    options.least_buffer = options.most_buffer = bytes_of(text.substr(6), text);
  } else {
    const std::size_t dash = text.find('-');
    options.least_buffer = bytes_of(text.substr(0, dash), text);
    options.most_buffer = dash == std::string::npos ? 0 : bytes_of(text.substr(dash + 1), text);
  }
}

// What is of stores in a folder only, and what is not.
constexpr std::array kOfDisk = {"group", "group_ms", "factor", "ids", "codec"};
constexpr std::array kOfMemory = {"variant", "threshold", "batch", "buffers", "pool",  "bulk",
                                  "ranges",  "clwb",      "cache", "dimms",   "lists", "nodes"};

void refuse_of_other_medium(const Parameters& given, bool on_disk) {
  for (const auto& [name, value] : given.changed()) {
    const bool of_disk = std::find(kOfDisk.begin(), kOfDisk.end(), name) != kOfDisk.end();
    const bool of_memory = std::find(kOfMemory.begin(), kOfMemory.end(), name) != kOfMemory.end();
    if (!(on_disk ? of_memory : of_disk)) continue;
    throw usage_error(fmt::format("engine evolving: {}={} does nothing with medium={}", name, value,
                                  given.text("medium")));
  }
}

// What is acknowledged must survive, and lists lie where the file system has them.
void refuse_of_pmem(const Parameters& given) {
  constexpr std::array kNot = {"variant", "clwb", "cache", "dimms", "nodes"};
  for (const auto& [name, value] : given.changed()) {
    if (std::find(kNot.begin(), kNot.end(), name) == kNot.end()) continue;
    throw usage_error(fmt::format(
        "engine evolving: {}={} does not go with medium=pmem, which keeps what it acknowledges as "
        "variant=xpgraph does, with every block written back (clwb); leave it out, or take "
        "medium=model",
        name, value));
  }
}

PlaceLists place_of(const std::string& nodes, Archiving archiving) {
  if (nodes == "auto")
    return archiving == Archiving::buffers ? PlaceLists::sub_graphs : PlaceLists::none;
  if (nodes == "off") return PlaceLists::none;
  return nodes == "directions" ? PlaceLists::directions : PlaceLists::sub_graphs;
}

constexpr std::uint64_t kUnknownLog = std::uint64_t{128} << 20;

// None: auto.
std::optional<std::uint64_t> log_bytes(const Parameters& given) {
  if (given.text("log") == "auto") return std::nullopt;
  return parse_size(given.text("log"), "log");
}

void set_disk(StoreSpec& parsed) {
  const Parameters& given = parsed.parameters;
  parsed.log_pages = log_bytes(given).value_or(kUnknownLog) / sizeof(LogPage);
  const std::uint64_t pages = parse_size(given.text("group"), "group") / sizeof(LogPage);
  if (pages < 1 || pages > LogGroup::kMostPages) {
    throw usage_error(
        fmt::format("engine evolving: group={}: expected 4K to 1M", given.text("group")));
  }
  if (parsed.log_pages < 2 * pages) {
    throw usage_error(
        fmt::format("engine evolving: log={}: expected two groups (group={}) at least",
                    given.text("log"), given.text("group")));
  }
  parsed.group.pages = pages;
  parsed.group.longest =
      std::chrono::microseconds(static_cast<std::int64_t>(given.real("group_ms") * 1000));
  parsed.id_bytes = given.text("ids") == "3" ? 3 : 4;
  parsed.codec = given.text("codec");
  parsed.factor = static_cast<unsigned>(given.whole("factor"));
  if (parsed.factor == 1) {
    throw usage_error(
        "engine evolving: factor=1: one run is merged into none; expected 0 or 2 "
        "to 64");
  }
}

}  // namespace

std::uint64_t usual_log_edges(std::uint64_t updates, std::uint64_t threshold) {
  return std::bit_ceil(std::max(2 * threshold, updates / 16));
}

std::span<const Parameter> store_parameters() { return declared(); }

StoreSpec parse_store_spec(const std::string& spec) {
  if (spec_name(spec) != "evolving") {
    throw usage_error(fmt::format(
        "a store belongs to the engine evolving, not to '{}'; write evolving:variant=battery",
        spec_name(spec)));
  }
  StoreSpec parsed;
  parsed.parameters = Parameters("engine evolving", declared(), spec_assignments(spec));
  const Parameters& given = parsed.parameters;
  StoreKnobs& options = parsed.options;
  parsed.on_disk = given.text("medium") == "ssd";
  refuse_of_other_medium(given, parsed.on_disk);
  if (parsed.on_disk) {
    set_disk(parsed);
    return parsed;
  }
  parsed.in_pmem = given.text("medium") == "pmem";
  if (parsed.in_pmem) refuse_of_pmem(given);
  const std::string& variant = given.text("variant");
  options.symmetric = given.text("lists") == "symmetric";
  options.reuse_buffered = variant == "battery" || variant == "dram";
  if (variant.starts_with("graphone")) options.archiving = Archiving::edge_by_edge;
  options.threshold = given.whole("threshold");
  options.exact_batches = given.text("batch") == "exact";
  parsed.usual_log = !log_bytes(given).has_value();
  options.log_edges = log_bytes(given).value_or(kUnknownLog) / sizeof(LogEdge);
  set_buffers(options, given.text("buffers"), variant == "dram");
  options.pool_bytes = parse_size(given.text("pool"), "pool");
  options.bulk_bytes = parse_size(given.text("bulk"), "bulk");
  if (!std::has_single_bit(options.bulk_bytes) || options.bulk_bytes < 65536) {
    throw usage_error(fmt::format("engine evolving: bulk={}: expected a power of two from 64K",
                                  given.text("bulk")));
  }
  options.ranges = static_cast<unsigned>(given.whole("ranges"));
  options.clwb = given.text("clwb") == "on";
  options.place = place_of(given.text("nodes"), options.archiving);
  parsed.modelled = given.text("medium") == "model";
  parsed.in_file = variant == "graphone-file";
  if (parsed.modelled && (variant.ends_with("dram") || parsed.in_file)) {
    throw usage_error(
        fmt::format("engine evolving: variant={} is of medium=dram; with a model say variant={}",
                    variant, variant == "dram" ? "battery" : "graphone"));
  }
  parsed.dimms = static_cast<unsigned>(given.whole("dimms"));
  if (given.text("cache") != "auto") parsed.cache_bytes = parse_size(given.text("cache"), "cache");
  return parsed;
}

}  // namespace outcore::evolving
