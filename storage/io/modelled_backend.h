// SPDX-License-Identifier: Apache-2.0
// A modelled device in front of another backend, which in truth moves the bytes: no request is
// answered before the model says so (device_model.h). Where the real device is later than the model
// the answer comes when it comes, and is counted.
//
// *Late* is what the caller noticed: it asked for finished requests when the model had this one
// finished and the device had not. A request that was there by the time the caller asked was in
// time, whenever it came.
//
// *Overslept* is our own doing: the caller waited here for the model's time, and this thread was
// woken when that was past by more than ModelledDevice::kPunctual of what the model gives the
// request, because the processor had others to serve.
#pragma once

#include <memory>

#include "storage/io/backend.h"
#include "storage/io/device_model.h"

namespace outcore {

// `depth` is that of the inner backend's channels. make_backend puts BackendOptions::device in
// front by this.
std::unique_ptr<Backend> make_modelled_backend(std::unique_ptr<Backend> inner, unsigned depth,
                                               std::shared_ptr<ModelledDevice> device);

}  // namespace outcore
