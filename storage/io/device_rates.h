// SPDX-License-Identifier: Apache-2.0
// The rates of a device, for engines that weigh one way of reading against another. The symbols are
// those of LOSC's cost model (its section 3.5) and CAVE's k_r.
#pragma once

#include <string>

#include "storage/io/merge.h"

namespace outcore {

// As the run sees the device: all times include the dilation of a modelled device. 0: unknown.
struct DeviceRates {
  std::string source;              // the file of the probe or of the model
  unsigned k_r = 1;                // requests that the device serves at once
  double random_mb_per_s = 0;      // T_rr: reads of 4 KB, k_r in flight
  double sequential_mb_per_s = 0;  // T_sr: reads of 1 MB
  double write_mb_per_s = 0;       // T_sw: sequential writes of 1 MB
  RequestCost request;             // a random read, many in flight
  RequestCost in_order;            // a read that begins where the one before it ended
};

}  // namespace outcore
