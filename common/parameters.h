// SPDX-License-Identifier: Apache-2.0
// The parameters of engines, backends, workloads and packs of layouts.
//
// A Parameter is a declaration: a name, a default and what the value may be. Parameters are the
// values of everything that one owner declares. Users write values as assignments, name=value:
//   --set k=5 --set damping=0.9              a workload's
//   mmap:populate=pread                      a *spec*: a name, with assignments after a colon
//   async_block:early_stop=4,mode=sync
// Where a spec itself stands in a list with commas, `+` parts its assignments.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace outcore {

struct Parameter {
  // A `vertex` is named by the imported file's id, which the command line makes a canonical one.
  enum class Kind : std::uint8_t { text, whole, real, vertex };
  std::string name;
  std::string fallback;  // the default, as a user would write it
  std::string help;
  Kind kind = Kind::text;
  // Numbers lie in [least, most]; whole ones are exact up to 2^53.
  double least = 0;
  double most = 0;
  // All words that a text may be; empty: any text. For other kinds: words that may stand in the
  // place of a vertex or a number.
  std::vector<std::string> choices = {};
  // For a source: the parameter that says how many there are; empty: it is one.
  std::string how_many = {};

  // "one of on, off", "a whole number from 1 to 9", "0, or a number from 0.1 to 1"; empty where
  // any text will do, or where only the owner can tell: a vertex without choices.
  [[nodiscard]] std::string expected() const;
  [[nodiscard]] std::string full_help() const;  // the help, and in parentheses what is expected
};

class Parameters {
 public:
  Parameters() = default;  // of an owner that declares none
  // Every one has its default.
  explicit Parameters(std::span<const Parameter> declared);
  // The last assignment to a name holds. `owner` names it in errors ("engine concurrent"). Throws
  // usage errors: an unknown name (with the known ones and the nearest), an assignment without
  // `=`, a value that is not what its parameter expects.
  Parameters(const std::string& owner, std::span<const Parameter> declared,
             const std::vector<std::string>& assignments);

  // REQUIRES: a parameter of this name is declared, and its kind is the one that is asked for, or
  // text.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] std::uint64_t whole(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }

  // These; or the defaults where nothing was declared for these.
  [[nodiscard]] Parameters or_defaults(std::span<const Parameter> declared) const;
  // Name and value of those that differ from their defaults, in the order of declaration.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> changed() const;
  [[nodiscard]] nlohmann::json json() const;  // {"name": "value"} of each

  friend bool operator==(const Parameters&, const Parameters&) = default;

 private:
  struct Value {
    std::string name;
    std::string text;
    std::string fallback;
    friend bool operator==(const Value&, const Value&) = default;
  };
  [[nodiscard]] const Value* find(const std::string& name) const;

  std::vector<Value> values_;
};

// The two parts of a spec.
std::string spec_name(const std::string& spec);
std::vector<std::string> spec_assignments(const std::string& spec);

}  // namespace outcore
