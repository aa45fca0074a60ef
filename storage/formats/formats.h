// SPDX-License-Identifier: Apache-2.0
// The formats that `import` reads and `export` writes. One file a format, which holds its reader,
// its writer or both; to add one: write it, declare it in import.h and export.h, give it a line in
// formats.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace outcore {

struct ImportJob;
struct ExportJob;

// How import reads a format.
enum class Reading : std::uint8_t {
  anywhere,  // back and forth
  parts,     // several files, each front to back: from .gz and .zst too
  stream     // front to back: from .gz, .zst and pipes too
};

struct Format {
  std::string name;
  std::string endings;  // those that stand for it, between blanks
  std::string help;
  void (*import)(ImportJob& job);  // null: is written only
  void (*write)(ExportJob& job);   // null: is read only
  Reading reading = Reading::anywhere;
  bool columns = false;  // is a table, whose columns may be chosen
  bool names = false;    // its ids may be strings
};
std::span<const Format> formats();

enum class FormatUse : std::uint8_t { import, write };

// The format called `name`, or with "auto" the one that the file's ending stands for: null when
// none does. A usage Error names the formats that there are.
const Format* find_format(const std::string& name, const std::filesystem::path& file,
                          FormatUse use);
// ".sg .csr64 ..."
std::string known_endings(FormatUse use);
// A line for each, for --help.
std::string list_formats(FormatUse use);

}  // namespace outcore
