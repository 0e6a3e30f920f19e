// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/symbol_table.h"

#include <algorithm>
#include <limits>

#include "base/hash.h"
#include "base/status.h"

namespace flarestack::symbol {
namespace {

uint32_t Clamped(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

void CodeAt::Clear() {
  begin_ = end_ = block_end_ = 0;
  is_gap_ = true;
  frames_.clear();
  scope_of_frames_ = UINT64_MAX;
}

bool SymbolTable::Find(uint64_t address, CodeAt* code) const {
  if (address < begin_ || address >= end_ || !WalkTo(address, code)) {
    code->Clear();
    return false;
  }
  SetFrames(code);
  return !code->frames_.empty();
}

void SymbolTable::FindAll(std::span<const uint64_t> addresses, Visitor visit) const {
  CodeAt code;
  for (size_t i = 0; i < addresses.size(); ++i) {
    Find(addresses[i], &code);
    visit(i, code);
  }
}

void SymbolTable::VisitAll(absl::FunctionRef<void(const CodeAt&)> visit) const {
  CodeAt code;
  for (size_t block = 0; block < blocks_.size(); ++block) {
    if (!EnterBlock(block, &code))
      continue;
    while (NextRange(&code)) {
      SetFrames(&code);
      if (!code.frames_.empty() && code.begin_ < code.end_)
        visit(code);
    }
  }
}

// Positions `code` before the first range of a block.
bool SymbolTable::EnterBlock(size_t block, CodeAt* code) const {
  const std::string_view ranges = Section(SectionKind::kRanges);
  const uint64_t offset = blocks_.At(block, kBlockOffset);
  if (offset > ranges.size())
    return false;
  code->begin_ = code->end_ = blocks_.At(block, kBlockAddress);
  code->block_end_ = block + 1 < blocks_.size() ? blocks_.At(block + 1, kBlockAddress) : end_;
  code->rest_ = base::ByteReader(ranges.substr(static_cast<size_t>(offset)));
  code->ranges_left_ = kRangesPerBlock;
  code->scope_ = code->line_ = code->column_ = 0;
  code->is_gap_ = true;
  return true;
}

// Returns false at the end of the block.
bool SymbolTable::NextRange(CodeAt* code) const {
  if (code->ranges_left_ == 0 || code->end_ >= code->block_end_ || code->rest_.rest().empty())
    return false;
  --code->ranges_left_;
  base::ByteReader& in = code->rest_;
  const uint64_t first = in.Varint();
  code->begin_ = code->end_;
  const uint64_t length = first >> 2;
  code->end_ = length > code->block_end_ - code->begin_ ? code->block_end_ : code->begin_ + length;
  const uint64_t form = first & 3;
  code->is_gap_ = form != kSameScope && form != kOtherScope;
  if (!code->is_gap_) {
    if (form == kOtherScope)
      code->scope_ = base::AddDifference(code->scope_, in.Signed());
    const uint64_t line = in.Varint();
    code->line_ = base::AddDifference(code->line_, base::UnZigZag(line >> 1));
    if ((line & 1) != 0)
      code->column_ = in.Varint();
  }
  return in.ok();
}

bool SymbolTable::WalkTo(uint64_t address, CodeAt* code) const {
  const bool is_ahead = address >= code->begin_ && address < code->block_end_;
  if (!is_ahead) {
    size_t low = 0;
    size_t high = blocks_.size();
    while (low < high) {  // find the first block after the address
      const size_t middle = low + (high - low) / 2;
      if (blocks_.At(middle, kBlockAddress) <= address)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == 0 || !EnterBlock(low - 1, code))
      return false;
  }
  while (address >= code->end_) {
    if (!NextRange(code))
      return false;
  }
  return true;
}

// Follows the parents of a scope. Each parent precedes its child, so this terminates.
void SymbolTable::SetFrames(CodeAt* code) const {
  if (code->is_gap_ || code->scope_ >= scopes_.size()) {
    code->frames_.clear();
    code->scope_of_frames_ = UINT64_MAX;
    return;
  }
  if (code->scope_ != code->scope_of_frames_)
    NameFrames(code);
  if (!code->frames_.empty()) {
    code->frames_[0].line = Clamped(code->line_);
    code->frames_[0].column = Clamped(code->column_);
  }
}

void SymbolTable::NameFrames(CodeAt* code) const {
  code->scope_of_frames_ = code->scope_;
  code->frames_.clear();
  elf::SourceFrame frame;
  size_t function = 0;
  for (auto scope = static_cast<size_t>(code->scope_);;) {
    function = static_cast<size_t>(scopes_.At(scope, kScopeFunction));
    frame.function = TextAt(functions_.At(function, kFunctionName));
    frame.file = TextAt(functions_.At(function, kFunctionFile));
    frame.start_line = Clamped(functions_.At(function, kFunctionLine));
    code->frames_.push_back(frame);
    // 0 for none, else its index plus one.
    const uint64_t parent = scopes_.At(scope, kScopeParent);
    if (parent == 0 || parent > scope || code->frames_.size() == kFramesMax)
      break;
    frame.line = Clamped(scopes_.At(scope, kScopeLine));
    frame.column = Clamped(scopes_.At(scope, kScopeColumn));
    scope = static_cast<size_t>(parent) - 1;
  }
  const uint64_t quality = functions_.At(function, kFunctionQuality);
  code->quality_ = static_cast<Quality>(std::min<uint64_t>(quality, kQualityCount - 1));
}

// A text is a length and that many bytes.
std::string_view SymbolTable::TextAt(uint64_t offset) const {
  const std::string_view texts = Section(SectionKind::kTexts);
  if (offset >= texts.size())
    return {};
  return base::ByteReader(texts.substr(static_cast<size_t>(offset))).Bytes();
}

std::optional<Quality> SymbolTable::BestQuality() const {
  uint64_t best = kQualityCount;
  for (size_t i = 0; i < functions_.size() && best > 0; ++i)
    best = std::min(best, functions_.At(i, kFunctionQuality));
  return best < kQualityCount ? std::optional(static_cast<Quality>(best)) : std::nullopt;
}

}  // namespace flarestack::symbol
