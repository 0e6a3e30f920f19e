// SPDX-License-Identifier: Apache-2.0
//
// The tree of resources and scopes around the items of traces, logs and metrics. Each process is a
// resource with one scope.
#pragma once

#include <span>
#include <string_view>

#include "demo/shop.h"
#include "model/signal_batch.h"

namespace flarestack::demo {

// Copies the attributes into the batch.
model::Slice AddAttributes(std::span<const Attribute> attributes, model::SignalBatch* batch);

// Adds the process with its `items`, which are contiguous in the batch.
void AddProcess(const Process& process, model::Slice items, model::SignalBatch* batch);

}  // namespace flarestack::demo
