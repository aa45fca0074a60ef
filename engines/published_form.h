// SPDX-License-Identifier: Apache-2.0
// The setting `form` of an engine: its usual knobs, or those of the program that its paper comes
// with.
//
//   --engine binning:form=published              what Blaze's program does, in our knobs
//   --engine binning:form=published,roles=any    the same, but for one knob
//
// An engine declares the published form beside its knobs (engine_entry.h). It only changes
// defaults: whatever is given beside it wins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/parameters.h"

namespace outcore {

struct PublishedForm {
  std::vector<std::string> settings = {};         // of the engine, as in a spec: "roles=fixed"
  std::optional<std::uint32_t> max_request = {};  // --max-request, in bytes
  std::string backend = {};                       // --backend; empty: the engine's own

  // Of all of these: {"roles": "fixed", "max-request": "16K"}.
  [[nodiscard]] std::map<std::string, std::string> knobs() const;
};

// Is it asked for?
bool is_published(const Parameters& settings);
// The declaration of `form`; its help names the knobs.
Parameter form_parameter(const PublishedForm& published);
// The same declarations with the published form's defaults. REQUIRES: each of its settings is
// declared.
std::vector<Parameter> with_published_defaults(std::vector<Parameter> declared,
                                               const PublishedForm& published);

}  // namespace outcore
