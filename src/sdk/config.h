// SPDX-License-Identifier: Apache-2.0
//
// What is profiled and where profiles go: from the environment, changed by the program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace flarestack::sdk {

struct ProfileTypes {
  bool cpu = true;
  bool allocations = false;
  bool live_heap = false;
};

enum class ExporterKind { kOtlp, kFile, kNone };

struct Config {
  bool is_enabled = true;
  ProfileTypes types;
  uint64_t cpu_period_ns = 10'000'000;
  uint64_t allocation_mean_bytes = 512 << 10;
  uint64_t export_interval_ms = 10'000;

  using Attributes = std::vector<std::pair<std::string, std::string>>;
  Attributes resource;  // service.name and what the program adds

  ExporterKind exporter = ExporterKind::kOtlp;
  std::string endpoint = "http://localhost:4318/v1development/profiles";
  Attributes headers;
  uint64_t export_timeout_ms = 10'000;
  std::string file;  // of ExporterKind::kFile; %p is the process id

  // What of the environment was not understood, for the log.
  std::vector<std::string> complaints;
};

// Reads OTEL_* variables. docs/reference/sdk.md lists them.
Config ConfigFromEnvironment();

// "key=value,key=value", with %XX escapes. Appends; complains about the rest.
void ParseAttributes(std::string_view text, std::string_view variable, Config::Attributes* to,
                     std::vector<std::string>* complaints);

// "cpu,alloc,live". Returns false if a word is unknown.
bool ParseTypes(std::string_view text, ProfileTypes* types);

}  // namespace flarestack::sdk
