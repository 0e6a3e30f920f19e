// SPDX-License-Identifier: Apache-2.0
//
// Which process a profile is of.
#pragma once

#include <string>

#include "model/batch.h"

namespace flarestack::query {

// The same text for resources that describe the same instance: by `service.instance.id` (with the
// service, within which alone it is unique), else by what there is of host, pod, process and
// container, else by all attributes. Empty when the resource has no attributes.
std::string InstanceIdentity(const model::Dictionary& dictionary, const model::Resource& resource);

}  // namespace flarestack::query
