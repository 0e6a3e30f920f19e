// SPDX-License-Identifier: Apache-2.0
//
// /proc/kallsyms: the functions of the running kernel, of its modules and of the BPF programs in
// it.
//
//   ffffffff81001000 T do_one_initcall
//   ffffffffc0a01000 t nft_do_chain    [nf_tables]
//   ffffffffc0b02000 t bpf_prog_6deef7357e7b4530_sd_fw_egress  [bpf]
//
// Uses 16 bytes per function plus its name. Immutable, so many threads may look things up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace flarestack::elf {

// /proc/modules: the loaded kernel modules and their addresses.
struct KernelModule {
  std::string name;
  uint64_t address = 0;
  uint64_t size_bytes = 0;

  friend bool operator==(const KernelModule&, const KernelModule&) = default;
};

// Sorted by address. Returns kPermissionDenied if the kernel hides the addresses from us,
// kInvalidArgument with the number of a malformed line, and kResourceExhausted above `modules_max`.
absl::StatusOr<std::vector<KernelModule>> ParseKernelModules(std::string_view text,
                                                             size_t modules_max = 1 << 16);

struct KernelFunction {
  uint64_t begin = 0;
  uint64_t end = 0;  // excluded
  std::string_view name;
  std::string_view module;  // empty for the kernel itself, "bpf" for BPF programs

  friend bool operator==(const KernelFunction&, const KernelFunction&) = default;
};

class KernelSymbols {
 public:
  static constexpr uint64_t kFunctionsMax = 1 << 23;
  // Sizes are not listed, so a function ends where the next symbol begins. Addresses further from
  // its start than this belong to no function: no kernel function is that large.
  static constexpr uint64_t kFunctionBytesMax = 1 << 20;

  // `modules` bound the last function of each module and are optional. Functions are the types t,
  // T, w and W. Data symbols, and markers such as _etext, only end the function before them.
  // Returns kPermissionDenied if all addresses are zero (kernel.kptr_restrict), kInvalidArgument
  // with the number of a bad line, and kResourceExhausted above kFunctionsMax symbols or 4 GiB of
  // names.
  static absl::StatusOr<KernelSymbols> Parse(std::string_view text,
                                             std::span<const KernelModule> modules = {});

  // Returns the function that contains the address. Of several names, the kernel's global ones win
  // over weak and local ones, then the shorter, then the first alphabetically.
  std::optional<KernelFunction> Find(uint64_t address) const;

  uint64_t function_count() const { return function_count_; }

  // In address order.
  std::vector<KernelFunction> List() const;

  // The address of _stext, which is the reference for the offset of a randomized kernel.
  std::optional<uint64_t> stext_address() const { return stext_address_; }

  uint64_t memory_bytes() const;

 private:
  friend class KallsymsReader;

  // An entry whose name is kNoName ends the function before it.
  struct Entry {
    uint64_t address = 0;
    uint32_t name_offset = 0;
    uint32_t module_index = 0;
  };
  static constexpr uint32_t kNoName = UINT32_MAX;

  KernelFunction FunctionAt(size_t index) const;

  std::vector<Entry> entries_;
  std::string names_;  // NUL-terminated
  std::vector<std::string> modules_ = {""};
  uint64_t function_count_ = 0;
  std::optional<uint64_t> stext_address_;
};

}  // namespace flarestack::elf
