// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/stripes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/sizes.h"
#include "common/sync_folder.h"
#include "storage/io/backend.h"
#include "storage/io/door.h"

namespace outcore {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostDisks = 64;

std::vector<fs::path> disk_folders(const std::string& text) {
  std::vector<fs::path> folders;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const fs::path folder = text.substr(begin, end - begin);
    if (!fs::is_directory(folder)) {
      throw usage_error(
          fmt::format("--disks {}: '{}' is not a folder; give a number, or a folder on each disk: "
                      "/mnt/a,/mnt/b",
                      text, folder.string()));
    }
    folders.push_back(fs::canonical(folder));
    begin = end + 1;
  }
  return folders;
}

}  // namespace

Disks Disks::parse(const std::string& disks, const std::string& stripe) {
  Disks parsed;
  const std::uint64_t bytes = parse_size(stripe, "--stripe");
  if (bytes == 0 || bytes % kAlignment != 0 || bytes > std::numeric_limits<std::int32_t>::max()) {
    throw usage_error(fmt::format("--stripe {}: expected whole blocks, such as 64K", stripe));
  }
  parsed.stripe_bytes = static_cast<std::uint32_t>(bytes);
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(disks.data(), disks.data() + disks.size(), count);
  if (error != std::errc() || end != disks.data() + disks.size()) {
    parsed.folders = disk_folders(disks);
    count = static_cast<std::uint32_t>(parsed.folders.size());
  }
  if (count == 0 || count > kMostDisks) {
    throw usage_error(fmt::format("--disks {}: expected 1 to {} disks", disks, kMostDisks));
  }
  if (parsed.folders.empty() && count > 1) parsed.folders.resize(count);
  return parsed;
}

StripedFile::StripedFile(fs::path layout_folder, std::string name, const Disks& disks,
                         std::string label)
    : folder_(std::move(layout_folder)),
      label_(std::move(label)),
      unit_(disks.striped() ? disks.stripe_bytes : std::numeric_limits<std::uint64_t>::max()) {
  if (!disks.striped()) stripes_.push_back({.name = name, .written = folder_ / name});
  for (const fs::path& disk : disks.folders) {
    const std::string stripe = fmt::format("{}.{}", name, stripes_.size());
    stripes_.push_back({.name = stripe,
                        .written = disk.empty()
                                       ? folder_ / stripe
                                       : disk / fmt::format("{}.{}.pending", label_, stripe),
                        .disk = disk});
  }
  for (Stripe& stripe : stripes_) stripe.file = std::make_unique<HashedFile>(stripe.written);
}

StripedFile::~StripedFile() {
  for (const Stripe& stripe : stripes_) {
    std::error_code ignored;
    if (stripe.file && !stripe.disk.empty()) fs::remove(stripe.written, ignored);
  }
}

void StripedFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t in_unit = at_ % unit_;
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), unit_ - in_unit));
    stripes_[at_ / unit_ % stripes_.size()].file->write(bytes.first(some));
    at_ += some;
    bytes = bytes.subspan(some);
  }
}

void StripedFile::finish(nlohmann::json& files) {
  for (Stripe& stripe : stripes_) {
    const nlohmann::json entry = stripe.file->finish();
    if (!stripe.disk.empty()) link(stripe, entry.at("hash").get<std::string>());
    files[stripe.name] = entry;
    stripe.file.reset();
  }
}

// A file of that name has the same contents: a standing layout may use it, and loses nothing.
void StripedFile::link(Stripe& stripe, const std::string& hash) {
  const fs::path target =
      stripe.disk / fmt::format("{}-{}.{}", label_, hash.substr(hash.find(':') + 1), stripe.name);
  std::error_code error;
  fs::rename(stripe.written, target, error);
  if (!error) fs::create_symlink(target, folder_ / stripe.name, error);
  if (error) throw io_error(Place::file(target), "cannot be made a stripe", error.value());
  sync_folder(stripe.disk);  // its contents are synced with the layout's
}

std::string stripes_label(const fs::path& container, const std::string& layout) {
  const std::string path = fs::canonical(container).string();
  return fmt::format("{}-{}-{:08x}", fs::path(path).filename().string(), layout,
                     checksum32(std::as_bytes(std::span(path))));
}

std::vector<fs::path> stripe_targets(const fs::path& layout_folder) {
  std::vector<fs::path> targets;
  if (!fs::is_directory(layout_folder)) return targets;
  for (const auto& entry : fs::directory_iterator(layout_folder)) {
    if (entry.is_symlink()) targets.push_back(fs::read_symlink(entry.path()));
  }
  return targets;
}

void remove_old_stripes(const fs::path& layout_folder, const std::vector<fs::path>& old_targets,
                        const Disks& disks, const std::string& label) {
  std::vector<fs::path> old = old_targets;
  for (const fs::path& disk : disks.folders) {
    if (disk.empty()) continue;
    for (const auto& entry : fs::directory_iterator(disk)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(label + "-") || name.starts_with(label + "."))
        old.push_back(entry.path());
    }
  }
  const std::vector<fs::path> kept = stripe_targets(layout_folder);
  for (const fs::path& path : old) {
    std::error_code ignored;  // what cannot be removed is in nobody's way
    if (std::find(kept.begin(), kept.end(), path) == kept.end()) fs::remove(path, ignored);
  }
}

Striping striping_of(const nlohmann::json& manifest, std::uint32_t block_bytes,
                     const fs::path& path) {
  if (!manifest.contains("stripes")) return {};
  const nlohmann::json& stripes = manifest.at("stripes");
  const auto files = json_field<std::uint32_t>(stripes, "files", path, "stripes/");
  const auto bytes = json_field<std::uint32_t>(stripes, "bytes", path, "stripes/");
  if (files == 0 || files > kMostDisks || bytes == 0 || bytes % block_bytes != 0) {
    throw bad_input(Place::file(path), fmt::format("{} stripes of {} bytes", files, bytes),
                    fmt::format("1 to {}, of whole blocks of {}", kMostDisks, block_bytes),
                    kBuildAgain);
  }
  return {files, bytes / block_bytes};
}

std::vector<fs::path> stripe_files(const fs::path& folder, const std::string& name,
                                   const Striping& striping, std::uint64_t blocks,
                                   std::uint32_t block_bytes, const nlohmann::json& manifest) {
  std::vector<fs::path> files;
  for (std::uint32_t stripe = 0; stripe < striping.files; ++stripe) {
    const std::string file = fmt::format("{}.{}", name, stripe);
    const fs::path path = folder / file;
    if (!fs::exists(path)) {
      const std::string target =
          fs::is_symlink(path) ? ", at " + fs::read_symlink(path).string() : std::string();
      throw bad_input(Place::file(path), "no file",
                      fmt::format("stripe {} of {}{}", stripe + 1, striping.files, target),
                      "mount its disk, or build the layout again");
    }
    check_file_size(path, file_entry(manifest, file, folder / "layout.json"),
                    striping.blocks_of(stripe, blocks) * block_bytes);
    files.push_back(path);
  }
  return files;
}

}  // namespace outcore
