// SPDX-License-Identifier: Apache-2.0
// A modelled device in front of another backend, which in truth delivers the bytes: no request is
// answered before the model says so (device_model.h). Where the real device is later than the model
// the answer comes when it comes, and is counted.
//
// *Late* is what the caller noticed: it asked for finished requests when the model had this one
// finished and the device had not. A request that was there by the time the caller asked was in
// time, whenever it came.
#pragma once

#include <memory>

#include "storage/io/backend.h"
#include "storage/io/device_model.h"

namespace outcore {

// `depth` is that of the inner backend's channels.
std::unique_ptr<Backend> make_modelled_backend(std::unique_ptr<Backend> inner, unsigned depth,
                                               std::shared_ptr<ModelledDevice> device);

// While it lives, the device stands in front of every backend that make_backend makes: a run has
// one device, whatever its engine opens. One at a time, from one thread.
class DeviceInFront {
 public:
  explicit DeviceInFront(std::shared_ptr<ModelledDevice> device);
  ~DeviceInFront();
  DeviceInFront(const DeviceInFront&) = delete;
  DeviceInFront& operator=(const DeviceInFront&) = delete;
  [[nodiscard]] const ModelledDevice& device() const { return *device_; }

 private:
  std::shared_ptr<ModelledDevice> device_;
};
// Null when there is none.
std::shared_ptr<ModelledDevice> device_in_front();

}  // namespace outcore
