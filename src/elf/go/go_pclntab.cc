// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_pclntab.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"
#include "elf/go/go_image.h"
#include "elf/go/go_module_data.h"
#include "elf/go/go_pc_values.h"
#include "elf/go/go_pclntab_layout.h"

namespace flarestack::elf {
namespace {

// The calls that were inlined into one function. Each contains the inlined function and an address
// in its caller, from which file, line and the next outer call are looked up.
struct GoInlinedCall {
  uint32_t name_offset = 0;
  uint64_t parent_offset = 0;  // from the entry of the function
  uint32_t start_line = 0;     // 0 before 1.20
};

class GoInlineTree {
 public:
  GoInlineTree() = default;

  // `bytes` begin with the tree. Its end is unknown, so there may be more bytes than it has.
  GoInlineTree(GoTableVersion version, std::string_view bytes) : version_(version), bytes_(bytes) {}

  // Returns nullopt for -1, which is the function itself, and outside the bytes.
  std::optional<GoInlinedCall> Call(int64_t index) const;

 private:
  GoTableVersion version_ = GoTableVersion::kGo12;
  std::string_view bytes_;
};

constexpr uint64_t kCallBytes116 = 20;  // parent, kind, file, line, name, parent address
constexpr uint64_t kCallBytes120 = 16;  // kind, name, parent address, start line

std::optional<GoInlinedCall> GoInlineTree::Call(int64_t index) const {
  if (index < 0 || version_ == GoTableVersion::kGo12)
    return std::nullopt;
  const bool has_start_line = version_ == GoTableVersion::kGo120;
  const uint64_t call_bytes = has_start_line ? kCallBytes120 : kCallBytes116;
  ByteCursor in(bytes_, static_cast<uint64_t>(index) * call_bytes);
  in.Take(has_start_line ? 4 : 12);
  GoInlinedCall call;
  call.name_offset = in.U32();
  call.parent_offset = in.U32();
  if (has_start_line)
    call.start_line = in.U32();
  return in.ok() ? std::optional(call) : std::nullopt;
}

constexpr uint32_t kNoFuncData = UINT32_MAX;
constexpr uint64_t kTextBytesPerStep = 64;

uint32_t AsLine(int64_t value) { return value > 0 ? static_cast<uint32_t>(value) : 0; }

class TableVisit {
 public:
  TableVisit(const GoTable& table, const GoTableSurroundings& around, const GoLimits& limits,
             CodeRangeVisitor visit)
      : table_(table), around_(around), limits_(limits), visit_(visit) {}

  absl::Status Run() {
    FLARE_ASSIGN(uint64_t begin, EntryOf(0));
    for (uint64_t index = 0; index < table_.function_count; ++index) {
      FLARE_ASSIGN(const uint64_t end, EntryOf(index + 1));
      if (end < begin)
        return absl::InvalidArgumentError(
            base::StrCat("Go table: function ", index, " ends before it begins"));
      if (end > begin)
        FLARE_RETURN_IF_ERROR(Function(index, begin, end));
      begin = end;
    }
    return absl::OkStatus();
  }

 private:
  uint64_t FieldBytes() const { return table_.has_relative_entries() ? 4 : 8; }

  // The last entry, at index function_count, is the end of the last function.
  absl::StatusOr<uint64_t> EntryOf(uint64_t index) const {
    const uint64_t offset = table_.functab_offset + index * 2 * FieldBytes();
    if (!table_.has_relative_entries()) {
      const std::optional<uint64_t> entry = around_.pointer_at(offset);
      if (!entry)
        return absl::InvalidArgumentError(base::StrCat("Go table: no entry ", index));
      return *entry;
    }
    ByteCursor in(table_.bytes, offset);
    const uint64_t entry = in.U32();
    if (!in.ok() || around_.text_start > UINT64_MAX - entry)
      return absl::InvalidArgumentError(base::StrCat("Go table: no entry ", index));
    return around_.text_start + entry;
  }

  absl::Status Function(uint64_t index, uint64_t begin, uint64_t end) {
    ByteCursor in(table_.bytes, table_.functab_offset + (index * 2 + 1) * FieldBytes());
    const uint64_t offset = table_.has_relative_entries() ? in.U32() : in.U64();
    FLARE_ASSIGN(function_, ReadGoFunction(table_, offset));
    name_ = GoName(table_, function_.name_offset);
    const uint64_t size = end - begin;
    FLARE_RETURN_IF_ERROR(ReadValues(function_.file_values, size, &files_));
    FLARE_RETURN_IF_ERROR(ReadValues(function_.line_values, size, &lines_));
    FLARE_RETURN_IF_ERROR(ReadValues(function_.inline_values, size, &inlines_));
    tree_ = GoInlineTree();
    if (function_.inline_tree_slot && !inlines_.entries().empty())
      tree_ = GoInlineTree(table_.version, around_.inline_tree_at(*function_.inline_tree_slot));
    return Ranges(begin, size);
  }

  absl::Status ReadValues(uint32_t offset, uint64_t size, GoPcValues* values) {
    const uint64_t left = limits_.steps_max - std::min(steps_, limits_.steps_max);
    if (!values->Read(table_, offset, size, std::min(left, limits_.pc_values_max)))
      return absl::ResourceExhaustedError(
          base::StrCat("Go table: too many values for the addresses of ", name_));
    steps_ += values->entries().size();
    return absl::OkStatus();
  }

  // Splits the function wherever one of the three values changes.
  absl::Status Ranges(uint64_t begin, uint64_t size) {
    cuts_.clear();
    for (const GoPcValues* values : {&files_, &lines_, &inlines_}) {
      for (const GoPcValue& entry : values->entries())
        cuts_.push_back(entry.end);
    }
    cuts_.push_back(size);
    std::sort(cuts_.begin(), cuts_.end());
    uint64_t from = 0;
    for (const uint64_t cut : cuts_) {
      if (cut <= from)
        continue;
      FLARE_RETURN_IF_ERROR(FramesAt(from));
      FLARE_RETURN_IF_ERROR(visit_({.begin = begin + from, .end = begin + cut, .frames = frames_}));
      from = cut;
    }
    return absl::OkStatus();
  }

  // Innermost first, out to the function itself.
  absl::Status FramesAt(uint64_t offset) {
    frames_.clear();
    while (true) {
      const std::optional<GoInlinedCall> call = tree_.Call(inlines_.At(offset));
      SourceFrame frame;
      frame.function = call ? GoName(table_, call->name_offset) : name_;
      frame.file = GoFile(table_, function_.unit_offset, files_.At(offset));
      frame.line = AsLine(lines_.At(offset));
      frame.start_line = call ? call->start_line : function_.start_line;
      steps_ += 1 + (frame.function.size() + frame.file.size()) / kTextBytesPerStep;
      if (steps_ > limits_.steps_max)
        return absl::ResourceExhaustedError(
            base::StrCat("Go table: more than ", limits_.steps_max, " steps"));
      frames_.push_back(frame);
      if (!call)
        return absl::OkStatus();
      if (frames_.size() > limits_.inline_depth_max)
        return absl::ResourceExhaustedError(base::StrCat(
            "Go table: inlined more than ", limits_.inline_depth_max, " deep in ", name_));
      offset = call->parent_offset;
    }
  }

  const GoTable& table_;
  const GoTableSurroundings& around_;
  const GoLimits& limits_;
  CodeRangeVisitor visit_;
  uint64_t steps_ = 0;

  // State of the current function.
  GoFunction function_;
  std::string_view name_;
  GoPcValues files_;
  GoPcValues lines_;
  GoPcValues inlines_;
  GoInlineTree tree_;
  std::vector<uint64_t> cuts_;
  std::vector<SourceFrame> frames_;
};

// The slot contains an offset from moduledata.gofunc (1.18 on), or a pointer (before).
std::string_view InlineTreeAt(const GoImage& image, const GoTablePlace& place, const GoTable& table,
                              const std::optional<GoModuleData>& module, uint64_t slot) {
  if (!table.has_relative_entries()) {
    const std::optional<uint64_t> pointer = image.PointerAt(place.address + slot);
    return pointer && *pointer != 0 ? image.BytesAt(*pointer) : std::string_view();
  }
  ByteCursor in(table.bytes, slot);
  const uint32_t offset = in.U32();
  if (!in.ok() || offset == kNoFuncData || !module || !module->func_data)
    return {};
  return image.BytesAt(*module->func_data + offset);
}

}  // namespace

absl::Status VisitGoTable(const GoTable& table, const GoTableSurroundings& around,
                          const GoLimits& limits, CodeRangeVisitor visit) {
  return TableVisit(table, around, limits, visit).Run();
}

absl::Status VisitGoFunctions(const ElfFile& file, const GoLimits& limits, CodeRangeVisitor visit) {
  FLARE_ASSIGN(const GoImage image, GoImage::Open(file, limits));
  FLARE_ASSIGN(const GoTablePlace place, FindGoTable(image, limits));
  FLARE_ASSIGN(const GoTable table, ReadGoTable(place.bytes, limits));
  const std::optional<GoModuleData> module = FindGoModuleData(image, place, table, limits);
  uint64_t text_start = 0;
  if (module) {
    text_start = module->text_start;
  } else if (table.has_relative_entries()) {
    text_start = image.PointerAt(place.address + kGoTextStartOffset).value_or(0);
    if (text_start == 0)
      return absl::InvalidArgumentError("Go table: the start of the code is unknown");
  }
  return VisitGoTable(
      table,
      {.text_start = text_start,
       .pointer_at = [&](uint64_t offset) { return image.PointerAt(place.address + offset); },
       .inline_tree_at =
           [&](uint64_t slot) { return InlineTreeAt(image, place, table, module, slot); }},
      limits, visit);
}

}  // namespace flarestack::elf
