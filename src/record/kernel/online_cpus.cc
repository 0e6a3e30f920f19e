// SPDX-License-Identifier: Apache-2.0
#include "record/kernel/online_cpus.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>

#include "base/file/file.h"
#include "base/text/text.h"
#include "elf/text_fields.h"

namespace flarestack::record::agent {
namespace {

constexpr uint64_t kCpuNumberMax = 65535;

std::optional<int> ParseCpu(std::string_view text) {
  const std::optional<uint64_t> number = elf::ParseNumber(text, 10);
  if (!number.has_value() || *number > kCpuNumberMax)
    return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

std::vector<int> OnlineCpus() {
  if (const auto text = base::ReadFile("/sys/devices/system/cpu/online", /*bytes_max=*/1 << 16);
      text.ok()) {
    if (auto cpus = ParseCpuList(*text); cpus.ok())
      return *std::move(cpus);
  }
  std::vector<int> all(static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF))));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

absl::StatusOr<std::vector<int>> ParseCpuList(std::string_view text) {
  std::vector<int> cpus;
  std::string_view rest = elf::TakeLine(&text);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view range = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    const size_t dash = range.find('-');
    const std::optional<int> first = ParseCpu(range.substr(0, dash));
    const std::optional<int> last =
        dash == std::string_view::npos ? first : ParseCpu(range.substr(dash + 1));
    if (!first.has_value() || !last.has_value() || *first > *last ||
        (!cpus.empty() && *first <= cpus.back())) {
      return absl::InvalidArgumentError(base::StrCat("\"", range, "\" is not a range of CPUs"));
    }
    for (int cpu = *first; cpu <= *last; ++cpu)
      cpus.push_back(cpu);
  }
  if (cpus.empty())
    return absl::InvalidArgumentError("the list of CPUs is empty");
  return cpus;
}

}  // namespace flarestack::record::agent
