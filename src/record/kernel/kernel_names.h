// SPDX-License-Identifier: Apache-2.0
//
// Kernel symbols, read on first use. There are more than a hundred thousand, so they are not read
// again for each new BPF program: the kernel reports those names one by one.
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

  // An address without a name may belong to a module that was loaded since, so the symbols are read
  // again, but at most at this interval.
  static constexpr std::chrono::seconds kReadInterval{60};
  static constexpr size_t kProgramsMax = 4096;

  // `proc` and `sys` are the locations of /proc and /sys.
  explicit KernelNames(std::string proc = "/proc", std::string sys = "/sys")
      : proc_(std::move(proc)), sys_(std::move(sys)) {}

  // Reads the symbols unless that was done before. Find does this too, but it takes a while, and
  // code unloaded before then has no name.
  void ReadOnce(Time now);

  // The result is valid until the next call of Apply or Find.
  std::optional<elf::KernelFunction> Find(uint64_t address,
                                          Time now = std::chrono::steady_clock::now());

  // Adds new kernel code, such as a BPF program. Unloaded code keeps its name for earlier samples,
  // until other code reuses its addresses.
  void Apply(const KernelSymbolEvent& event);

  // Hexadecimal; empty if the kernel does not expose it.
  const std::string& build_id();

  // Returns why there are no names.
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
  std::map<uint64_t, Program> programs_;  // by start address, without overlaps
  std::optional<elf::KernelSymbols> symbols_;
  absl::Status status_;
  std::optional<std::string> build_id_;
};

}  // namespace flarestack::record::agent
