// SPDX-License-Identifier: Apache-2.0
#include "cli/vertex_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>

#include "common/error.h"
#include "storage/formats/output_file.h"
#include "storage/formats/python.h"

namespace outcore {

namespace fs = std::filesystem;

namespace {

std::string npy_header(const char* value_type, std::size_t rows) {
  constexpr std::size_t kHeaderAlignment = 64;
  const std::string magic("\x93NUMPY\x01\x00", 8);
  std::string words = fmt::format(
      "{{'descr': [('vertex', '<u8'), ('value', '{}')], 'fortran_order': False, 'shape': ({},), }}",
      value_type, rows);
  const std::size_t without_padding = magic.size() + 2 + words.size() + 1;
  words.append((kHeaderAlignment - without_padding % kHeaderAlignment) % kHeaderAlignment, ' ');
  words += '\n';
  const auto length = static_cast<std::uint16_t>(words.size());
  return magic + static_cast<char>(length & 0xff) + static_cast<char>(length >> 8) + words;
}

// One value per vertex, as it is written to a file.
template <typename T>
struct ValueColumn {
  const std::vector<T>& values;
  bool vertices;  // the values are vertices

  [[nodiscard]] const char* npy_type() const {
    return vertices ? "<u8" : std::is_same_v<T, float> ? "<f4" : "<u4";
  }
  [[nodiscard]] const char* arrow_type(bool named) const {
    if (vertices) return named ? "string" : "uint64";
    return std::is_same_v<T, float> ? "float" : "uint32";
  }
  void put_text(OutputFile& file, VertexId v, const VertexLabels& labels, char separator) const {
    if constexpr (std::is_same_v<T, float>) {
      file.number(values[v]);
    } else if (vertices) {
      labels.put(file, values[v], separator);
    } else {
      file.number(std::uint64_t{values[v]});
    }
  }
  void put_binary(OutputFile& file, VertexId v, const VertexLabels& labels) const {
    if constexpr (!std::is_same_v<T, float>) {
      if (vertices) {
        file.put(labels.id(values[v]));
        return;
      }
    }
    file.put(values[v]);
  }
};

template <typename T>
void write_npy(OutputFile& file, const ValueColumn<T>& column, const VertexLabels& labels) {
  static_assert(std::endian::native == std::endian::little);
  file.text(npy_header(column.npy_type(), column.values.size()));
  for (VertexId v = 0; v < column.values.size(); ++v) {
    file.put(labels.id(v));
    column.put_binary(file, v, labels);
  }
}

template <typename T>
void write_text(OutputFile& file, const ValueColumn<T>& column, const VertexLabels& labels,
                char separator) {
  if (separator != ' ') file.text(fmt::format("vertex{}value\n", separator));
  for (VertexId v = 0; v < column.values.size(); ++v) {
    labels.put(file, v, separator);
    file.put(separator);
    column.put_text(file, v, labels, separator);
    file.put('\n');
  }
}

template <typename T>
void write_parquet_of(const fs::path& path, const ValueColumn<T>& column,
                      const VertexLabels& labels) {
  OutputFile csv(File::create_nameless(fs::temp_directory_path()));
  write_text(csv, column, labels, ',');
  csv.commit();
  PendingFile pending(path);
  write_parquet(csv.file().fd(), pending.path(), labels.named(), column.arrow_type(labels.named()));
  pending.commit();
}

template <typename T>
bool is_reached(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::isfinite(value);
  } else {
    return value != kNoLevel;
  }
}

nlohmann::json label_json(const VertexLabels& labels, VertexId v) {
  return labels.named() ? nlohmann::json(labels.name(v)) : nlohmann::json(labels.id(v));
}

// The `count` vertices with the largest values; among equals, those with the lowest ids first.
template <typename T>
std::vector<VertexId> largest(const std::vector<T>& values, std::vector<VertexId> vertices,
                              std::size_t count) {
  const auto larger = [&](VertexId a, VertexId b) {
    return values[a] > values[b] || (values[a] == values[b] && a < b);
  };
  const auto end =
      vertices.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, vertices.size()));
  std::partial_sort(vertices.begin(), end, vertices.end(), larger);
  vertices.erase(end, vertices.end());
  return vertices;
}

template <typename T, typename F>
std::vector<VertexId> vertices_with(const std::vector<T>& values, const F& holds) {
  std::vector<VertexId> vertices;
  for (VertexId v = 0; v < values.size(); ++v) {
    if (holds(values[v])) vertices.push_back(v);
  }
  return vertices;
}

}  // namespace

void check_values_file(const fs::path& path, bool named) {
  if (path.extension() != ".npy" || !named) return;
  throw usage_error(fmt::format(
      "--output {}: the vertices of this graph have names, which NumPy's format cannot hold; use a "
      "file name that ends with .csv, .tsv or .parquet",
      path.string()));
}

void write_values(const fs::path& path, const Answer& answer, const VertexLabels& labels) {
  const std::string ending = path.extension().string();
  std::visit(
      [&](const auto& values) {
        const ValueColumn column{values, answer.names_vertices};
        if (ending == ".parquet") return write_parquet_of(path, column, labels);
        OutputFile file(path, true);
        if (ending == ".npy") {
          write_npy(file, column, labels);
        } else {
          write_text(file, column, labels, ending == ".csv" ? ',' : ending == ".tsv" ? '\t' : ' ');
        }
        file.commit();
      },
      answer.values);
}

nlohmann::json largest_values(const Answer& answer, const VertexLabels& labels, std::size_t count) {
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](const auto& values, const char* what, const auto& wanted) {
    for (const VertexId v : largest(values, vertices_with(values, wanted), count)) {
      rows.push_back({{"vertex", label_json(labels, v)}, {what, values[v]}});
    }
  };
  if (answer.names_vertices) {
    const auto& named = std::get<0>(answer.values);
    std::vector<std::uint32_t> times(named.size());
    for (const VertexId v : named) ++times[v];
    add(times, "vertices", [](std::uint32_t vertices) { return vertices > 0; });
  } else {
    std::visit(
        [&](const auto& values) {
          add(values, "value", [](auto value) { return is_reached(value); });
        },
        answer.values);
  }
  return rows;
}

}  // namespace outcore
