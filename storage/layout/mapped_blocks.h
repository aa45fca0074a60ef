// SPDX-License-Identifier: Apache-2.0
// The blocks of a file in one piece of memory, for those who look at all of them: `check` and
// `inspect`. A striped file is put together first, in a nameless file beside the layout, which
// takes as much room as its stripes until this object ends.
#pragma once

#include "storage/container/mapped_file.h"
#include "storage/io/door.h"

namespace outcore {

MappedFile map_blocks(const BlockFile& file);

}  // namespace outcore
