// SPDX-License-Identifier: Apache-2.0
//
// The steps of a tour, where the server has one: GET /api/v1/guide.
#pragma once

#include <vector>

#include "server/api/endpoint.h"
#include "server/ui/guide.h"

namespace flarestack::server::api {

Json GuideJson(const Guide& guide);

std::vector<Endpoint> GuideEndpoints();

}  // namespace flarestack::server::api
