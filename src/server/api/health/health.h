// SPDX-License-Identifier: Apache-2.0
//
// GET /api/v1/health: problems of the server and how to fix them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/api/endpoint.h"
#include "server/upkeep/health_source.h"

namespace flarestack::server::api {

// A problem and its fix, in words for people.
struct Problem {
  enum class Severity { kInfo, kWarning, kError };  // in ascending order

  Severity severity = Severity::kInfo;
  std::string_view code;  // stable across versions
  std::string message;
  std::string advice;
};

// Sorted by severity, the worst first.
std::vector<Problem> FindProblems(const HealthFacts& facts);

Json HealthJson(const HealthFacts& facts);

}  // namespace flarestack::server::api
