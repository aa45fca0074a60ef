// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_store.h"

#include <fmt/format.h>

#include "cli/store_graph.h"
#include "cli/text_table.h"
#include "common/sizes.h"
#include "storage/evolving/durable/real_disk.h"
#include "storage/evolving/durable/store_view.h"
#include "storage/evolving/pmem_store.h"

namespace outcore {

nlohmann::json inspect_store(const std::string& folder) {
  evolving::RealDisk disk(folder);
  const evolving::StoreView view(disk);
  nlohmann::json runs = nlohmann::json::array();
  for (const evolving::Run& run : view.runs()) {
    runs.push_back({{"name", run.name},
                    {"after", run.updates.after},
                    {"last", run.updates.last},
                    {"tier", run.tier},
                    {"bytes", bytes_of_store(disk.path(run.name))}});
  }
  return {{"store", folder},
          {"updates", view.updates()},
          {"flushed", view.flushed()},
          {"vertices", view.vertices()},
          {"removals_missed_so_far", view.store().removals_missed()},
          {"log",
           {{"bytes", view.store().log_pages() * sizeof(evolving::LogPage)},
            {"pages", view.store().log_pages()},
            {"pages_used", view.store().log_pages_used()}}},
          {"runs", runs}};
}

std::string inspect_store_text(const nlohmann::json& store) {
  const auto number = [](const nlohmann::json& value) {
    return with_commas(value.get<std::uint64_t>());
  };
  std::string text = fmt::format(
      "{}: a store of {} updates, of vertices below {}\n{} updates are in {} runs; the log of {} "
      "holds the rest, in {} of {} pages\n",
      store.at("store").get<std::string>(), number(store.at("updates")),
      number(store.at("vertices")), number(store.at("flushed")), store.at("runs").size(),
      human_size(store.at("log").at("bytes").get<std::uint64_t>()),
      number(store.at("log").at("pages_used")), number(store.at("log").at("pages")));
  TextTable table({"run", "after", "last", "merged", "size"});
  for (const nlohmann::json& run : store.at("runs")) {
    table.add({run.at("name").get<std::string>(), number(run.at("after")), number(run.at("last")),
               number(run.at("tier")), human_size(run.at("bytes").get<std::uint64_t>())});
  }
  return table.empty() ? text : text + table.text();
}

nlohmann::json inspect_pmem_store(const std::string& folder) {
  const evolving::PmemReader reader(folder, 1);
  const evolving::PmemImage& image = *reader.image;
  return {{"store", folder},
          {"updates", image.head()},
          {"flushed", image.flushed()},
          {"vertices", reader.snapshot->vertices()},
          {"edges", reader.snapshot->edges()},
          {"removals_missed", reader.snapshot->removals_missed()},
          {"symmetric", reader.snapshot->symmetric()},
          {"log_bytes", image.shape().log_edges * sizeof(evolving::LogEdge)},
          {"chain_bytes", reader.store->counters().chain_bytes}};
}

std::string inspect_pmem_store_text(const nlohmann::json& store) {
  const auto number = [&](const char* name) {
    return with_commas(store.at(name).get<std::uint64_t>());
  };
  return fmt::format(
      "{}: a store in persistent memory of {} updates, of vertices below {}; {} edges stand\n{} "
      "updates are flushed; the log of {} holds the rest\n",
      store.at("store").get<std::string>(), number("updates"), number("vertices"), number("edges"),
      number("flushed"), human_size(store.at("log_bytes").get<std::uint64_t>()));
}

}  // namespace outcore
