// SPDX-License-Identifier: Apache-2.0
#include "common/error.h"
#include "storage/cache/policies/policy.h"

namespace outcore {

// One line per policy: NAME stands for the `NAME_policy` that the policy's file defines.
#define OUTCORE_POLICIES(POLICY) \
  POLICY(opt)                    \
  POLICY(sub)                    \
  POLICY(lru)                    \
  POLICY(clock)                  \
  POLICY(fifo)                   \
  POLICY(s3fifo)                 \
  POLICY(arc)

#define OUTCORE_DECLARE(NAME) extern const PolicyKind NAME##_policy;
OUTCORE_POLICIES(OUTCORE_DECLARE)
#undef OUTCORE_DECLARE

const std::vector<const PolicyKind*>& policies() {
#define OUTCORE_ADDRESS(NAME) &NAME##_policy,
  static const std::vector<const PolicyKind*> kinds = {OUTCORE_POLICIES(OUTCORE_ADDRESS)};
#undef OUTCORE_ADDRESS
  return kinds;
}

const PolicyKind& find_policy(const std::string& name) {
  std::vector<std::string> known;
  for (const PolicyKind* kind : policies()) {
    if (kind->name == name) return *kind;
    known.emplace_back(kind->name);
  }
  throw unknown_name("policy", name, known);
}

void Policy::announce(Slot /*slot*/) {}  // most policies know no rounds

}  // namespace outcore
