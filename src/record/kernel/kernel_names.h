// SPDX-License-Identifier: Apache-2.0
//
// Names for addresses of the kernel, read when the first is asked for. There are more than a
// hundred thousand, so they are not read anew for each BPF program that comes: the kernel tells
// those names one by one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "elf/kernel/kernel_symbols.h"
#include "record/kernel/perf_event_record.h"

namespace flarestack::record::agent {

class KernelNames {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // An address without a name may be of a module that was loaded since; the names are read again,
  // but not more often.
  static constexpr std::chrono::seconds kReadInterval{60};
  static constexpr size_t kProgramsMax = 4096;

  // `proc` and `sys` are where /proc and /sys are.
  explicit KernelNames(std::string proc = "/proc", std::string sys = "/sys")
      : proc_(std::move(proc)), sys_(std::move(sys)) {}

  // Unless it was done before. Find does it too, but it takes a while, and what is unloaded before
  // has no name then.
  void ReadOnce(Time now);

  // What it points to is good until the next call of Apply or Find.
  std::optional<elf::KernelFunction> Find(uint64_t address,
                                          Time now = std::chrono::steady_clock::now());

  // The kernel has got code, such as a BPF program. What is gone keeps its name, for samples that
  // were taken before, until other code has its place.
  void Apply(const KernelSymbolEvent& event);

  // Hexadecimal; empty when the kernel does not tell.
  const std::string& build_id();

  // Why there are no names.
  absl::Status status();

 private:
  struct Program {
    uint64_t end = 0;
    std::string name;
  };

  void Read(Time now);
  std::optional<elf::KernelFunction> FindProgram(uint64_t address) const;

  const std::string proc_;
  const std::string sys_;
  std::optional<Time> read_at_;
  std::map<uint64_t, Program> programs_;  // by where they begin; they do not overlap
  std::optional<elf::KernelSymbols> symbols_;
  absl::Status status_;
  std::optional<std::string> build_id_;
};

}  // namespace flarestack::record::agent
