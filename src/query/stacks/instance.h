// SPDX-License-Identifier: Apache-2.0
//
// Identifies the process that a profile comes from.
#pragma once

#include <string>

#include "model/batch.h"

namespace flarestack::query {

// Returns the same text for resources that describe the same instance: by `service.instance.id`
// (with the service, because it is unique only within one), else by the available attributes of
// host, pod, process and container, else by all attributes. Empty if the resource has no
// attributes.
std::string InstanceIdentity(const model::Dictionary& dictionary, const model::Resource& resource);

}  // namespace flarestack::query
