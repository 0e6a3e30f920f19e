// SPDX-License-Identifier: Apache-2.0
#include "elf/symbol_ranges.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace flarestack::elf {
namespace {

// Returns the part of the code that contains the address, or null.
const AddressRange* FindPart(const std::vector<AddressRange>& code, uint64_t address) {
  auto after = std::upper_bound(code.begin(), code.end(), address,
                                [](uint64_t a, const AddressRange& r) { return a < r.begin; });
  if (after == code.begin())
    return nullptr;
  const AddressRange& part = *std::prev(after);
  return address < part.end ? &part : nullptr;
}

// Orders the better of two names for the same code first.
bool IsBetterName(const RawSymbol& a, const RawSymbol& b) {
  const auto key = [](const RawSymbol& s) { return std::tuple(s.rank, s.name.size(), s.name); };
  return key(a) < key(b);
}

// Orders by address; at one address the outermost first, and for the same code the best name first.
bool IsBefore(const RawSymbol& a, const RawSymbol& b) {
  if (a.begin != b.begin)
    return a.begin < b.begin;
  if (a.size_bytes != b.size_bytes)
    return a.size_bytes > b.size_bytes;
  return IsBetterName(a, b);
}

// Gives a symbol without a size the size of the largest at its address, and truncates sizes at the
// end of the code part. Drops symbols outside the code.
void BoundSizes(const std::vector<AddressRange>& code, std::vector<RawSymbol>* symbols) {
  std::erase_if(*symbols, [&code](RawSymbol& symbol) {
    const AddressRange* part = FindPart(code, symbol.begin);
    if (part != nullptr)
      symbol.size_bytes = std::min(symbol.size_bytes, part->end - symbol.begin);
    return part == nullptr;
  });
  std::sort(symbols->begin(), symbols->end(), IsBefore);
  uint64_t begin = 0;
  uint64_t largest = 0;
  for (RawSymbol& symbol : *symbols) {
    if (symbol.size_bytes == 0 && symbol.begin == begin)
      symbol.size_bytes = largest;
    else if (symbol.begin != begin)  // the first at its address is the largest
      largest = symbol.size_bytes;
    begin = symbol.begin;
  }
}

void KeepBestNames(std::vector<RawSymbol>* symbols) {
  std::sort(symbols->begin(), symbols->end(), IsBefore);
  const auto is_same_code = [](const RawSymbol& a, const RawSymbol& b) {
    return a.begin == b.begin && a.size_bytes == b.size_bytes;
  };
  symbols->erase(std::unique(symbols->begin(), symbols->end(), is_same_code), symbols->end());
}

// Walks the addresses with a stack of open functions; the last opened is the innermost.
class Flattener {
 public:
  explicit Flattener(std::vector<ElfSymbol>* out) : out_(out) {}

  // Call in the order of IsBefore. `end_max` is the latest end of a symbol without a size.
  void Open(const RawSymbol& symbol, uint64_t end_max) {
    CloseUntil(symbol.begin);
    uint64_t end = symbol.begin + symbol.size_bytes;
    if (symbol.size_bytes == 0)
      end = open_.empty() ? end_max : std::min(end_max, open_.back().end);
    Emit(symbol.begin);
    open_.push_back({.begin = symbol.begin, .end = end, .name = symbol.name});
  }

  void CloseAll() { CloseUntil(UINT64_MAX); }

 private:
  void CloseUntil(uint64_t address) {
    while (!open_.empty() && open_.back().end <= address) {
      Emit(open_.back().end);
      open_.pop_back();
    }
  }

  // Assigns the bytes between the cursor and `end` to the innermost open function.
  void Emit(uint64_t end) {
    if (!open_.empty() && cursor_ < end)
      out_->push_back({.begin = cursor_, .end = end, .name = open_.back().name});
    cursor_ = std::max(cursor_, end);
  }

  std::vector<ElfSymbol>* out_;
  std::vector<ElfSymbol> open_;
  uint64_t cursor_ = 0;
};

std::vector<ElfSymbol> Flatten(const std::vector<RawSymbol>& symbols,
                               const std::vector<AddressRange>& code) {
  std::vector<ElfSymbol> flat;
  Flattener flattener(&flat);
  for (size_t i = 0; i < symbols.size(); ++i) {
    uint64_t end_max = FindPart(code, symbols[i].begin)->end;
    if (i + 1 < symbols.size())
      end_max = std::min(end_max, symbols[i + 1].begin);
    flattener.Open(symbols[i], end_max);
  }
  flattener.CloseAll();
  return flat;
}

// Returns the labels outside functions, each up to the next label, function or end of its part.
std::vector<ElfSymbol> FillGaps(const std::vector<RawSymbol>& labels,
                                const std::vector<ElfSymbol>& functions,
                                const std::vector<AddressRange>& code) {
  std::vector<ElfSymbol> filled;
  for (size_t i = 0; i < labels.size(); ++i) {
    const RawSymbol& label = labels[i];
    if (i > 0 && labels[i - 1].begin == label.begin)
      continue;  // the same address again, with a smaller size
    if (FindSymbol(functions, label.begin) != nullptr)
      continue;
    uint64_t end = FindPart(code, label.begin)->end;
    if (label.size_bytes > 0)
      end = label.begin + label.size_bytes;
    const auto next_label =
        std::upper_bound(labels.begin(), labels.end(), label.begin,
                         [](uint64_t a, const RawSymbol& s) { return a < s.begin; });
    if (next_label != labels.end())
      end = std::min(end, next_label->begin);
    const auto next_function =
        std::upper_bound(functions.begin(), functions.end(), label.begin,
                         [](uint64_t a, const ElfSymbol& s) { return a < s.begin; });
    if (next_function != functions.end())
      end = std::min(end, next_function->begin);
    filled.push_back({.begin = label.begin, .end = end, .name = label.name});
  }
  return filled;
}

}  // namespace

void JoinOverlapping(std::vector<AddressRange>* ranges) {
  std::sort(ranges->begin(), ranges->end(), [](const AddressRange& a, const AddressRange& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::vector<AddressRange> joined;
  for (const AddressRange& range : *ranges) {
    if (!joined.empty() && range.begin < joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  }
  *ranges = std::move(joined);
}

std::vector<ElfSymbol> MakeSymbolRanges(std::vector<RawSymbol> symbols,
                                        const std::vector<AddressRange>& code) {
  const auto first_label = std::stable_partition(symbols.begin(), symbols.end(),
                                                 [](const RawSymbol& s) { return !s.is_label; });
  std::vector<RawSymbol> labels(first_label, symbols.end());
  symbols.erase(first_label, symbols.end());
  for (std::vector<RawSymbol>* list : {&symbols, &labels}) {
    BoundSizes(code, list);
    KeepBestNames(list);
  }
  std::vector<ElfSymbol> ranges = Flatten(symbols, code);
  const std::vector<ElfSymbol> filled = FillGaps(labels, ranges, code);
  const auto middle = static_cast<std::ptrdiff_t>(ranges.size());
  ranges.insert(ranges.end(), filled.begin(), filled.end());
  std::inplace_merge(ranges.begin(), ranges.begin() + middle, ranges.end(),
                     [](const ElfSymbol& a, const ElfSymbol& b) { return a.begin < b.begin; });
  return ranges;
}

}  // namespace flarestack::elf
