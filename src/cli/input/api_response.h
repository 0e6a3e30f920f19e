// SPDX-License-Identifier: Apache-2.0
//
// Fields common to all JSON responses of the API: whether they are complete, and why they are
// empty.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/input/api_client.h"
#include "cli/output/json_fields.h"

namespace flarestack::cli {

// Returns an object, or an error of ApiClient.
absl::StatusOr<Json> GetJson(const ApiClient& client, const ApiRequest& request);

// The data missing from the response and why; empty if it is complete.
std::string MissingOf(const Json& response);

// Why the response is empty, and what to request instead if the server knows.
struct Emptiness {
  std::string reason;  // empty: the response is not marked as empty
  std::string next = {};
};
// `flag_prefix` precedes parameter names: "--" on the command line.
Emptiness EmptinessOf(const Json& response, std::string_view flag_prefix);

}  // namespace flarestack::cli
