// SPDX-License-Identifier: Apache-2.0
#include "symbol/table/table_builder.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"
#include "elf/address_map.h"
#include "elf/build_id.h"
#include "elf/debug_files/mini_debug_info.h"
#include "elf/elf_file.h"
#include "elf/frames/eh_frame.h"
#include "elf/go/go_pclntab.h"
#include "elf/htl_hash.h"

namespace flarestack::symbol {
namespace {

bool IsMangled(std::string_view name) { return name.starts_with("_Z") || name.starts_with("_R"); }

// The rarely run part of a function that the compiler moved away still belongs to the function.
std::string_view WithoutColdMark(std::string_view name) {
  return name.substr(0, name.find(".cold"));
}

class Builder {
 public:
  explicit Builder(const BuildLimits& limits) : limits_(limits), writer_(limits.table) {}

  absl::StatusOr<BuiltTable> Build(const TableInput& input);

 private:
  absl::Status OpenFiles(const TableInput& input);
  void AddIds();
  void AddSegments();
  absl::Status AddSymbols(const elf::ElfFile& file, Quality quality);
  absl::Status AddSymbolTables();
  absl::Status AddMiniDebugInfo();
  absl::Status AddGoFunctions();
  absl::Status AddFunctionBounds();
  absl::Status AddDwarf(const TableInput& input);
  absl::Status AddDwarfRange(const elf::CodeRange& range);
  absl::Status Add(const elf::CodeRange& range, Quality quality);
  void Note(std::string text) { built_.notes.push_back(std::move(text)); }
  // Returns an error only for an exceeded limit; notes anything else.
  absl::Status NoteUnlessLimit(std::string_view what, const absl::Status& status);

  const BuildLimits& limits_;
  TableWriter writer_;
  BuiltTable built_;
  std::optional<elf::ElfFile> executable_;
  std::optional<elf::ElfFile> debug_file_;
  std::string mini_debug_info_;
  std::vector<elf::ElfSymbol> symbols_;  // of both files, for names missing from DWARF
  std::vector<elf::SourceFrame> frames_;
};

absl::StatusOr<BuiltTable> Builder::Build(const TableInput& input) {
  FLARE_RETURN_IF_ERROR(OpenFiles(input));
  AddIds();
  AddSegments();
  FLARE_RETURN_IF_ERROR(AddSymbolTables());
  FLARE_RETURN_IF_ERROR(AddMiniDebugInfo());
  FLARE_RETURN_IF_ERROR(AddDwarf(input));
  FLARE_RETURN_IF_ERROR(AddGoFunctions());
  FLARE_RETURN_IF_ERROR(AddFunctionBounds());
  const bool is_empty =
      std::ranges::all_of(built_.range_counts, [](uint64_t count) { return count == 0; });
  if (is_empty) {
    std::string reasons;
    for (const std::string& note : built_.notes)
      base::StrAppend(&reasons, reasons.empty() ? "" : "; ", note);
    return absl::NotFoundError(base::StrCat("no functions found: ", reasons));
  }
  FLARE_ASSIGN(built_.bytes, writer_.Finish());
  return std::move(built_);
}

absl::Status Builder::OpenFiles(const TableInput& input) {
  if (input.executable.empty() && input.debug_file.empty())
    return absl::InvalidArgumentError("neither an executable nor a debug file");
  if (!input.executable.empty()) {
    auto file = elf::ElfFile::Parse(input.executable);
    if (!file.ok())
      return base::WithContext("executable", file.status());
    executable_ = *std::move(file);
  }
  if (!input.debug_file.empty()) {
    auto file = elf::ElfFile::Parse(input.debug_file);
    if (!file.ok())
      return base::WithContext("debug file", file.status());
    debug_file_ = *std::move(file);
  }
  if (executable_.has_value() && debug_file_.has_value()) {
    const std::string one = elf::GnuBuildId(*executable_);
    const std::string other = elf::GnuBuildId(*debug_file_);
    if (!one.empty() && !other.empty() && one != other) {
      return absl::InvalidArgumentError(
          base::StrCat("the debug file is of build ", other, ", and the executable of ", one));
    }
  }
  return absl::OkStatus();
}

void Builder::AddIds() {
  const auto add = [this](IdKind kind, std::string text) {
    if (!text.empty())
      built_.ids.push_back({kind, std::move(text)});
  };
  const elf::ElfFile& file = executable_.has_value() ? *executable_ : *debug_file_;
  writer_.SetMachine(file.machine());
  std::string gnu = elf::GnuBuildId(file);
  if (gnu.empty() && debug_file_.has_value())
    gnu = elf::GnuBuildId(*debug_file_);
  add(IdKind::kGnu, std::move(gnu));
  add(IdKind::kGo, elf::GoBuildId(file));
  // It identifies the bytes of the executable, so a debug file alone cannot provide it.
  if (executable_.has_value())
    add(IdKind::kHtlHash, elf::HtlHash(executable_->bytes()));
  for (const FileId& id : built_.ids)
    writer_.AddId(id);
}

void Builder::AddSegments() {
  if (executable_.has_value())
    return writer_.SetSegments(elf::AddressMap(*executable_).segments());
  std::vector<elf::Segment> segments;
  for (elf::Segment segment : debug_file_->segments()) {
    segment.offset = 0;
    segment.file_bytes = 0;
    if (segment.type == PT_LOAD && segments.size() < elf::AddressMap::kSegmentsMax)
      segments.push_back(segment);
  }
  writer_.SetSegments(std::move(segments));
}

absl::Status Builder::Add(const elf::CodeRange& range, Quality quality) {
  ++built_.range_counts[static_cast<size_t>(quality)];
  return writer_.Add(range, quality);
}

absl::Status Builder::NoteUnlessLimit(std::string_view what, const absl::Status& status) {
  if (status.code() == absl::StatusCode::kResourceExhausted)
    return base::WithContext(what, status);
  Note(base::StrCat(what, ": ", base::Message(status)));
  return absl::OkStatus();
}

absl::Status Builder::AddSymbols(const elf::ElfFile& file, Quality quality) {
  auto symbols = elf::ReadFunctionSymbols(file, limits_.symbols);
  if (!symbols.ok())
    return NoteUnlessLimit(QualityName(quality), symbols.status());
  for (const elf::ElfSymbol& symbol : *symbols) {
    const elf::SourceFrame frame = {.function = symbol.name};
    FLARE_RETURN_IF_ERROR(
        Add({.begin = symbol.begin, .end = symbol.end, .frames = {&frame, 1}}, quality));
  }
  if (!symbols->empty())
    Note(base::StrCat(symbols->size(), " names from ", QualityName(quality)));
  if (symbols_.empty())
    symbols_ = *std::move(symbols);
  return absl::OkStatus();
}

// The debug file comes first, because a stripped program has only its dynamic symbols.
absl::Status Builder::AddSymbolTables() {
  for (const auto* file : {&debug_file_, &executable_}) {
    if (!file->has_value())
      continue;
    const elf::Section* symtab = (*file)->FindSection(".symtab");
    const bool has_symtab = symtab != nullptr && !(*file)->SectionBytes(*symtab).empty();
    FLARE_RETURN_IF_ERROR(AddSymbols(**file, has_symtab ? Quality::kSymtab : Quality::kDynsym));
    if (!has_symtab && file == &executable_)
      Note("no symtab in the executable: stripped");
  }
  return absl::OkStatus();
}

absl::Status Builder::AddMiniDebugInfo() {
  if (!executable_.has_value())
    return absl::OkStatus();
  auto bytes = elf::ReadMiniDebugInfo(*executable_);
  if (absl::IsNotFound(bytes.status()))
    return absl::OkStatus();
  if (!bytes.ok())
    return NoteUnlessLimit("mini debug info", bytes.status());
  mini_debug_info_ = *std::move(bytes);
  const auto file = elf::ElfFile::Parse(mini_debug_info_);
  if (!file.ok())
    return NoteUnlessLimit("mini debug info", file.status());
  return AddSymbols(*file, Quality::kMiniDebugInfo);
}

absl::Status Builder::AddGoFunctions() {
  if (!executable_.has_value())
    return absl::OkStatus();
  uint64_t& count = built_.range_counts[static_cast<size_t>(Quality::kGoPclntab)];
  const absl::Status status = elf::VisitGoFunctions(
      *executable_, limits_.go,
      [this](const elf::CodeRange& range) { return Add(range, Quality::kGoPclntab); });
  if (count > 0)
    Note(base::StrCat(count, " ranges from Go's function table"));
  if (status.ok() || absl::IsNotFound(status))
    return absl::OkStatus();
  return NoteUnlessLimit("Go's function table", status);
}

// Keeps functions without any name distinct.
absl::Status Builder::AddFunctionBounds() {
  if (!executable_.has_value())
    return absl::OkStatus();
  const auto frames = elf::EhFrame::Of(*executable_);
  if (!frames.ok())
    return NoteUnlessLimit("no bounds of functions", frames.status());
  const auto bounds = elf::ReadFunctionBounds(*frames);
  if (!bounds.ok())
    return NoteUnlessLimit("no bounds of functions", bounds.status());
  const elf::SourceFrame nameless;
  for (const elf::AddressRange& function : *bounds) {
    FLARE_RETURN_IF_ERROR(
        Add({.begin = function.begin, .end = function.end, .frames = {&nameless, 1}},
            Quality::kEhFrame));
  }
  return absl::OkStatus();
}

absl::Status Builder::AddDwarf(const TableInput& input) {
  const auto visit = [this](const elf::CodeRange& range) { return AddDwarfRange(range); };
  absl::StatusOr<elf::DwarfStatistics> read = absl::NotFoundError("");
  for (const std::string_view file : {input.debug_file, input.executable}) {
    if (file.empty() || !absl::IsNotFound(read.status()))
      continue;
    read =
        elf::ReadDwarf({.file = file, .supplementary = input.supplementary}, limits_.dwarf, visit);
  }
  if (!read.ok())
    return NoteUnlessLimit("no DWARF", read.status());
  built_.dwarf = *std::move(read);
  Note(base::StrCat(built_.dwarf.function_count, " functions and ", built_.dwarf.inline_count,
                    " inlined calls from DWARF"));
  for (const auto& [reason, count] : built_.dwarf.units_skipped)
    Note(base::StrCat(count, " units of DWARF: ", reason));
  return absl::OkStatus();
}

// g++ omits the linkage name in DWARF for functions that no other file sees ("TestBody" for
// hundreds of tests), but the symbol table has it.
absl::Status Builder::AddDwarfRange(const elf::CodeRange& range) {
  const elf::SourceFrame& outermost = range.frames.back();
  if (IsMangled(outermost.function) || outermost.function.empty())
    return Add(range, Quality::kDwarf);
  const elf::ElfSymbol* symbol = elf::FindSymbol(symbols_, range.begin);
  if (symbol == nullptr || !IsMangled(symbol->name))
    return Add(range, Quality::kDwarf);
  frames_.assign(range.frames.begin(), range.frames.end());
  frames_.back().function = WithoutColdMark(symbol->name);
  return Add({.begin = range.begin, .end = range.end, .frames = frames_}, Quality::kDwarf);
}

}  // namespace

absl::StatusOr<BuiltTable> BuildTable(const TableInput& input, const BuildLimits& limits) {
  return Builder(limits).Build(input);
}

}  // namespace flarestack::symbol
