// SPDX-License-Identifier: Apache-2.0
#include "storage/layout/codec.h"

namespace outcore {

CodecPart raw_codec() { return {.name = "raw", .help = "4 bytes an edge"}; }

}  // namespace outcore
