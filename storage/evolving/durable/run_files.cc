// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/durable/run_files.h"

#include "common/files.h"
#include "common/parse_json.h"
#include "storage/container/hashed_file.h"
#include "storage/evolving/durable/disk_stream.h"

namespace outcore::evolving {

nlohmann::json read_run_manifest(Disk& disk, const Run& run) {
  const std::string name = file_of_run(run, "layout.json");
  const std::filesystem::path path = disk.path(name);
  nlohmann::json manifest = parse_json(read_whole(disk, name), path);
  check_seal(manifest, path);
  if (const auto seal = json_field<std::string>(manifest, "seal", path); seal != run.seal) {
    throw bad_input(Place::file(path), "seal " + seal, run.seal,
                    "the run is not the one that the store wrote");
  }
  return manifest;
}

nlohmann::json files_of_run(Disk& disk, const Run& run) {
  return json_field<nlohmann::json>(read_run_manifest(disk, run), "files",
                                    disk.path(file_of_run(run, "layout.json")));
}

DiskReader open_file_of_run(Disk& disk, const Run& run, const std::string& file,
                            const nlohmann::json& files) {
  const std::filesystem::path manifest = disk.path(file_of_run(run, "layout.json"));
  return {disk, file_of_run(run, file),
          json_field<nlohmann::json>(files, file, manifest, "files/")};
}

}  // namespace outcore::evolving
