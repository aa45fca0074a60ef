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

bool begins_with_text(ByteSource& source) {
  std::array<char, 4096> window{};
  const std::span<const char> head = std::span(window).first(source.read(window));
  source.put_back(head);
  return std::all_of(head.begin(), head.end(),
                     [](unsigned char c) { return std::isprint(c) != 0 || std::isspace(c) != 0; });
}

const Format& format_of(ByteSource& source, const std::string& name) {
  const fs::path& file = source.file().path();
  const bool once = source.file().passes_once();
  const Format* format = find_format(name, without_compression(file), FormatUse::import);
  if (format == nullptr && begins_with_text(source)) {
    format = find_format("snap", file, FormatUse::import);
  }
  if (format == nullptr) {
    const std::string endings =
        once ? "" : ", or a name that ends with one of " + known_endings(FormatUse::import);
    throw bad_input(Place::file(file), "bytes that are no text", "an edge list in text" + endings,
                    "give --format");
  }
  if (once && format->reading != Reading::stream) {
    throw usage_error(fmt::format(
        "{}: passes only once, but {} {}; save it and import the file", file.string(), format->name,
        format->reading == Reading::parts ? "has several files" : "is read back and forth"));
  }
  if (is_compressed(file) && format->reading == Reading::anywhere) {
    throw usage_error(
        fmt::format("{}: a compressed file, but {} is not read front to back; "
                    "decompress it first",
                    file.string(), format->name));
  }
  return *format;
}

// Beside the sort: the program itself takes about 12 MiB, and pieces of the file that are under way
// three a thread.
std::uint64_t beside_sort(unsigned threads) {
  return (std::uint64_t{3} * (threads + 4) + 12) << 20;
}

// The sort has at least half of `memory`, if need be with fewer threads than were asked for.
void share_memory(const ImportOptions& options, BuildOptions& build) {
  build.threads = threads_or_all(options.threads);
  while (build.threads > 1 && 2 * beside_sort(build.threads) > options.memory) --build.threads;
  const std::uint64_t beside = beside_sort(build.threads);
  build.memory = std::max(kLeastSortMemory, options.memory - std::min(options.memory, beside));
}

}  // namespace

Error no_edges(const fs::path& file) {
  return bad_input(Place::file(file), "no edges", "at least one edge");
}

void note_input(ContainerBuilder& builder, const ByteSource& source) {
  builder.add_provenance(
      {{"bytes", source.file().position()}, {"hash", hash_text(source.file().hash())}});
}

void import_graph(const fs::path& file, const fs::path& folder, const ImportOptions& options) {
  if (options.symmetric && options.symmetrised) {
    throw usage_error("--symmetric adds what --symmetrised says is there: give one of them");
  }
  ImportJob job;
  job.source = open_source(file);
  const InputFile& input = job.source->file();
  if (input.bytes() == 0) throw no_edges(input.path());
  const Format& format = format_of(*job.source, options.format);
  job.file = input.path();
  job.folder = folder;
  job.build.edges = options.symmetric     ? Edges::mirrored
                    : options.symmetrised ? Edges::symmetric
                                          : Edges::directed;
  job.build.drop_loops = options.drop_loops;
  job.build.drop_duplicates = options.drop_duplicates;
  share_memory(options, job.build);
  job.build.force = options.force;
  job.build.source = job.file;
  job.build.provenance = {{"imported", input.passes_once() ? "a pipe" : file.filename().string()},
                          {"format", format.name},
                          {"symmetric", options.symmetric},
                          {"symmetrised", options.symmetrised},
                          {"drop_loops", options.drop_loops},
                          {"drop_duplicates", options.drop_duplicates}};
  if (format.reading != Reading::stream) {
    job.build.provenance.update({{"bytes", fs::file_size(file)}, {"hash", hash_file(file)}});
  }
  format.import(job);
}

}  // namespace outcore
