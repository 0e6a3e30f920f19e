// SPDX-License-Identifier: Apache-2.0
//
// Which service a process is, for service.name, when nobody was asked to say so: the best of what
// is known, and why it is the best.
//
//   1. its process context (process_context.h)
//   2. OTEL_SERVICE_NAME of its environment
//   3. service.name in OTEL_RESOURCE_ATTRIBUTES
//   4. the systemd service that it belongs to
//   5. the script that it runs, when it is an interpreter
//   6. the script that started it a moment ago
//   7. its executable
//   8. the name of its first thread: those of the kernel have nothing else
//
// Scripts and executables with a generic name (generic_name.h) have their folder in front.
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

// What /proc says. A part that may not be read is empty.
struct ProcessTexts {
  std::string environment;   // at most 1 MiB of it
  std::string command_line;  // at most 64 KiB of it
  std::string executable;    // path as the process sees it, also of a deleted file
  std::string working_directory;
  std::string thread_name;
};

// The path as the process sees it, also of a deleted file; empty when it cannot be read.
std::string ReadExecutable(pid_t pid);

// Whether the file of an executable is in memory alone, as memfd_create makes it.
bool IsMemfd(std::string_view executable);

// Without folders; "memfd:NAME" of a file in memory.
std::string ExecutableName(std::string_view executable);

// kNotFound when there is no such process.
absl::StatusOr<ProcessTexts> ReadProcessTexts(pid_t pid);

struct ServiceFacts {
  std::string_view context_service_name;  // empty without a process context
  std::string_view systemd_unit;          // as CgroupNames has it
  std::string_view starter;               // what started a short process; empty for others
  const ProcessTexts& texts;
};

struct ServiceIdentity {
  std::string name;  // valid UTF-8, not empty, at most 255 bytes
  ServiceNameRule rule = ServiceNameRule::kThreadName;
  // The rest of OTEL_RESOURCE_ATTRIBUTES: service.version, deployment.environment.name ...
  std::vector<TextAttribute> attributes;
};

ServiceIdentity IdentifyService(const ServiceFacts& facts);

}  // namespace flarestack::record::agent
