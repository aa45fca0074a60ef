// SPDX-License-Identifier: Apache-2.0
// A table for a terminal: columns as wide as their widest cell, the first one aligned to the left
// and the others, which hold numbers, to the right.
#pragma once

#include <string>
#include <vector>

namespace outcore {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  // With fewer cells than the header has, the last ones stay empty.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  // Lines that begin with two blanks and end with no blank.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace outcore
