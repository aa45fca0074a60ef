// SPDX-License-Identifier: Apache-2.0
// A name with parameters of its own, as backends and engines are asked for:
//   mmap    mmap:populate=pread    async_block:early_stop=4,mode=sync
// Where the spec itself stands in a list with commas, `+` parts its parameters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace outcore {

struct Parameter {
  std::string name;
  std::string help;
  std::string fallback;
  std::vector<std::string> values = {};  // all that it may be; none: any text
  // A whole number in this range; none: no number.
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  std::optional<Range> whole = {};
};

using Settings = std::map<std::string, std::string>;

std::string spec_name(const std::string& spec);  // without the parameters

// What the spec says of parameters. `owner` is whose they are ("backend mmap"), for errors: a usage
// Error has the known names, or values, and the nearest of them.
Settings spec_settings(const std::string& owner, const std::vector<Parameter>& parameters,
                       const std::string& spec);

// With the fallbacks of parameters that are not there.
Settings complete_settings(const std::vector<Parameter>& parameters, Settings settings);

// The value of a parameter that is a whole number.
std::uint64_t whole_setting(const Settings& settings, const std::string& name);

}  // namespace outcore
