// SPDX-License-Identifier: Apache-2.0
// Notes which vertices are activated, for what draws the graph and for how many answers are known.
#pragma once

#include <span>

#include "engines/program.h"

namespace outcore {

class EventRecorder;

// Of those that the recorder tells of. Any thread, on its own lane.
void note_found(EventRecorder& events, std::span<const Activations::Entry> entries);

}  // namespace outcore
