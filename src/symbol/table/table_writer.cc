// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_writer.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/status.h"
#include "symbol/table/table_layout.h"

namespace flarestack::symbol {

TableWriter::TableWriter(const TableLimits& limits) : limits_(limits) { InternText({}); }

void TableWriter::AddId(FileId id) {
  if (!id.text.empty())
    ids_.push_back(std::move(id));
}

uint32_t TableWriter::InternText(std::string_view text) {
  if (const auto found = text_index_.find(text); found != text_index_.end())
    return found->second;
  const std::string_view kept = arena_.Copy(text);
  text_bytes_ += kept.size();
  texts_.push_back(kept);
  const auto index = static_cast<uint32_t>(texts_.size() - 1);
  text_index_.emplace(kept, index);
  return index;
}

uint32_t TableWriter::InternFunction(const Function& function) {
  const auto [found, is_new] =
      function_index_.try_emplace(function, static_cast<uint32_t>(functions_.size()));
  if (is_new)
    functions_.push_back(function);
  return found->second;
}

uint32_t TableWriter::InternScope(const Scope& scope) {
  const auto [found, is_new] =
      scope_index_.try_emplace(scope, static_cast<uint32_t>(scopes_.size()));
  if (is_new)
    scopes_.push_back(scope);
  return found->second;
}

absl::Status TableWriter::Add(const elf::CodeRange& range, Quality quality) {
  if (range.begin >= range.end || range.end - range.begin > kRangeBytesMax ||
      range.frames.empty() || range.frames.size() > kFramesMax) {
    return absl::InvalidArgumentError(base::StrCat("range ", base::Hex(range.begin), " to ",
                                                   base::Hex(range.end), " with ",
                                                   range.frames.size(), " frames"));
  }
  if (++range_count_ > limits_.ranges_max)
    return absl::ResourceExhaustedError(base::StrCat("more than ", limits_.ranges_max, " ranges"));
  uint32_t scope = kNone;
  // Outermost first. The line of a frame is where it called the next inner one.
  for (size_t i = range.frames.size(); i-- > 0;) {
    const elf::SourceFrame& frame = range.frames[i];
    if (frame.function.size() > kTextBytesMax || frame.file.size() > kTextBytesMax)
      return absl::ResourceExhaustedError("a name of more than a megabyte");
    const uint32_t function = InternFunction({.name = InternText(frame.function),
                                              .file = InternText(frame.file),
                                              .start_line = frame.start_line,
                                              .quality = quality});
    Scope inner = {.function = function, .parent = scope};
    if (scope != kNone) {
      inner.line = range.frames[i + 1].line;
      inner.column = range.frames[i + 1].column;
    }
    scope = InternScope(inner);
  }
  if (text_bytes_ > limits_.text_bytes_max)
    return absl::ResourceExhaustedError(
        base::StrCat("more than ", limits_.text_bytes_max, " bytes of names"));
  if (scopes_.size() > limits_.scopes_max)
    return absl::ResourceExhaustedError(
        base::StrCat("more than ", limits_.scopes_max, " functions and inlined calls"));
  const RangePiece piece = {.begin = range.begin,
                            .end = range.end,
                            .scope = scope,
                            .line = range.frames[0].line,
                            .column = range.frames[0].column};
  std::vector<RangePiece>& pieces = pieces_[static_cast<size_t>(quality)];
  pieces.push_back(piece);
  return absl::OkStatus();
}

bool TableWriter::LacksName(uint32_t scope) const {
  return scopes_[scope].parent == kNone && texts_[functions_[scopes_[scope].function].name].empty();
}

uint32_t TableWriter::Renamed(const RangePiece& piece, const RangePiece& other) {
  uint32_t outermost = other.scope;
  while (scopes_[outermost].parent != kNone)
    outermost = scopes_[outermost].parent;
  const Function named = functions_[scopes_[outermost].function];
  const Function function = {.name = named.name,
                             .file = functions_[scopes_[piece.scope].function].file,
                             .start_line = named.start_line,
                             .quality = named.quality};
  return InternScope({.function = InternFunction(function)});
}

int TableWriter::CompareScopes(uint32_t a, uint32_t b) const {
  while (a != b && a != kNone && b != kNone) {
    const Scope& x = scopes_[a];
    const Scope& y = scopes_[b];
    const auto key = [this](const Scope& scope) {
      const Function& function = functions_[scope.function];
      return std::tuple(texts_[function.name], texts_[function.file], function.start_line,
                        scope.line, scope.column);
    };
    const auto of_x = key(x);
    const auto of_y = key(y);
    if (of_x != of_y)
      return of_x < of_y ? -1 : 1;
    a = x.parent;
    b = y.parent;
  }
  return a == b ? 0 : a == kNone ? -1 : 1;
}

// Compares only content: scope numbers depend on the order in which ranges were added.
bool TableWriter::ComesBefore(const RangePiece& a, const RangePiece& b) const {
  const auto key_a = std::tuple(a.begin, b.end, a.line, a.column);
  const auto key_b = std::tuple(b.begin, a.end, b.line, b.column);
  if (key_a != key_b)
    return key_a < key_b;
  return CompareScopes(a.scope, b.scope) < 0;
}

std::vector<RangePiece> TableWriter::Merge() {
  std::vector<RangePiece> all;
  const auto lacks_name = [this](const RangePiece& piece) { return LacksName(piece.scope); };
  const auto named_by = [this](const RangePiece& piece, const RangePiece& other) {
    return Renamed(piece, other);
  };
  for (std::vector<RangePiece>& pieces : pieces_) {
    std::sort(pieces.begin(), pieces.end(),
              [this](const RangePiece& a, const RangePiece& b) { return ComesBefore(a, b); });
    CutOverlaps(&pieces);
    all = Overlay(std::move(all), pieces, {.lacks_name = lacks_name, .named_by = named_by});
    pieces = {};
  }
  std::erase_if(all, [this](const RangePiece& piece) {
    return LacksName(piece.scope) &&
           functions_[scopes_[piece.scope].function].quality != Quality::kEhFrame;
  });
  std::vector<RangePiece> joined;
  joined.reserve(all.size());
  for (const RangePiece& piece : all) {
    // Functions without a name differ only in their begin, so they are not joined.
    if (!joined.empty() && joined.back().end == piece.begin && joined.back().SameCode(piece) &&
        !LacksName(piece.scope) && piece.end - joined.back().begin <= kRangeBytesMax)
      joined.back().end = piece.end;
    else
      joined.push_back(piece);
  }
  return joined;
}

absl::StatusOr<std::string> TableWriter::Finish() {
  std::ranges::sort(ids_);
  const std::vector<RangePiece> pieces = Merge();
  return TableLayout(*this).Write(pieces);
}

}  // namespace flarestack::symbol
