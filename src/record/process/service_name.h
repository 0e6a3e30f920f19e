// SPDX-License-Identifier: Apache-2.0
//
// Determines the service.name of a process that was not configured explicitly: the first of these
// that is known, and the rule that applied.
//
//   1. its process context (process_context.h)
//   2. OTEL_SERVICE_NAME of its environment
//   3. service.name in OTEL_RESOURCE_ATTRIBUTES
//   4. the systemd service that it belongs to
//   5. the script that it runs, when it is an interpreter
//   6. the script that started it a moment ago
//   7. its executable
//   8. the name of its first thread: kernel threads have nothing else
//
// Scripts and executables with a generic name (generic_name.h) are prefixed with their folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "record/process/otel_variables.h"

namespace flarestack::record::agent {

enum class ServiceNameRule : uint8_t {
  kProcessContext,
  kServiceNameVariable,
  kResourceAttributesVariable,
  kSystemdUnit,
  kScript,
  kStarter,
  kExecutable,
  kThreadName,
};

std::string_view NameOf(ServiceNameRule rule);  // "environment", "systemd", ... for users

// Texts from /proc. Unreadable ones are empty.
struct ProcessTexts {
  std::string environment;   // at most 1 MiB
  std::string command_line;  // at most 64 KiB
  std::string executable;    // path as seen by the process, also of a deleted file
  std::string working_directory;
  std::string thread_name;
};

// Returns the path as seen by the process, also of a deleted file; empty if it cannot be read.
std::string ReadExecutable(pid_t pid);

// Returns whether the executable exists only in memory, created with memfd_create.
bool IsMemfd(std::string_view executable);

// Returns the name without folders; "memfd:NAME" for a memfd.
std::string ExecutableName(std::string_view executable);

// Returns kNotFound if there is no such process.
absl::StatusOr<ProcessTexts> ReadProcessTexts(pid_t pid);

struct ServiceFacts {
  std::string_view context_service_name;  // empty without a process context
  std::string_view systemd_unit;          // as in CgroupNames
  std::string_view starter;               // what started a short-lived process; empty for others
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

}  // namespace flarestack::record::agent
