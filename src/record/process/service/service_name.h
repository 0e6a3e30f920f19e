// SPDX-License-Identifier: Apache-2.0
//
// Determines the service.name of a process that was not configured explicitly: the first of these
// that is known, and the rule that applied.
//
//   1. its process context (process_context.h)
//   2. OTEL_SERVICE_NAME of its environment
//   3. service.name in OTEL_RESOURCE_ATTRIBUTES
//   4. the systemd service that it belongs to
//   5. the name that the application has in the conventions of its language (application_name.h)
//   6. the script that it runs, when it is an interpreter
//   7. the script that started it a moment ago
//   8. its executable
//   9. the name of its first thread: kernel threads have nothing else
//
// Scripts and executables with a generic name (generic_name.h) are prefixed with their folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/process/proc/process_list.h"
#include "record/process/service/application_name.h"
#include "record/process/service/otel_variables.h"

namespace flarestack::record::agent {

enum class ServiceNameRule : uint8_t {
  kProcessContext,
  kServiceNameVariable,
  kResourceAttributesVariable,
  kSystemdUnit,
  kServedApplication,
  kSpringName,
  kJarTitle,
  kPackage,
  kScript,
  kStarter,
  kExecutable,
  kThreadName,
};

std::string_view NameOf(ServiceNameRule rule);  // "environment", "systemd", ... for users

// Returns whether the executable exists only in memory, created with memfd_create.
bool IsMemfd(std::string_view executable);

// Returns the name without folders; "memfd:NAME" for a memfd.
std::string ExecutableName(std::string_view executable);

// Returns the script that an interpreter runs, with its folder if its name is generic; empty for
// other executables.
std::string QualifiedScriptName(const ProcessTexts& texts);

struct ServiceFacts {
  std::string_view context_service_name;  // empty without a process context
  std::string_view systemd_unit;          // as in CgroupNames
  std::string_view starter;               // what started a short-lived process; empty for others
  ApplicationName application;            // empty if it is unknown, or not looked for
  const ProcessTexts& texts;
};

struct ServiceIdentity {
  std::string name;  // valid UTF-8, not empty, at most 255 bytes
  ServiceNameRule rule = ServiceNameRule::kThreadName;
  // The other attributes of OTEL_RESOURCE_ATTRIBUTES: service.version, deployment.environment.name
  // ...
  std::vector<TextAttribute> attributes;
};

ServiceIdentity IdentifyService(const ServiceFacts& facts);

// Returns whether the name would change if the application were known: looking for it reads files.
bool IsWeakerThanApplication(ServiceNameRule rule);

}  // namespace flarestack::record::agent
