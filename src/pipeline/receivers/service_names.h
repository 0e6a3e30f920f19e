// SPDX-License-Identifier: Apache-2.0
//
// A service.name for profiles whose sender gave none, so that they do not all stand under an empty
// name. By the first of these that the resource has:
//
//   process.executable.name, process.executable.path (without folders)
//   container.name, k8s.container.name, container.id (its first 12 digits)
//   unknown_service, as the OpenTelemetry specification has it
//
// flarestack.service.name.rule says which it was.
#pragma once

#include <cstdint>

#include "model/batch.h"

namespace flarestack::pipeline {

// Returns how many resources got a name. The names are views of what the batch refers to.
uint64_t NameServices(model::Batch* batch);

}  // namespace flarestack::pipeline
