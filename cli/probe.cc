// SPDX-License-Identifier: Apache-2.0
#include "storage/io/probe/probe.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "cli/device_files.h"
#include "cli/output_paths.h"
#include "cli/verbs.h"
#include "common/error.h"
#include "common/files.h"
#include "common/machine.h"
#include "common/sizes.h"
#include "common/stopwatch.h"
#include "common/terminal.h"
#include "common/toml.h"

namespace outcore {

namespace {

struct ProbeArgs {
  ProbeOptions options;
  std::string size = "1G";
  std::filesystem::path output;  // empty: usual_probe_file()
  bool json = false;
};

// A progress line that overwrites itself, only on a terminal.
class Line {
 public:
  ~Line() { wipe(); }
  void show(const std::string& what, std::size_t done, std::size_t steps) {
    if (!terminal_) return;
    fmt::print(stderr, "\r\033[Kprobing: {}, {:.0f} s: {} ({} of {})", folder, watch_.seconds(),
               what, done + 1, steps);
    std::fflush(stderr);
  }
  std::string folder;

 private:
  void wipe() const {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }
  bool terminal_ = shows_progress();
  Stopwatch watch_;
};

// Rates in MB/s: one row per size, one column per concurrency. Writes have no pattern.
void print_table(const nlohmann::json& rates, const std::string& pattern) {
  std::map<std::uint64_t, std::map<unsigned, double>> table;
  std::map<unsigned, bool> columns;
  for (const nlohmann::json& row : rates) {
    const unsigned concurrency = row.at("concurrency");
    const bool power_of_two = (concurrency & (concurrency - 1)) == 0;
    if (row.value("pattern", "written") != pattern || !power_of_two) continue;
    table[row.at("bytes")][concurrency] = row.at("mb_per_s");
    columns[concurrency] = true;
  }
  fmt::print("\n{:<16}", pattern + ", MB/s");
  for (const auto& [concurrency, there] : columns) fmt::print("{:>8}", concurrency);
  fmt::print("\n");
  for (const auto& [bytes, row] : table) {
    fmt::print("{:<16}", human_size(bytes));
    for (const auto& [concurrency, rate] : row) fmt::print("{:>8.0f}", rate);
    fmt::print("\n");
  }
}

void print_cost(const char* what, const nlohmann::json& cost) {
  fmt::print(
      "{:<16}{:.2f} us a request + {:.3f} us/KB ({} in flight; off by {:.0f}% rms, {:.0f}% at "
      "most)\n",
      what, cost.at("request_us").get<double>(), cost.at("kb_us").get<double>(),
      cost.at("concurrency").get<unsigned>(), 100 * cost.at("rms_error").get<double>(),
      100 * cost.at("worst_error").get<double>());
}

void print_text(const nlohmann::json& document) {
  const nlohmann::json& probe = document.at("probe");
  const nlohmann::json& read = document.at("read");
  fmt::print("{:<16}{} ({}), {} in {:.1f} s\n", "device", probe.at("source").get<std::string>(),
             probe.at("filesystem").get<std::string>(),
             human_size(probe.at("file_bytes").get<std::uint64_t>()),
             probe.at("seconds").get<double>());
  fmt::print("{:<16}{} (latency of 4 KB: {:.0f} us, alone {:.0f} us)\n", "k_r",
             read.at("k_r").get<unsigned>(), read.at("at_k_r_us").get<double>(),
             read.at("alone_us").get<double>());
  fmt::print("{:<16}{:.0f} MB/s, random reads of 4 KB\n", "T_rr",
             read.at("t_rr_mb_per_s").get<double>());
  fmt::print("{:<16}{:.0f} MB/s, sequential reads of 1 MB\n", "T_sr",
             read.at("t_sr_mb_per_s").get<double>());
  fmt::print("{:<16}{:.0f} MB/s, sequential writes of 1 MB, kept\n", "T_sw",
             document.at("write").at("t_sw_mb_per_s").get<double>());
  const nlohmann::json& sustained = document.at("sustained");
  fmt::print(
      "{:<16}{:.0f} MB/s, random reads of {}, {} in flight for {:.1f} s: {:.2f} of the table's\n",
      "sustained", sustained.at("mb_per_s").get<double>(),
      human_size(sustained.at("bytes").get<std::uint64_t>()),
      sustained.at("concurrency").get<unsigned>(), sustained.at("seconds").get<double>(),
      sustained.at("of_momentary").get<double>());
  print_cost("cost, busy", document.at("cost").at("busy"));
  print_cost("cost, alone", document.at("cost").at("alone"));
  fmt::print("{:<16}{:.0f} us, 99 of 100 below {:.0f} us\n", "fdatasync",
             document.at("fdatasync").at("p50_us").get<double>(),
             document.at("fdatasync").at("p99_us").get<double>());
  for (const nlohmann::json& row : document.at("commits")) {
    fmt::print("{:<16}{}: {:.0f} us, 99 of 100 below {:.0f} us, {:.0f} MB/s\n", "write, fdatasync",
               human_size(row.at("bytes").get<std::uint64_t>()), row.at("p50_us").get<double>(),
               row.at("p99_us").get<double>(), row.at("mb_per_s").get<double>());
  }
  for (const nlohmann::json& note : probe.at("notes")) {
    fmt::print("{:<16}{}\n", "note", note.get<std::string>());
  }
  if (const std::size_t out = probe.at("cells_left_out"); out > 0) {
    fmt::print("{:<16}no time was left for {} cells of the tables; give more --seconds\n", "note",
               out);
  }
  print_table(document.at("rates"), "random");
  print_table(document.at("rates"), "sequential");
  print_table(document.at("writes"), "written");
}

void run_probe(ProbeArgs& args) {
  constexpr double kFewestSeconds = 3;
  if (!(args.options.seconds >= kFewestSeconds)) {
    throw usage_error(fmt::format("--seconds {}: expected a number from {}", args.options.seconds,
                                  kFewestSeconds));
  }
  args.options.bytes = parse_size(args.size, "--size");
  check(args.options);
  if (args.output.empty()) {
    args.output = usual_probe_file(device_facts(args.options.folder).at("source"));
    std::filesystem::create_directories(args.output.parent_path());
  }
  check_output_paths({{"--output", args.output}});
  check_writable(args.output);  // before the measurement, not after it
  if (!args.json) {
    fmt::print("the result goes to {}\n", args.output.string());
    std::fflush(stdout);
  }
  nlohmann::json document;
  {
    Line line;
    line.folder = args.options.folder.string();
    document = probe(args.options, [&](const std::string& what, std::size_t done,
                                       std::size_t steps) { line.show(what, done, steps); });
  }
  write_text_atomically(args.output,
                        "# Written by 'outcore probe'; configs/schema/probe.schema.json says what "
                        "the fields mean.\n" +
                            to_toml(document));
  if (args.json) {
    fmt::print("{}\n", document.dump(2));
  } else {
    print_text(document);
  }
}

}  // namespace

void add_probe(CLI::App& app) {
  const auto args = std::make_shared<ProbeArgs>();
  CLI::App* verb = app.add_subcommand("probe", "Measure what the device under a folder can do");
  verb->add_option("folder", args->options.folder, "Folder on the device")->required();
  verb->add_option("--seconds", args->options.seconds, "Time limit")->capture_default_str();
  verb->add_option(
          "--size", args->size,
          "Largest size of the scratch file, which is also at most a tenth of the free space")
      ->capture_default_str();
  verb->add_option("--output", args->output,
                   "Where the result goes, as TOML; default: where runs on the device look for it, "
                   "configs/devices/local.toml in a checkout");
  verb->add_flag("--json", args->json, "Print the result as JSON, for programs");
  verb->footer(
      "Example: outcore probe graphs\n"
      "Random and sequential reads past the page cache, by size (4 KB to 1 MB) and by how many "
      "are\n"
      "in flight (1 to 128), each for a moment, and one without a pause, for what the device "
      "sustains;\n"
      "k_r as CAVE has it, the bandwidths of LOSC's cost model, what a request costs, fdatasync; "
      "writes by size and by how many are in flight, and what a "
      "write and\n"
      "its fdatasync take by the size of the write. The scratch file has no name, so nothing is "
      "left behind. Nothing else should use the device\n"
      "meanwhile.");
  verb->callback([args] { run_probe(*args); });
}

}  // namespace outcore
