// SPDX-License-Identifier: Apache-2.0
// Text in lines that a terminal of 120 columns holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/verbs.h"

namespace outcore {

inline constexpr std::size_t kTextColumns = 118;

// Breaks each line that has more than `columns` characters at blanks. The rest of such a line is
// indented as its beginning is, and by `hanging` more. A word that is longer than a line stays
// whole.
std::string wrapped(std::string_view text, std::size_t columns = kTextColumns,
                    std::size_t hanging = 2);

// What --help prints, wrapped.
class WrappedHelp : public CLI::Formatter {
 public:
  static constexpr std::size_t kNameColumns = 34;

  WrappedHelp() { column_width(kNameColumns); }
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace outcore
