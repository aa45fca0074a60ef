// SPDX-License-Identifier: Apache-2.0
// Copies of partitions of vertex records, whose memory is used again. A snapshot at short intervals
// has every partition copied, and pages that are fresh from the system cost more than what is
// copied into them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "storage/evolving/vertex_buffer.h"

namespace outcore::evolving {

class SparePartitions {
 public:
  // Copies `from`, into a spare partition if there is one. The copy becomes spare when its last
  // owner drops it. Any thread may copy and drop.
  static std::shared_ptr<Partition> copy(const std::shared_ptr<SparePartitions>& spares,
                                         const Partition& from) {
    std::unique_ptr<Partition> made = spares->take();
    if (made == nullptr) {
      made = std::make_unique<Partition>(from);
    } else {
      *made = from;
    }
    return {made.release(),
            [spares](Partition* dropped) { spares->put(std::unique_ptr<Partition>(dropped)); }};
  }

 private:
  std::unique_ptr<Partition> take() {
    const std::lock_guard lock(mutex_);
    if (spares_.empty()) return nullptr;
    std::unique_ptr<Partition> last = std::move(spares_.back());
    spares_.pop_back();
    return last;
  }
  void put(std::unique_ptr<Partition> dropped) {
    const std::lock_guard lock(mutex_);
    spares_.push_back(std::move(dropped));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Partition>> spares_;
};

}  // namespace outcore::evolving
