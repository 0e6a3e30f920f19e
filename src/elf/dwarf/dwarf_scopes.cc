// SPDX-License-Identifier: Apache-2.0
#include "elf/dwarf/dwarf_scopes.h"

#include <algorithm>
#include <tuple>

#include "base/status.h"

namespace flarestack::elf {

void KeepInnermost(std::vector<ScopeInterval>* intervals, std::vector<ScopeInterval>* scratch) {
  std::ranges::sort(*intervals, [](const ScopeInterval& a, const ScopeInterval& b) {
    return std::tuple(a.begin, b.end, a.scope) < std::tuple(b.begin, a.end, b.scope);
  });
  scratch->clear();
  std::vector<ScopeInterval> open;  // innermost last
  uint64_t done = 0;                // everything below this address is written
  const auto write_up_to = [&](uint64_t end, uint32_t scope) {
    if (done < end)
      scratch->push_back({done, end, scope});
    done = std::max(done, end);
  };
  for (const ScopeInterval& interval : *intervals) {
    if (interval.begin >= interval.end)
      continue;
    while (!open.empty() && open.back().end <= interval.begin) {
      write_up_to(open.back().end, open.back().scope);
      open.pop_back();
    }
    if (!open.empty())
      write_up_to(interval.begin, open.back().scope);
    done = std::max(done, interval.begin);
    open.push_back(interval);
  }
  for (; !open.empty(); open.pop_back())
    write_up_to(open.back().end, open.back().scope);
  intervals->swap(*scratch);
}

namespace {

// Looks up rows of a line table for ascending addresses.
class RowWalk {
 public:
  explicit RowWalk(const std::vector<LineRow>& rows) : rows_(rows) {}

  // Returns null if no row covers the address.
  const LineRow* At(uint64_t address) {
    while (next_ < rows_.size() && rows_[next_].address <= address)
      ++next_;
    if (next_ == 0 || rows_[next_ - 1].end)
      return nullptr;
    return &rows_[next_ - 1];
  }

  // The address up to which the last result of At() applies.
  uint64_t End() const {
    return next_ < rows_.size() ? rows_[next_].address : std::numeric_limits<uint64_t>::max();
  }

 private:
  const std::vector<LineRow>& rows_;
  size_t next_ = 0;
};

void SetLine(const LineRow* row, LineTable* lines, SourceFrame* frame) {
  frame->file = row == nullptr ? std::string_view{} : lines->File(row->file);
  frame->line = row == nullptr ? 0 : row->line;
  frame->column = row == nullptr ? 0 : row->column;
}

}  // namespace

absl::Status RangeBuilder::Build(const std::vector<Scope>& scopes,
                                 const std::vector<ScopeInterval>& innermost, LineTable* lines,
                                 CodeRangeVisitor visit) {
  scope_of_frames_ = kNoScope;
  RowWalk rows(lines->rows());
  for (const ScopeInterval& interval : innermost) {
    SetScope(scopes, interval.scope, lines);
    for (uint64_t begin = interval.begin; begin < interval.end;) {
      const LineRow* row = rows.At(begin);
      const uint64_t end = std::min(interval.end, rows.End());
      SetLine(row, lines, &frames_[0]);
      FLARE_RETURN_IF_ERROR(Add(begin, end, visit));
      begin = end;
    }
  }
  return Flush(visit);
}

absl::Status RangeBuilder::BuildLinesAlone(LineTable* lines, CodeRangeVisitor visit) {
  frames_.assign(1, {});
  const std::vector<LineRow>& rows = lines->rows();
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i].end || rows[i].address == rows[i + 1].address)
      continue;
    SetLine(&rows[i], lines, &frames_[0]);
    FLARE_RETURN_IF_ERROR(Add(rows[i].address, rows[i + 1].address, visit));
  }
  return Flush(visit);
}

// Everything except the line of the innermost frame depends only on the scope.
void RangeBuilder::SetScope(const std::vector<Scope>& scopes, uint32_t scope, LineTable* lines) {
  if (scope == scope_of_frames_)
    return;
  scope_of_frames_ = scope;
  frames_.clear();
  const Scope* inlined = nullptr;
  for (; scope != kNoScope; scope = inlined->parent) {
    const Scope& at = scopes[scope];
    SourceFrame frame = {.function = at.function, .start_line = at.start_line};
    if (inlined != nullptr) {
      frame.file = lines->File(inlined->call_file);
      frame.line = inlined->call_line;
      frame.column = inlined->call_column;
    }
    frames_.push_back(frame);
    inlined = &at;
  }
}

absl::Status RangeBuilder::Add(uint64_t begin, uint64_t end, CodeRangeVisitor visit) {
  if (begin_ < end_ && end_ == begin && pending_ == frames_) {
    end_ = end;
    return absl::OkStatus();
  }
  FLARE_RETURN_IF_ERROR(Flush(visit));
  begin_ = begin;
  end_ = end;
  pending_ = frames_;
  return absl::OkStatus();
}

absl::Status RangeBuilder::Flush(CodeRangeVisitor visit) {
  if (begin_ >= end_)
    return absl::OkStatus();
  const CodeRange range = {.begin = begin_, .end = end_, .frames = pending_};
  begin_ = end_ = 0;
  ++range_count_;
  return visit(range);
}

}  // namespace flarestack::elf
