// SPDX-License-Identifier: Apache-2.0
// The device of a run: the device that holds the graph, as a probe measured it, and the modelled
// device in front of it, if there is one.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/run_record.h"

namespace outcore {

// Reads the model and works out its dilation, the device's rates and pace, the cost of a request if
// holes are to be read through, and k_r if the depth is to be the device's. Throws usage errors,
// and bad_input for broken files.
void prepare_device(RunRequest& request);

// Records how well the model was kept.
void add_device(nlohmann::json& record, const ModelledDevice& device);
// When the real device could not keep up with the model, the times mean nothing: throws Error (io).
void check_honoured(const ModelledDevice& device);

}  // namespace outcore
