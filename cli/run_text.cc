// SPDX-License-Identifier: Apache-2.0
#include "cli/run_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/asked_engine.h"
#include "common/shell.h"
#include "common/sizes.h"
#include "workloads/in_words.h"
#include "workloads/workload.h"

namespace outcore {

namespace {

// " (median of 5, 0.101 to 0.140)"; empty for one trial.
std::string among_trials(const nlohmann::json& trials) {
  if (trials.size() < 2) return {};
  double least = 1e300;
  double most = 0;
  for (const auto& trial : trials) {
    const double seconds = trial.at("phases").at("run_s");
    least = std::min(least, seconds);
    most = std::max(most, seconds);
  }
  return fmt::format(" (median of {}, {:.3f} to {:.3f})", trials.size(), least, most);
}

std::string gap_time(const char* what, double seconds) {
  return fmt::format("{:<21}{:.5f}\n", fmt::format("{}:", what), seconds);
}

std::string gap_trial(const nlohmann::json& phases, const nlohmann::json& verified) {
  std::string text = gap_time("Trial Time", phases.at("run_s"));
  if (verified.is_null()) return text;
  text += fmt::format("{:<21}{:>7}\n", "Verification:", verified.get<bool>() ? "PASS" : "FAIL");
  if (phases.contains("verify_s")) text += gap_time("Verification Time", phases.at("verify_s"));
  return text;
}

std::string describe_trace(const nlohmann::json& trace) {
  if (trace.is_null()) return {};
  const auto& optimum = trace.at("optimum");
  std::string text =
      fmt::format("  trace    {} accesses; OPT, with this pool and in this order, reads {}",
                  trace.at("accesses").get<std::uint64_t>(), human_size(optimum.at("bytes")));
  const auto& times = optimum.at("times_optimal");
  if (!times.is_null()) text += fmt::format(": {:.2f} times optimal", times.get<double>());
  return text + "\n";
}

// Empty for engines without a cache.
std::string describe_cache(const nlohmann::json& cache) {
  if (cache.is_null()) return {};
  return fmt::format("  cache    {} of {} blocks: {} hits, {} misses; {:.3f} s for its lock\n",
                     cache.at("policy").get<std::string>(), cache.at("slots").get<std::uint64_t>(),
                     cache.at("hits").get<std::uint64_t>(), cache.at("misses").get<std::uint64_t>(),
                     cache.at("lock_waited_s").get<double>());
}

// Empty if nothing was requested.
std::string describe_latency(const nlohmann::json& latency) {
  if (latency.is_null()) return {};
  return fmt::format("  latency  {:.0f} us mean, {:.0f} us for 99 in 100, {:.0f} us at most\n",
                     latency.at("mean_us").get<double>(), latency.at("p99_us").get<double>(),
                     latency.at("max_us").get<double>());
}

// "  bound    of 1.90 s 1.20 by the device (mean 81% of its probed rate, 95% of what it sustains),
// 0.40 by the processors (mean 72%), 0.30 by neither\n". Without the part on the device if it was
// not probed; empty if nothing is known.
std::string describe_bound(const nlohmann::json& bound) {
  if (bound.is_null()) return {};
  const auto number = [](const nlohmann::json& of, const char* name) {
    return of.at(name).get<double>();
  };
  std::string text = fmt::format("  bound    of {:.2f} s ", number(bound, "seconds"));
  if (const nlohmann::json& device = bound.at("device"); !device.is_null()) {
    text += fmt::format(
        "{:.2f} by the device (mean {:.0f}% of its probed rate, {:.0f}% of what it "
        "sustains), ",
        number(device, "seconds"), 100 * number(device, "share"),
        100 * number(device, "sustained_share"));
  }
  const nlohmann::json& processors = bound.at("processors");
  return text + fmt::format("{:.2f} by the processors (mean {:.0f}%), {:.2f} by neither\n",
                            number(processors, "seconds"), 100 * number(processors, "share"),
                            number(bound, "neither_s"));
}

// What can be done where nothing is said of the device.
std::string describe_unprobed(const nlohmann::json& record) {
  const nlohmann::json& device = record.at("device");
  if (!device.at("rates").is_null() || record.at("io").at("requested_bytes") == 0) return {};
  return fmt::format(
      "  note     {} was not probed, so nothing is said of its share: outcore probe {}\n",
      device.at("source").get<std::string>(),
      shell_word(record.at("asked").at("graph").get<std::string>()));
}

// "5 rounds", "1 round"
std::string so_many(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string rounds_text(std::uint64_t rounds) {
  return rounds == 0 ? "no rounds" : so_many(rounds, "round");
}

// ", frames 64.0 MiB"; an engine that has the graph in memory has none.
std::string frames_text(const nlohmann::json& asked) {
  if (traits_asked_for(asked).keeps_graph_in_memory) return {};
  return ", frames " + human_size(asked.at("frames_bytes"));
}

// "  memory   71.2 MiB at most, 3.1 MiB of it unaccounted\n"
std::string in_memory(const nlohmann::json& memory) {
  const std::string peak = human_size(memory.at("peak_rss_bytes"));
  const auto rest = memory.at("unaccounted_bytes").get<std::int64_t>();
  if (rest <= 0) return fmt::format("  memory   {} at most\n", peak);
  return fmt::format("  memory   {} at most, {} of it unaccounted\n", peak,
                     human_size(static_cast<std::uint64_t>(rest)));
}

// The rows that --top asked for, in columns after the word "top".
std::string describe_top(const nlohmann::json& rows) {
  const auto cell = [](const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
    return value.dump();
  };
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, cell(row.at("vertex")).size());
  std::string text;
  for (const auto& row : rows) {
    const bool counted = row.contains("vertices");
    text += fmt::format("  {:<8} {:<{}}  {}{}\n", text.empty() ? "top" : "", cell(row.at("vertex")),
                        width, cell(row.at(counted ? "vertices" : "value")),
                        counted ? " vertices" : "");
  }
  return text;
}

std::string describe_answer(const nlohmann::json& record) {
  const auto& answer = record.at("answer");
  const Workload& workload = find_workload(record.at("asked").at("workload"));
  std::string text = fmt::format(
      "  answer   {} ({})\n",
      in_words(workload.sentence, answer.at("summary"), record.at("graph").at("vertices")),
      answer.at("digest").get<std::string>());
  text += describe_top(answer.value("top", nlohmann::json::array()));
  for (const auto& note : answer.at("notes")) {
    text += fmt::format("  note     {}\n", note.get<std::string>());
  }
  return text;
}

}  // namespace

std::string describe(const nlohmann::json& record) {
  const auto& graph = record.at("graph");
  const auto& asked = record.at("asked");
  const auto& phases = record.at("phases");
  const auto& io = record.at("io");
  const auto edges = std::max<std::uint64_t>(1, graph.at("edges"));
  const std::uint64_t requested = io.at("requested_bytes");
  std::string text =
      fmt::format("{} on {} ({} vertices, {} edges): {} over {}, {}{}\n",
                  asked.at("workload").get<std::string>(), graph.at("name").get<std::string>(),
                  graph.at("vertices").get<std::uint64_t>(), graph.at("edges").get<std::uint64_t>(),
                  asked.at("engine").get<std::string>(), asked.at("layout").get<std::string>(),
                  so_many(asked.at("threads"), "thread"), frames_text(asked));
  text += describe_answer(record);
  const auto& verified = record.at("answer").at("verified");
  if (!verified.is_null()) {
    text += fmt::format("  verified by {}\n", verified.at("how").get<std::string>());
  }
  text += fmt::format("  time     {:.3f} s run{}, {:.3f} s before it; {}, {} start\n",
                      phases.at("run_s").get<double>(), among_trials(record.at("trials")),
                      phases.at("open_s").get<double>() + phases.at("prepare_s").get<double>(),
                      rounds_text(record.at("work").at("rounds")),
                      record.at("start").at("temperature").get<std::string>());
  text += fmt::format("  read     {} in {}, {:.2f} bytes an edge; kernel {}\n",
                      human_size(requested), so_many(io.at("requests"), "request"),
                      static_cast<double>(requested) / static_cast<double>(edges),
                      human_size(io.at("kernel_bytes")));
  if (const std::uint64_t written = io.at("written_bytes"); written > 0) {
    text += fmt::format("  written  {} in {}, {}; kernel {}\n", human_size(written),
                        so_many(io.at("write_requests"), "request"),
                        so_many(io.at("syncs"), "sync"), human_size(io.at("kernel_written_bytes")));
  }
  text += describe_bound(record.value("bound", nlohmann::json()));
  text += describe_unprobed(record);
  text += describe_latency(io.at("latency"));
  text += describe_cache(record.at("cache"));
  text += describe_trace(record.value("trace", nlohmann::json()));
  text += in_memory(record.at("memory"));
  if (const auto& modelled = record.at("modelled"); !modelled.is_null()) {
    text += fmt::format(
        "  modelled {}, {} times as slow; of {} requests {} late, {} overslept\n",
        modelled.at("device").get<std::string>(), modelled.at("dilation").get<double>(),
        modelled.at("requests").get<std::uint64_t>(), modelled.at("late").get<std::uint64_t>(),
        modelled.at("overslept").get<std::uint64_t>());
  }
  for (const auto& note : io.at("notes")) {
    text += fmt::format("  note     {}\n", note.get<std::string>());
  }
  return text;
}

std::string in_gap_form(const nlohmann::json& record) {
  std::string trials;
  double reading = 0;
  double running = 0;
  const auto& rows = record.at("trials");
  for (const auto& row : rows) {
    const auto& phases = row.at("phases");
    reading += phases.at("open_s").get<double>() + phases.at("prepare_s").get<double>();
    running += phases.at("run_s").get<double>();
    trials += gap_trial(phases, row.at("verified"));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, rows.size()));
  const auto& graph = record.at("graph");
  const bool symmetric = graph.at("symmetric");
  const std::uint64_t vertices = graph.at("vertices");
  const std::uint64_t edges = graph.at("edges").get<std::uint64_t>() / (symmetric ? 2 : 1);
  return gap_time("Read Time", reading / count) +
         fmt::format("Graph has {} nodes and {} {}directed edges for degree: {}\n", vertices, edges,
                     symmetric ? "un" : "", edges / std::max<std::uint64_t>(1, vertices)) +
         trials + gap_time("Average Time", running / count);
}

}  // namespace outcore
