// SPDX-License-Identifier: Apache-2.0
// The device of a run: the one that the graph lies on, as a probe found it, and the modelled one in
// front of it, if there is one.
#pragma once

#include <nlohmann/json.hpp>

#include "cli/run_record.h"

namespace outcore {

// Reads the model, works out its dilation, the device's rates and pace, what a request costs it
// where holes are to be read through, and k_r where that is to be the device's. Throws usage
// errors, and bad_input for files that are broken.
void prepare_device(RunRequest& request);

// What became of the model.
void add_device(nlohmann::json& record, const ModelledDevice& device);
// Times under a model that the real device could not keep up with are nobody's: throws Error (io).
void check_honoured(const ModelledDevice& device);

}  // namespace outcore
