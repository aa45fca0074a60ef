// SPDX-License-Identifier: Apache-2.0
// The formats that `import` reads and `export` writes. Each format has one file with its reader,
// its writer or both. To add a format: write the file, declare its functions in import.h and
// export.h, and add a line in formats.cc.
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
  anywhere,  // it seeks
  parts,     // several files, each front to back: also from .gz and .zst
  stream     // front to back: also from .gz, .zst and pipes
};

struct Format {
  std::string name;
  std::string endings;  // the endings that mean it, between blanks
  std::string help;
  void (*import)(ImportJob& job);  // null: is only written
  void (*write)(ExportJob& job);   // null: is only read
  Reading reading = Reading::anywhere;
  bool columns = false;  // it is a table whose columns may be chosen
  bool names = false;    // its ids may be strings
};
std::span<const Format> formats();

enum class FormatUse : std::uint8_t { import, write };

// The format called `name`, or for "auto" the one that the file's ending means; null if none does.
// An unknown name throws a usage Error that lists the formats.
const Format* find_format(const std::string& name, const std::filesystem::path& file,
                          FormatUse use);
// ".sg .csr64 ..."
std::string known_endings(FormatUse use);
// One line for each format, for --help.
std::string list_formats(FormatUse use);

}  // namespace outcore
