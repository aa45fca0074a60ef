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

// The first line that is not a comment. If the window ends within it, what the window has of it.
std::string_view first_line(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    const bool comment = line.empty() || line == "\r" || line[0] == '#' || line[0] == '%';
    if (!comment) return line;
    head.remove_prefix(std::min(head.size(), line.size() + 1));
  }
  return {};
}

// The kind of text, by its first line: a table if it has commas, or names (not numbers) separated
// by tabs. Null if it is not text.
const char* kind_of_text(ByteSource& source, const ColumnWishes& wishes) {
  std::array<char, 4096> window{};
  const std::span<const char> head = std::span(window).first(source.read(window));
  source.put_back(head);
  const bool text = std::all_of(head.begin(), head.end(), [](unsigned char c) {
    return std::isprint(c) != 0 || std::isspace(c) != 0 || c >= 0x80;
  });
  if (!text) return nullptr;
  const std::string_view line = first_line({head.data(), head.size()});
  if (line.find(',') != std::string_view::npos) return "csv";
  const std::size_t begin = line.find_first_not_of(" \t");
  const bool named =
      begin != std::string_view::npos && std::isdigit(static_cast<unsigned char>(line[begin])) == 0;
  const bool header =
      !wishes.columns.empty() || wishes.header.value_or(false) || (named && !wishes.named());
  return header && line.find('\t') != std::string_view::npos ? "tsv" : "snap";
}

void refuse_wishes(const Format& format, const ColumnWishes& wishes) {
  if (wishes.ids != "number" && wishes.ids != "string") {
    throw usage_error(fmt::format("--ids {}: expected number or string", wishes.ids));
  }
  if (wishes.named() && !format.names) {
    throw usage_error(fmt::format("--ids string: vertices of {} are numbers", format.name));
  }
  if (format.columns) return;
  if (!wishes.columns.empty() || wishes.header) {
    throw usage_error(fmt::format("{}: {} is no table; give --format csv or tsv",
                                  wishes.header ? "--header" : "--columns", format.name));
  }
}

const Format& format_of(ByteSource& source, const std::string& name, const ColumnWishes& wishes) {
  const fs::path& file = source.file().path();
  const bool once = source.file().passes_once();
  const Format* format = find_format(name, without_compression(file), FormatUse::import);
  const bool known = format != nullptr && (name != "auto" || format->name != "snap");
  if (!known) {
    const char* const text = kind_of_text(source, wishes);
    if (text != nullptr) format = find_format(text, file, FormatUse::import);
  }
  if (format == nullptr) {
    const std::string endings =
        once ? "" : ", or a name that ends with one of " + known_endings(FormatUse::import);
    throw bad_input(Place::file(file), "bytes that are no text", "an edge list in text" + endings,
                    "give --format");
  }
  if (once && format->reading != Reading::stream) {
    throw usage_error(fmt::format(
        "{}: can be read only once, but {} {}; save it and import the file", file.string(),
        format->name,
        format->reading == Reading::parts ? "has several files" : "is read back and forth"));
  }
  if (is_compressed(file) && format->reading == Reading::anywhere) {
    throw usage_error(
        fmt::format("{}: a compressed file, but {} is read back and forth; "
                    "decompress it first",
                    file.string(), format->name));
  }
  refuse_wishes(*format, wishes);
  return *format;
}

// Memory besides the sort: the program itself takes about 12 MiB, and pieces of the file in work
// take about three per thread.
std::uint64_t beside_sort(unsigned threads) {
  return (std::uint64_t{3} * (threads + 4) + 12) << 20;
}

// The sort gets at least half of `memory`, if necessary with fewer threads than asked for.
void share_memory(const ImportOptions& options, BuildOptions& build) {
  build.threads = threads_or_all(options.threads);
  while (build.threads > 1 && 2 * beside_sort(build.threads) > options.memory) --build.threads;
  const std::uint64_t beside = beside_sort(build.threads);
  build.memory = std::max(kLeastSortMemory, options.memory - std::min(options.memory, beside));
}

void refuse_contradictions(const ImportOptions& options) {
  if (options.symmetric && options.symmetrised) {
    throw usage_error(
        "--symmetric adds the reverse edges that --symmetrised says are there: give one of them");
  }
  const char* const both =
      options.drop_loops && options.keep_loops           ? "--drop-loops and --keep-loops"
      : options.drop_duplicates && options.keep_parallel ? "--drop-duplicates and --keep-parallel"
                                                         : nullptr;
  if (both != nullptr)
    throw usage_error(fmt::format("{} contradict each other: give one of them", both));
}

}  // namespace

Error no_edges(const fs::path& file) {
  return bad_input(Place::file(file), "no edges", "at least one edge");
}

void ImportJob::note_input(ContainerBuilder& builder, const ByteSource& read) const {
  if (!notes_input) return;
  builder.add_provenance(
      {{"bytes", read.file().position()}, {"hash", hash_text(read.file().hash())}});
}

BuildCounts import_graph(const fs::path& file, const fs::path& folder,
                         const ImportOptions& options) {
  refuse_contradictions(options);
  ImportJob job;
  job.source = open_source(file);
  const InputFile& input = job.source->file();
  if (input.bytes() == 0) throw no_edges(input.path());
  const Format& format = format_of(*job.source, options.format, options.columns);
  job.file = input.path();
  job.folder = folder;
  job.columns = options.columns;
  job.passes_once = input.passes_once();
  job.open_again = [path = job.file] { return open_source(path); };
  job.build.edges = options.symmetric     ? Edges::mirrored
                    : options.symmetrised ? Edges::symmetric
                                          : Edges::directed;
  job.build.drop_loops = options.drop_loops || (options.symmetric && !options.keep_loops);
  job.build.drop_duplicates =
      options.drop_duplicates || (options.symmetric && !options.keep_parallel);
  share_memory(options, job.build);
  job.build.force = options.force;
  job.build.source = job.file;
  job.build.provenance = {{"imported", input.passes_once() ? "a pipe" : file.filename().string()},
                          {"format", format.name},
                          {"symmetric", options.symmetric},
                          {"symmetrised", options.symmetrised},
                          {"drop_loops", job.build.drop_loops},
                          {"drop_duplicates", job.build.drop_duplicates}};
  if (format.reading != Reading::stream) {
    job.build.provenance.update({{"bytes", fs::file_size(file)}, {"hash", hash_file(file)}});
  }
  if (options.columns.named()) job.build.provenance["ids"] = options.columns.ids;
  if (!options.columns.columns.empty()) job.build.provenance["columns"] = options.columns.columns;
  format.import(job);
  return job.counts;
}

}  // namespace outcore
