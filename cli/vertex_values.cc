// SPDX-License-Identifier: Apache-2.0
#include "cli/vertex_values.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <type_traits>

#include "storage/formats/output_file.h"

namespace outcore {

namespace {

std::string npy_header(const char* value_type, std::size_t rows) {
  constexpr std::size_t kAlignment = 64;
  const std::string magic("\x93NUMPY\x01\x00", 8);
  std::string words = fmt::format(
      "{{'descr': [('vertex', '<u8'), ('value', '{}')], 'fortran_order': False, 'shape': ({},), }}",
      value_type, rows);
  const std::size_t without_padding = magic.size() + 2 + words.size() + 1;
  words.append((kAlignment - without_padding % kAlignment) % kAlignment, ' ');
  words += '\n';
  const auto length = static_cast<std::uint16_t>(words.size());
  return magic + static_cast<char>(length & 0xff) + static_cast<char>(length >> 8) + words;
}

template <typename T>
void write_npy(OutputFile& file, const std::vector<T>& column, std::span<const std::uint64_t> ids) {
  static_assert(std::endian::native == std::endian::little);
  const char* const type = std::is_same_v<T, float> ? "<f4" : sizeof(T) == 8 ? "<u8" : "<u4";
  file.text(npy_header(type, column.size()));
  for (std::size_t v = 0; v < column.size(); ++v) {
    file.put(ids.empty() ? std::uint64_t{v} : ids[v]);
    file.put(column[v]);
  }
}

template <typename T>
void write_text(OutputFile& file, const std::vector<T>& column,
                std::span<const std::uint64_t> ids) {
  for (std::size_t v = 0; v < column.size(); ++v) {
    file.number(ids.empty() ? std::uint64_t{v} : ids[v]);
    file.text(" ");
    if constexpr (std::is_same_v<T, float>) {
      file.number(column[v]);
    } else {
      file.number(std::uint64_t{column[v]});
    }
    file.text("\n");
  }
}

// Vertices as the imported file names them.
std::vector<std::uint64_t> in_file_ids(const std::vector<std::uint32_t>& vertices,
                                       std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> named(vertices.begin(), vertices.end());
  if (ids.empty()) return named;
  for (std::uint64_t& v : named) v = ids[v];
  return named;
}

}  // namespace

void write_values(const std::filesystem::path& path, const Answer& answer,
                  std::span<const std::uint64_t> ids) {
  OutputFile file(path, true);
  const auto write = [&](const auto& column) {
    if (path.extension() == ".npy") {
      write_npy(file, column, ids);
    } else {
      write_text(file, column, ids);
    }
  };
  if (answer.names_vertices) {
    write(in_file_ids(std::get<0>(answer.values), ids));
  } else {
    std::visit(write, answer.values);
  }
  file.commit();
}

}  // namespace outcore
