// SPDX-License-Identifier: Apache-2.0
// The block files of a layout over several disks (`outcore layout --disks`).
//
// Blocks go round-robin over N files, `unit` of them at a time (storage/io/striping.h). The
// layout's folder has out.blocks.0, out.blocks.1, ... in place of out.blocks, each with its size
// and checksum in layout.json, and there
//
//   "stripes": {"files": N, "bytes": unit in bytes}
//
// A stripe on another disk is a link in the layout's folder. The file that it leads to is named
// after graph, layout and contents, so that a build that ends early harms no layout that stands.
// The next build of that layout removes what earlier ones left there; deleting a layout by hand
// leaves its stripes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "storage/container/hashed_file.h"
#include "storage/io/striping.h"

namespace outcore {

struct Disks {
  // One for each stripe; an empty path: the layout's own folder. None: blocks are not striped.
  std::vector<std::filesystem::path> folders = {};
  std::uint32_t stripe_bytes = 64 << 10;

  // From "2", so many files in the layout's folder, or "/mnt/a,/mnt/b", a folder for each. Throws a
  // usage Error for anything else, such as folders that are not there.
  static Disks parse(const std::string& disks, const std::string& stripe);
  [[nodiscard]] bool striped() const { return !folders.empty(); }
};

// A file of blocks that is written from front to back, on all disks. Where these hold one file, it
// is that.
class StripedFile {
 public:
  // `label`: before the names of files outside of the layout's folder.
  StripedFile(std::filesystem::path layout_folder, std::string name, const Disks& disks,
              std::string label);
  // Removes what is not finished.
  ~StripedFile();
  StripedFile(const StripedFile&) = delete;
  StripedFile& operator=(const StripedFile&) = delete;

  void write(std::span<const std::byte> bytes);
  // Adds the files to the table `files`.
  void finish(nlohmann::json& files);

 private:
  struct Stripe {
    std::string name;                 // in the layout's folder
    std::filesystem::path written;    // where its bytes go
    std::filesystem::path disk = {};  // empty: they stay there
    std::unique_ptr<HashedFile> file = nullptr;
  };
  void link(Stripe& stripe, const std::string& hash);

  std::filesystem::path folder_;
  std::string label_;
  std::uint64_t unit_;
  std::uint64_t at_ = 0;
  std::vector<Stripe> stripes_;
};

// "kron20-csr-1a2b3c4d": this layout and no other of this machine.
std::string stripes_label(const std::filesystem::path& container, const std::string& layout);

// Removes stripes of earlier builds: those that links in `old_folder` led to, as
// stripe_targets() told, and those of this label on the disks; but none that a link in
// `layout_folder` leads to.
std::vector<std::filesystem::path> stripe_targets(const std::filesystem::path& layout_folder);
void remove_old_stripes(const std::filesystem::path& layout_folder,
                        const std::vector<std::filesystem::path>& old_targets, const Disks& disks,
                        const std::string& label);

// How the blocks of a layout are striped, by its manifest; of one file where they are not. Throws
// bad_input for what cannot be.
Striping striping_of(const nlohmann::json& manifest, std::uint32_t block_bytes,
                     const std::filesystem::path& path);
// The stripes of the file `name`, which has so many blocks. Throws bad_input unless each is there
// and has its size.
std::vector<std::filesystem::path> stripe_files(const std::filesystem::path& folder,
                                                const std::string& name, const Striping& striping,
                                                std::uint64_t blocks, std::uint32_t block_bytes,
                                                const nlohmann::json& manifest);

}  // namespace outcore
