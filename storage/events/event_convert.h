// SPDX-License-Identifier: Apache-2.0
// Writes events in the formats of two viewers of traces. The file appears whole or not at all.
#pragma once

#include <filesystem>

#include "storage/events/event_reader.h"

namespace outcore {

// Perfetto's legacy JSON ("Trace Event Format"): a thread for each lane with slices (work, waits,
// barriers, rounds), an asynchronous slice for each request, counters for depth and bytes.
void write_perfetto(const EventsOfRun& run, const std::filesystem::path& path);
// speedscope's file format, version 0.0.1: an evented profile for each lane.
void write_speedscope(const EventsOfRun& run, const std::filesystem::path& path);

}  // namespace outcore
