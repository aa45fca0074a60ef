// SPDX-License-Identifier: Apache-2.0
// A table for a terminal. Columns are as wide as their widest cell. The first one is aligned left;
// the others hold numbers and are aligned right.
#pragma once

#include <string>
#include <vector>

namespace outcore {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  // A row with fewer cells than the header ends with empty cells; none has more.
  void add(std::vector<std::string> row);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  // Lines begin with two blanks and have none at the end.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

}  // namespace outcore
