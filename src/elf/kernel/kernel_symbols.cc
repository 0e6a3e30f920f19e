// SPDX-License-Identifier: Apache-2.0
#include "elf/kernel/kernel_symbols.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/status.h"
#include "base/text/text.h"
#include "elf/text_fields.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

// Markers from the linker script. They share the address of a function and would win over its name.
constexpr std::array<std::string_view, 8> kMarks = {
    "_text", "_stext", "_etext", "_sinittext", "_einittext", "__init_begin", "__init_end", "_end"};

struct Line {
  uint64_t address = 0;
  char type = 0;
  std::string_view name;
  std::string_view module;
};

std::optional<Line> ParseSymbol(std::string_view text) {
  Line line;
  const auto address = ParseNumber(TakeWord(&text), 16);
  const std::string_view type = TakeWord(&text);
  line.name = TakeWord(&text);
  line.module = TakeWord(&text);
  // Names are stored with a terminating NUL.
  if (!address.has_value() || type.size() != 1 || line.name.empty() ||
      line.name.find('\0') != std::string_view::npos)
    return std::nullopt;
  if (!line.module.empty()) {
    if (line.module.size() < 3 || line.module.front() != '[' || line.module.back() != ']')
      return std::nullopt;
    line.module = line.module.substr(1, line.module.size() - 2);
  }
  line.address = *address;
  line.type = type[0];
  return line;
}

// Lower is better; nullopt for symbols that are not functions.
std::optional<uint8_t> RankOf(const Line& line) {
  const bool is_mark = std::find(kMarks.begin(), kMarks.end(), line.name) != kMarks.end();
  if (is_mark || line.name.starts_with('$'))
    return std::nullopt;
  switch (line.type) {
    case 'T':
      return uint8_t{0};
    case 'W':
    case 'w':
      return uint8_t{1};
    case 't':
      return uint8_t{2};
    default:
      return std::nullopt;
  }
}

// Absolute symbols have no address in memory; per-CPU ones start from zero.
bool HasPlace(const Line& line) {
  return line.type != 'A' && line.type != 'a' && line.address != 0;
}

constexpr uint8_t kEndRank = UINT8_MAX;

struct Candidate {
  Line line;
  uint8_t rank = kEndRank;
};

bool IsBefore(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& c) {
    return std::tuple(c.line.address, c.rank, c.line.name.size(), c.line.name, c.line.module);
  };
  return key(a) < key(b);
}

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

class KallsymsReader {
 public:
  absl::Status Read(std::string_view text) {
    uint64_t line_count = 0;
    for (uint64_t number = 1; !text.empty(); ++number) {
      const std::string_view whole = TakeLine(&text);
      if (whole.empty())
        continue;
      const std::optional<Line> line = ParseSymbol(whole);
      if (!line.has_value())
        return absl::InvalidArgumentError(StrCat("line ", number, " is not a line of kallsyms"));
      ++line_count;
      if (HasPlace(*line))
        Take(*line);
      if (candidates_.size() > KernelSymbols::kFunctionsMax)
        return absl::ResourceExhaustedError(
            StrCat("more than ", KernelSymbols::kFunctionsMax, " symbols in kallsyms"));
    }
    if (line_count > 0 && candidates_.empty())
      return absl::PermissionDeniedError(
          "the kernel hides its addresses (kernel.kptr_restrict); run with more privileges");
    return absl::OkStatus();
  }

  void EndModules(std::span<const KernelModule> modules) {
    for (const KernelModule& module : modules) {
      if (module.address != 0)
        candidates_.push_back({.line = {.address = module.address + module.size_bytes}});
    }
  }

  absl::StatusOr<KernelSymbols> Finish() {
    std::sort(candidates_.begin(), candidates_.end(), IsBefore);
    KernelSymbols& out = symbols_;
    for (const Candidate& candidate : candidates_) {
      const bool is_end = candidate.rank == kEndRank;
      if (!out.entries_.empty()) {
        const KernelSymbols::Entry& last = out.entries_.back();
        // The best name came first, and one end after a function is enough.
        const bool is_last_end = last.name_offset == KernelSymbols::kNoName;
        if (last.address == candidate.line.address || (is_end && is_last_end))
          continue;
      } else if (is_end) {
        continue;
      }
      KernelSymbols::Entry entry = {.address = candidate.line.address,
                                    .name_offset = KernelSymbols::kNoName};
      if (!is_end) {
        if (out.names_.size() + candidate.line.name.size() >= KernelSymbols::kNoName)
          return absl::ResourceExhaustedError("more than 4 GiB of names in kallsyms");
        entry.name_offset = static_cast<uint32_t>(out.names_.size());
        entry.module_index = ModuleIndex(candidate.line.module);
        out.names_ += candidate.line.name;
        out.names_.push_back('\0');
        ++out.function_count_;
      }
      out.entries_.push_back(entry);
    }
    out.entries_.shrink_to_fit();
    out.names_.shrink_to_fit();
    return std::move(symbols_);
  }

 private:
  void Take(const Line& line) {
    if (line.name == "_stext" && line.module.empty())
      symbols_.stext_address_ = line.address;
    candidates_.push_back({.line = line, .rank = RankOf(line).value_or(kEndRank)});
  }

  uint32_t ModuleIndex(std::string_view module) {
    if (module.empty())
      return 0;
    const auto [found, is_new] =
        module_indices_.try_emplace(module, static_cast<uint32_t>(symbols_.modules_.size()));
    if (is_new)
      symbols_.modules_.emplace_back(module);
    return found->second;
  }

  KernelSymbols symbols_;
  std::vector<Candidate> candidates_;
  absl::flat_hash_map<std::string_view, uint32_t> module_indices_;
};

absl::StatusOr<KernelSymbols> KernelSymbols::Parse(std::string_view text,
                                                   std::span<const KernelModule> modules) {
  KallsymsReader reader;
  FLARE_RETURN_IF_ERROR(reader.Read(text));
  reader.EndModules(modules);
  return reader.Finish();
}

KernelFunction KernelSymbols::FunctionAt(size_t index) const {
  const Entry& entry = entries_[index];
  const uint64_t next = index + 1 < entries_.size() ? entries_[index + 1].address : UINT64_MAX;
  KernelFunction function;
  function.begin = entry.address;
  function.end = entry.address + std::min(next - entry.address, kFunctionBytesMax);
  const std::string_view rest = std::string_view(names_).substr(entry.name_offset);
  function.name = rest.substr(0, rest.find('\0'));
  function.module = modules_[entry.module_index];
  return function;
}

std::optional<KernelFunction> KernelSymbols::Find(uint64_t address) const {
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), address,
                                      [](uint64_t a, const Entry& e) { return a < e.address; });
  if (after == entries_.begin() || std::prev(after)->name_offset == kNoName)
    return std::nullopt;
  const KernelFunction function =
      FunctionAt(static_cast<size_t>(std::prev(after) - entries_.begin()));
  return address < function.end ? std::optional(function) : std::nullopt;
}

std::vector<KernelFunction> KernelSymbols::List() const {
  std::vector<KernelFunction> functions;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name_offset != kNoName)
      functions.push_back(FunctionAt(i));
  }
  return functions;
}

uint64_t KernelSymbols::memory_bytes() const {
  return entries_.capacity() * sizeof(Entry) + names_.capacity();
}

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
