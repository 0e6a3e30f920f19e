// SPDX-License-Identifier: Apache-2.0
//
// Is all well, and if not, what is to be done? GET /api/v1/health.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/api/endpoint.h"
#include "server/upkeep/health_source.h"

namespace flarestack::server::api {

// For people: what is wrong, and what helps.
struct Problem {
  enum class Severity { kInfo, kWarning, kError };  // the worst last

  Severity severity = Severity::kInfo;
  std::string_view code;  // does not change
  std::string message;
  std::string advice;
};

// The worst first.
std::vector<Problem> FindProblems(const HealthFacts& facts);

Json HealthJson(const HealthFacts& facts);

}  // namespace flarestack::server::api
