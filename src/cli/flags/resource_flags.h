// SPDX-License-Identifier: Apache-2.0
//
// The resource of profiles whose format has none: --service NAME, --resource KEY=VALUE, and the
// variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Flags override the profile's own
// attributes, variables do not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "model/batch.h"
#include "record/process/service/otel_variables.h"

namespace flarestack::cli {

class ResourceFlags {
 public:
  using Environment = std::function<std::optional<std::string>(const std::string&)>;

  void Define(CLI::App* app);

  // kInvalidArgument if a value is invalid; the error names the flag or variable.
  absl::Status Read(const Environment& environment);

  // Applies to every resource of the batch. Adds a resource if there is none.
  void Apply(model::Batch* batch) const;

 private:
  std::string service_;
  std::vector<std::string> attributes_;

  // Set by Read().
  std::vector<record::agent::TextAttribute> wanted_;    // from flags
  std::vector<record::agent::TextAttribute> fallback_;  // from variables
};

}  // namespace flarestack::cli
