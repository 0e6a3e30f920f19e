// SPDX-License-Identifier: Apache-2.0
//
// Names for addresses of the kernel, read when the first is asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "elf/kallsyms.h"

namespace flarestack::record::agent {

class KernelNames {
 public:
  // `proc` and `sys` are where /proc and /sys are.
  explicit KernelNames(std::string proc = "/proc", std::string sys = "/sys")
      : proc_(std::move(proc)), sys_(std::move(sys)) {}

  std::optional<elf::KernelFunction> Find(uint64_t address);

  // Hexadecimal; empty when the kernel does not tell.
  const std::string& build_id();

  // The kernel has got code that is not known yet, such as a BPF program.
  void Forget() { is_read_ = false; }

  // Why there are no names.
  absl::Status status();

 private:
  void Read();

  const std::string proc_;
  const std::string sys_;
  bool is_read_ = false;
  std::optional<elf::KernelSymbols> symbols_;
  absl::Status status_;
  std::optional<std::string> build_id_;
};

}  // namespace flarestack::record::agent
