// SPDX-License-Identifier: Apache-2.0
//
// Derives a service.name for profiles that arrive without one, so that they are not all grouped
// under an empty name. Uses the first of these that the resource has:
//
//   process.executable.name, process.executable.path (without folders)
//   container.name, k8s.container.name, container.id (its first 12 digits)
//   unknown_service, as the OpenTelemetry specification has it
//
// flarestack.service.name.rule records the rule that applied.
#pragma once

#include <cstdint>

#include "model/batch.h"

namespace flarestack::pipeline {

// Returns the number of resources that were given a name. The names are views into data the batch
// refers to.
uint64_t NameServices(model::Batch* batch);

}  // namespace flarestack::pipeline
