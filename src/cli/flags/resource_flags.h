// SPDX-License-Identifier: Apache-2.0
//
// Whose profiles they are, for formats that do not say: --service NAME, --resource KEY=VALUE, and
// the variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Flags win over what a profile says,
// the variables do not.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "model/batch.h"
#include "record/process/otel_variables.h"

namespace flarestack::cli {

class ResourceFlags {
 public:
  using Environment = std::function<std::optional<std::string>(const std::string&)>;

  void Define(CLI::App* app);

  // kInvalidArgument names the flag or the variable.
  absl::Status Read(const Environment& environment);

  // To every resource of the batch, which gets one where it has none.
  void Apply(model::Batch* batch) const;

 private:
  std::string service_;
  std::vector<std::string> attributes_;

  // By Read().
  std::vector<record::agent::TextAttribute> wanted_;    // by flags
  std::vector<record::agent::TextAttribute> fallback_;  // by variables
};

}  // namespace flarestack::cli
