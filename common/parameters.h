// SPDX-License-Identifier: Apache-2.0
// The parameters of engines, backends, workloads and packs of layouts.
//
// A Parameter is a declaration: a name, a default and the values that are allowed. A Parameters
// object holds the values of everything that one owner declares. Users write values as assignments,
// name=value:
//   --set k=5 --set damping=0.9              parameters of a workload
//   mmap:populate=pread                      a *spec*: a name, with assignments after a colon
//   async_block:early_stop=4,mode=sync
// Where specs themselves stand in a list with commas, `+` separates the assignments of a spec.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace outcore {

struct Parameter {
  // A `vertex` is given as the id in the imported file; the command line translates it to the
  // canonical id.
  enum class Kind : std::uint8_t { text, whole, real, vertex };
  std::string name;
  std::string fallback;  // the default, as a user would write it
  std::string help;
  Kind kind = Kind::text;
  // Numbers lie in [least, most]; whole numbers are exact up to 2^53.
  double least = 0;
  double most = 0;
  // For a text: all values that it may have; empty means any text. For other kinds: words that are
  // allowed in place of a vertex or a number.
  std::vector<std::string> choices = {};
  // For a source: the parameter that says how many sources there are; empty means one.
  std::string how_many = {};

  // "one of on, off", "a whole number from 1 to 9", "0, or a number from 0.1 to 1". Empty where any
  // text will do, or where only the owner can check: a vertex without choices.
  [[nodiscard]] std::string expected() const;
  [[nodiscard]] std::string full_help() const;  // the help, then the expected values in parentheses
};

class Parameters {
 public:
  Parameters() = default;  // of an owner that declares none
  // Every parameter has its default.
  explicit Parameters(std::span<const Parameter> declared);
  // If a name is assigned more than once, the last value holds. `owner` names the owner in errors
  // ("engine concurrent"). Throws usage errors: for an unknown name (listing the known ones and the
  // nearest), for an assignment without `=`, and for a value that its parameter does not allow.
  Parameters(const std::string& owner, std::span<const Parameter> declared,
             const std::vector<std::string>& assignments);

  // REQUIRES: a parameter of this name is declared, and its kind is text or the one that is asked
  // for.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[nodiscard]] std::uint64_t whole(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }

  // These values; the defaults if these are the values of an owner that declares nothing.
  [[nodiscard]] Parameters or_defaults(std::span<const Parameter> declared) const;
  // Names and values of the parameters that differ from their defaults, in the order of
  // declaration.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> changed() const;
  [[nodiscard]] nlohmann::json json() const;  // {"name": "value"} of every parameter

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
