// SPDX-License-Identifier: Apache-2.0
#include "elf/kernel/kernel_modules.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "base/text/text.h"
#include "elf/text_fields.h"

namespace flarestack::elf {
namespace {

// "nf_tables 303104 4 nft_compat,nft_chain_nat, Live 0xffffffffc0a00000 (E)"
std::optional<KernelModule> ParseModule(std::string_view line) {
  const std::string_view name = TakeWord(&line);
  const auto size_bytes = ParseNumber(TakeWord(&line), 10);
  TakeWord(&line);  // use count
  TakeWord(&line);  // users
  TakeWord(&line);  // state
  const auto address = ParseNumber(TakeWord(&line), 16);
  if (name.empty() || !size_bytes.has_value() || !address.has_value())
    return std::nullopt;
  uint64_t end = 0;
  if (__builtin_add_overflow(*address, *size_bytes, &end))
    return std::nullopt;
  return KernelModule{.name = std::string(name), .address = *address, .size_bytes = *size_bytes};
}

}  // namespace

absl::StatusOr<std::vector<KernelModule>> ParseKernelModules(std::string_view text,
                                                             size_t modules_max) {
  std::vector<KernelModule> modules;
  for (uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = TakeLine(&text);
    if (line.empty())
      continue;
    std::optional<KernelModule> module = ParseModule(line);
    if (!module.has_value())
      return absl::InvalidArgumentError(base::StrCat("line ", number, " is not a kernel module"));
    if (modules.size() == modules_max)
      return absl::ResourceExhaustedError(base::StrCat("more than ", modules_max, " modules"));
    modules.push_back(*std::move(module));
  }
  const bool is_hidden =
      !modules.empty() && std::all_of(modules.begin(), modules.end(),
                                      [](const KernelModule& m) { return m.address == 0; });
  if (is_hidden)
    return absl::PermissionDeniedError("the kernel hides the addresses of its modules");
  std::sort(modules.begin(), modules.end(), [](const KernelModule& a, const KernelModule& b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  return modules;
}

}  // namespace flarestack::elf
