// SPDX-License-Identifier: Apache-2.0
//
// What all JSON answers of the API have in common: whether they are complete, and why they are
// empty.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/input/api_client.h"
#include "cli/output/json_fields.h"

namespace flarestack::cli {

// An object. Errors as ApiClient has them.
absl::StatusOr<Json> GetJson(const ApiClient& client, const ApiQuestion& question);

// What is not in the answer and why; empty when nothing is missing.
std::string MissingOf(const Json& answer);

// Why there is nothing in the answer, and what to ask for instead, where the server knows that.
struct Emptiness {
  std::string reason;  // empty: the answer does not say that it is empty
  std::string next = {};
};
// `flag_prefix` stands before names of parameters: "--" on the command line.
Emptiness EmptinessOf(const Json& answer, std::string_view flag_prefix);

}  // namespace flarestack::cli
