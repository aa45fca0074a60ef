// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "common/error.h"
#include "common/hash.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

const std::array<Format, 4> kFormats = {{
    {"snap", "text, an edge a line, # and % begin comments", import_snap},
    {"pairs32", "raw little-endian u32 pairs", import_pairs32},
    {"sg", "the GAP suite's serialized graph", import_sg},
    {"csr64", "vertices + 1 offsets (u64), then the targets (u32)", import_csr64},
}};

bool begins_with_text(const File& file) {
  std::array<char, 4096> head{};
  const std::size_t count = std::min<std::uint64_t>(head.size(), file.size());
  file.read(std::as_writable_bytes(std::span(head).first(count)), 0);
  return std::all_of(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(count),
                     [](unsigned char c) { return std::isprint(c) != 0 || std::isspace(c) != 0; });
}

const Format& format_of(const File& file, const std::string& name) {
  std::string wanted = name;
  if (name == "auto") {
    const std::string ending = file.path().extension().string();
    if (ending == ".sg") {
      wanted = "sg";
    } else if (ending == ".pairs32" || ending == ".bin") {
      wanted = "pairs32";
    } else if (ending == ".csr64") {
      wanted = "csr64";
    } else if (begins_with_text(file)) {
      wanted = "snap";
    } else {
      throw bad_input(
          Place::file(file.path()), "bytes that are no text",
          "an edge list in text, or a name that ends with .sg, .csr64, .pairs32 or .bin",
          "give --format");
    }
  }
  std::vector<std::string> known = {"auto"};
  for (const Format& format : kFormats) {
    if (format.name == wanted) return format;
    known.push_back(format.name);
  }
  throw unknown_name("format", wanted, known);
}

File open_input(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw bad_input(Place::file(path), fs::is_directory(status) ? "a folder" : "no regular file",
                    "a file of edges", "pipes must be saved first: they are read more than once");
  }
  return File::open_read(path);
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

void import_graph(const fs::path& file, const fs::path& folder, const ImportOptions& options) {
  ImportJob job{open_input(file), folder, {}};
  const Format& format = format_of(job.file, options.format);
  if (job.file.size() == 0) throw bad_input(Place::file(file), "no edges", "at least one edge");
  if (options.symmetric && options.symmetrised) {
    throw usage_error("--symmetric adds what --symmetrised says is there: give one of them");
  }
  job.build.edges = options.symmetric     ? Edges::mirrored
                    : options.symmetrised ? Edges::symmetric
                                          : Edges::directed;
  job.build.drop_loops = options.drop_loops;
  job.build.drop_duplicates = options.drop_duplicates;
  job.build.memory = options.memory;
  job.build.threads = threads_or_all(options.threads);
  job.build.force = options.force;
  job.build.source = file;
  job.build.provenance = {{"imported", file.filename().string()},
                          {"format", format.name},
                          {"bytes", job.file.size()},
                          {"hash", hash_file(file)},
                          {"symmetric", options.symmetric},
                          {"symmetrised", options.symmetrised},
                          {"drop_loops", options.drop_loops},
                          {"drop_duplicates", options.drop_duplicates}};
  format.import(job);
}

}  // namespace outcore
