// SPDX-License-Identifier: Apache-2.0
//
// Flags for what to record on this host and how, for the commands that record continuously.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "cli/flags/choice_flags.h"
#include "record/agent/agent.h"

namespace flarestack::cli {

class AgentFlags {
 public:
  // Whether the command defines its own symbol flags.
  enum class Symbols { kOurFlags, kOfTheCommand };
  void Define(CLI::App* app, Symbols symbols = Symbols::kOurFlags);

  // Does not set symbols: see SymbolOptions. kInvalidArgument if a value is invalid; the error
  // names the flag.
  absl::StatusOr<record::agent::AgentOptions> Read() const;

  // Where to find symbols; nullopt with --no-symbolize.
  std::optional<record::agent::HostSymbolsOptions> SymbolOptions() const;

 private:
  uint32_t frequency_hz_ = 19;
  std::vector<std::string> events_ = {"cpu", "off_cpu"};
  std::string interval_ = "5s";
  std::string cpu_budget_ = "1%";
  uint64_t memory_budget_ = uint64_t{64} << 20;
  std::vector<int> pids_;
  ChoiceFlags choice_;
  std::vector<std::string> symbol_paths_;
  std::string source_maps_;
  bool names_frames_ = true;
  bool is_per_process_ = false;
  bool reads_goroutine_ids_ = false;
};

}  // namespace flarestack::cli
