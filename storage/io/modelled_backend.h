// SPDX-License-Identifier: Apache-2.0
// A modelled device in front of another backend, which really moves the bytes: no request is
// answered before the model says so (device_model.h). If the real device is slower than the model,
// the answer comes when it comes, and is counted.
//
// A request is *late* if the caller noticed it: it asked for finished requests when the model had
// finished this one and the device had not. A request that arrived before the caller asked was in
// time, whenever it arrived.
//
// A request is *overslept* through our own fault: the caller waited here for the model's time, and
// its thread was woken late, by more than ModelledDevice::kPunctual of the request's time in the
// model, because the processor was busy with others.
#pragma once

#include <memory>

#include "storage/io/backend.h"
#include "storage/io/device_model.h"

namespace outcore {

// `depth` is that of the inner backend's channels. make_backend uses this to put
// BackendOptions::device in front.
std::unique_ptr<Backend> make_modelled_backend(std::unique_ptr<Backend> inner, unsigned depth,
                                               std::shared_ptr<ModelledDevice> device);

}  // namespace outcore
