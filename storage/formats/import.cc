// SPDX-License-Identifier: Apache-2.0
#include "storage/formats/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "common/error.h"
#include "common/hash.h"
#include "storage/formats/byte_source.h"
#include "storage/formats/formats.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

bool begins_with_text(const fs::path& file) {
  std::array<char, 4096> head{};
  const std::size_t count = open_source(file)->read(head);
  return std::all_of(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(count),
                     [](unsigned char c) { return std::isprint(c) != 0 || std::isspace(c) != 0; });
}

const Format& format_of(const fs::path& file, const std::string& name) {
  const Format* format = find_format(name, without_compression(file), FormatUse::import);
  if (format == nullptr && begins_with_text(file)) {
    format = find_format("snap", file, FormatUse::import);
  }
  if (format == nullptr) {
    throw bad_input(
        Place::file(file), "bytes that are no text",
        "an edge list in text, or a name that ends with one of " + known_endings(FormatUse::import),
        "give --format");
  }
  if (is_compressed(file) && !format->streamed) {
    throw usage_error(
        fmt::format("{}: a compressed file, but {} is not read front to back; "
                    "decompress it first",
                    file.string(), format->name));
  }
  return *format;
}

void check_input(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw bad_input(Place::file(path), fs::is_directory(status) ? "a folder" : "no regular file",
                    "a file of edges", "pipes must be saved first: they are read more than once");
  }
  if (File::open_read(path).size() == 0) throw no_edges(path);
}

// What is left for the sort: the program itself takes about 12 MiB, and pieces of the file that are
// under way three a thread.
std::uint64_t sort_memory(std::uint64_t memory, unsigned threads) {
  const std::uint64_t others = (std::uint64_t{3} * (threads + 4) + 12) << 20;
  return memory > 2 * others ? memory - others : std::max(memory / 2, kLeastSortMemory);
}

}  // namespace

Error no_edges(const fs::path& file) {
  return bad_input(Place::file(file), "no edges", "at least one edge");
}

void import_graph(const fs::path& file, const fs::path& folder, const ImportOptions& options) {
  check_input(file);
  const Format& format = format_of(file, options.format);
  if (options.symmetric && options.symmetrised) {
    throw usage_error("--symmetric adds what --symmetrised says is there: give one of them");
  }
  ImportJob job{file, folder, {}};
  job.build.edges = options.symmetric     ? Edges::mirrored
                    : options.symmetrised ? Edges::symmetric
                                          : Edges::directed;
  job.build.drop_loops = options.drop_loops;
  job.build.drop_duplicates = options.drop_duplicates;
  job.build.threads = threads_or_all(options.threads);
  job.build.memory = sort_memory(options.memory, job.build.threads);
  job.build.force = options.force;
  job.build.source = file;
  job.build.provenance = {
      {"imported", file.filename().string()}, {"format", format.name},
      {"bytes", fs::file_size(file)},         {"hash", hash_file(file)},
      {"symmetric", options.symmetric},       {"symmetrised", options.symmetrised},
      {"drop_loops", options.drop_loops},     {"drop_duplicates", options.drop_duplicates}};
  format.import(job);
}

}  // namespace outcore
