// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/store_manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/files.h"
#include "common/parse_json.h"
#include "storage/container/hashed_file.h"
#include "storage/evolving/durable/disk_stream.h"
#include "storage/layout/parts.h"

namespace outcore::evolving {

namespace {

nlohmann::json to_json(const StoreManifest& manifest) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Run& run : manifest.runs) {
    runs.push_back({{"name", run.name},
                    {"after", run.updates.after},
                    {"last", run.updates.last},
                    {"tier", run.tier},
                    {"codec", run.codec},
                    {"seal", run.seal}});
  }
  return sealed({{"version", StoreManifest::kVersion},
                 {"limit", manifest.limit},
                 {"id_bytes", manifest.id_bytes},
                 {"codec", manifest.codec},
                 {"vertices", manifest.vertices},
                 {"epoch", manifest.epoch},
                 {"flushed", manifest.flushed.update},
                 {"acknowledged", manifest.acknowledged},
                 {"log", {{"pages", manifest.log_pages}, {"first_page", manifest.flushed.page}}},
                 {"runs", runs},
                 {"next_run", manifest.next_run},
                 {"removals_missed", manifest.removals_missed}});
}

std::string codec_from(const nlohmann::json& json, const std::filesystem::path& path) {
  auto name = json_field<std::string>(json, "codec", path);
  const auto is_it = [&](const CodecPart& codec) { return codec.name == name; };
  if (std::any_of(codec_parts().begin(), codec_parts().end(), is_it)) return name;
  throw bad_input(Place::file(path), "codec '" + name + "'", "a codec of layouts");
}

std::vector<Run> runs_from(const nlohmann::json& json, const std::filesystem::path& path,
                           unsigned id_bytes) {
  std::vector<Run> runs;
  for (const auto& entry : json_field<std::vector<nlohmann::json>>(json, "runs", path)) {
    Run& run = runs.emplace_back();
    run.name = json_field<std::string>(entry, "name", path, "runs/");
    run.updates.after = json_field<std::uint64_t>(entry, "after", path, "runs/");
    run.updates.last = json_field<std::uint64_t>(entry, "last", path, "runs/");
    run.tier = json_field<unsigned>(entry, "tier", path, "runs/");
    run.id_bytes = id_bytes;
    run.codec = codec_from(entry, path);
    run.seal = json_field<std::string>(entry, "seal", path, "runs/");
  }
  return runs;
}

}  // namespace

StoreManifest read_store_manifest(Disk& disk) {
  const std::filesystem::path path = disk.path(StoreManifest::kName);
  if (!disk.exists(StoreManifest::kName)) {
    throw usage_error(fmt::format("{}: no store is there", path.parent_path().string()));
  }
  const nlohmann::json json = parse_json(read_whole(disk, StoreManifest::kName), path);
  check_version(json, path, StoreManifest::kVersion,
                "it was written by another version of outcore; use that one");
  check_seal(json, path);
  const auto log = json_field<nlohmann::json>(json, "log", path);
  StoreManifest manifest;
  manifest.limit = json_field<VertexId>(json, "limit", path);
  manifest.vertices = json_field<VertexId>(json, "vertices", path);
  manifest.epoch = json_field<std::uint32_t>(json, "epoch", path);
  manifest.flushed.update = json_field<std::uint64_t>(json, "flushed", path);
  manifest.flushed.page = json_field<std::uint64_t>(log, "first_page", path, "log/");
  manifest.acknowledged = json_field<std::uint64_t>(json, "acknowledged", path);
  manifest.log_pages = json_field<std::uint64_t>(log, "pages", path, "log/");
  manifest.id_bytes = json_field<unsigned>(json, "id_bytes", path);
  if (manifest.id_bytes != 3 && manifest.id_bytes != 4) {
    throw bad_input(Place::file(path), fmt::format("ids of {} bytes", manifest.id_bytes), "3 or 4");
  }
  manifest.codec = codec_from(json, path);
  manifest.runs = runs_from(json, path, manifest.id_bytes);
  manifest.next_run = json_field<std::uint64_t>(json, "next_run", path);
  manifest.removals_missed = json_field<std::uint64_t>(json, "removals_missed", path);
  return manifest;
}

void publish(Disk& disk, const StoreManifest& manifest) {
  if (disk.exists(StoreManifest::kPending)) disk.remove(StoreManifest::kPending);
  write_whole(disk, StoreManifest::kPending, to_json(manifest).dump(2) + "\n");
  // What the manifest names is there before the manifest is.
  disk.sync_folder("");
  disk.rename(StoreManifest::kPending, StoreManifest::kName);
  disk.sync_folder("");
}

}  // namespace outcore::evolving
