// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/go_table_builder.h"

#include "base/byte_reader.h"
#include "elf/testing/elf_builder.h"

namespace flarestack::elf::testing {
namespace {

constexpr uint32_t kPcDataCount = 3;
constexpr uint32_t kFuncDataCount = 4;
constexpr uint32_t kNone = UINT32_MAX;

// Offsets of the names and pc-values in a table of 1.2; functab precedes them.
constexpr size_t kGo12Names = 1024;
constexpr size_t kGo12PcValues = 4096;

uint32_t MagicOf(GoTableVersion version) {
  switch (version) {
    case GoTableVersion::kGo12:
      return 0xfffffffb;
    case GoTableVersion::kGo116:
      return 0xfffffffa;
    case GoTableVersion::kGo118:
      return 0xfffffff0;
    case GoTableVersion::kGo120:
      return 0xfffffff1;
  }
  return 0;
}

void AppendU32(uint64_t value, std::string* out) {
  Append<uint32_t>(static_cast<uint32_t>(value), out);
}

void Pad(size_t alignment, std::string* out) {
  out->resize((out->size() + alignment - 1) / alignment * alignment);
}

}  // namespace

uint32_t GoTableBuilder::InternName(const std::string& name) {
  const auto offset = static_cast<uint32_t>(names_.size() + (IsGo12() ? kGo12Names : 0));
  names_ += name;
  names_.push_back('\0');
  return offset;
}

// The first file of a table of 1.2 is number 1.
uint32_t GoTableBuilder::FileValue(const std::string& file) {
  if (const auto found = file_values_.find(file); found != file_values_.end())
    return found->second;
  units_.push_back(static_cast<uint32_t>(files_.size()));
  files_ += file;
  files_.push_back('\0');
  const uint32_t first = IsGo12() ? 1 : 0;
  return file_values_[file] = static_cast<uint32_t>(units_.size()) - 1 + first;
}

uint32_t GoTableBuilder::AddPcValues(const std::vector<std::pair<uint32_t, int32_t>>& values) {
  if (values.empty())
    return 0;
  const auto offset = static_cast<uint32_t>(pc_values_.size() + (IsGo12() ? kGo12PcValues : 0));
  int32_t last = -1;
  uint32_t begin = 0;
  for (const auto& [end, value] : values) {
    base::AppendSigned(value - last, &pc_values_);
    base::AppendVarint((end - begin) / quantum_, &pc_values_);
    last = value;
    begin = end;
  }
  pc_values_.push_back('\0');
  return offset;
}

uint32_t GoTableBuilder::AddTree(const std::vector<NewInlinedCall>& tree) {
  if (tree.empty())
    return kNone;
  Pad(8, &func_data_);
  const auto offset = static_cast<uint32_t>(func_data_.size());
  for (const NewInlinedCall& call : tree) {
    func_data_.resize(func_data_.size() + (version_ == GoTableVersion::kGo120 ? 4 : 12));
    Append<uint32_t>(InternName(call.name), &func_data_);
    Append<uint32_t>(call.parent_offset, &func_data_);
    if (version_ == GoTableVersion::kGo120)
      Append<uint32_t>(call.start_line, &func_data_);
  }
  return offset;
}

void GoTableBuilder::AddFunction(const NewGoFunction& function) {
  std::vector<std::pair<uint32_t, int32_t>> files;
  for (const auto& [end, file] : function.files)
    files.emplace_back(end, static_cast<int32_t>(FileValue(file)));
  Placed placed;
  placed.entry = end_;
  placed.name = InternName(function.name);
  placed.start_line = function.start_line;
  placed.flags = function.flags;
  placed.stack_distances = AddPcValues(function.stack_distances);
  placed.files = AddPcValues(files);
  placed.lines = AddPcValues(function.lines);
  placed.inlines = AddPcValues(function.inlines);
  placed.tree = AddTree(function.tree);
  functions_.push_back(placed);
  end_ += function.size;
}

std::string GoTableBuilder::Record(size_t index) const {
  const Placed& placed = functions_[index];
  std::string record;
  if (version_ >= GoTableVersion::kGo118)
    AppendU32(placed.entry, &record);
  else
    Append<uint64_t>(kText + placed.entry, &record);
  for (const uint32_t field :
       {placed.name, 0u, 0u, placed.stack_distances, placed.files, placed.lines, kPcDataCount})
    Append<uint32_t>(field, &record);
  if (version_ >= GoTableVersion::kGo116)
    Append<uint32_t>(0, &record);  // all files belong to one unit
  if (version_ >= GoTableVersion::kGo120)
    Append<uint32_t>(placed.start_line, &record);
  Append<uint32_t>(kFuncDataCount << 24 | uint32_t{placed.flags} << 8, &record);
  for (const uint32_t field : {0u, 0u, placed.inlines})
    Append<uint32_t>(field, &record);
  if (version_ < GoTableVersion::kGo118)
    Pad(8, &record);
  for (uint32_t i = 0; i < kFuncDataCount; ++i) {
    const bool is_tree = i == 3 && placed.tree != kNone;
    if (version_ >= GoTableVersion::kGo118)
      Append<uint32_t>(is_tree ? placed.tree : kNone, &record);
    else
      Append<uint64_t>(is_tree ? kFuncData + placed.tree : 0, &record);
  }
  Pad(8, &record);
  return record;
}

std::string GoTableBuilder::Functab(uint64_t records_offset, std::string* records) const {
  const bool is_relative = version_ >= GoTableVersion::kGo118;
  std::string functab;
  const auto field = [&](uint64_t value) {
    if (is_relative)
      AppendU32(value, &functab);
    else
      Append<uint64_t>(value, &functab);
  };
  for (size_t i = 0; i < functions_.size(); ++i) {
    field((is_relative ? 0 : kText) + functions_[i].entry);
    field(records_offset + records->size());
    *records += Record(i);
  }
  field((is_relative ? 0 : kText) + end_);
  return functab;
}

// All offsets are from the start of the table.
std::string GoTableBuilder::Go12Table() const {
  std::string table;
  Append<uint32_t>(MagicOf(version_), &table);
  Append<uint16_t>(0, &table);
  Append<uint8_t>(quantum_, &table);
  Append<uint8_t>(8, &table);
  Append<uint64_t>(functions_.size(), &table);
  table.resize(kGo12Names);
  table += names_;
  table.resize(kGo12PcValues);
  table += pc_values_;
  Pad(8, &table);
  const size_t texts = table.size();
  table += files_;
  Pad(8, &table);
  const size_t files = table.size();
  AppendU32(units_.size() + 1, &table);
  for (const uint32_t unit : units_)
    AppendU32(texts + unit, &table);
  Pad(8, &table);
  std::string records;
  std::string functab = Functab(table.size(), &records);
  table += records;
  AppendU32(files, &functab);
  table.replace(16, functab.size(), functab);
  return table;
}

std::vector<uint64_t> GoTableBuilder::PartOffsets() const {
  const size_t header = 8 + (version_ >= GoTableVersion::kGo118 ? 8 : 7) * 8;
  std::vector<uint64_t> offsets = {header};
  for (const size_t bytes : {names_.size(), units_.size() * 4, files_.size(), pc_values_.size()})
    offsets.push_back((offsets.back() + bytes + 7) / 8 * 8);
  return offsets;
}

std::string GoTableBuilder::Table() const {
  if (IsGo12())
    return Go12Table();
  const std::vector<uint64_t> offsets = PartOffsets();
  std::string table;
  Append<uint32_t>(MagicOf(version_), &table);
  Append<uint16_t>(0, &table);
  Append<uint8_t>(quantum_, &table);
  Append<uint8_t>(8, &table);
  Append<uint64_t>(functions_.size(), &table);
  Append<uint64_t>(units_.size(), &table);
  if (version_ >= GoTableVersion::kGo118)
    Append<uint64_t>(text_start_, &table);
  for (const uint64_t offset : offsets)
    Append<uint64_t>(offset, &table);
  table += names_;
  Pad(8, &table);
  for (const uint32_t unit : units_)
    Append<uint32_t>(unit, &table);
  Pad(8, &table);
  table += files_;
  Pad(8, &table);
  table += pc_values_;
  Pad(8, &table);
  const uint64_t field = version_ >= GoTableVersion::kGo118 ? 4 : 8;
  const uint64_t records_offset = ((functions_.size() * 2 + 1) * field + 7) / 8 * 8;
  std::string records;
  table += Functab(records_offset, &records);
  Pad(8, &table);
  return table + records;
}

std::string GoTableBuilder::ModuleData() const {
  const std::vector<uint64_t> offsets = PartOffsets();
  std::vector<uint64_t> words(48, 0);
  words[0] = kTable;
  for (size_t part = 0; part < offsets.size(); ++part)
    words[1 + 3 * part] = kTable + offsets[part];
  words[20] = kText;
  words[21] = kText + end_;
  words[22] = kText;
  words[version_ == GoTableVersion::kGo118 ? 38 : 40] = kFuncData;
  std::string bytes;
  for (const uint64_t word : words)
    Append<uint64_t>(word, &bytes);
  return bytes;
}

std::string GoTableBuilder::Program(Place place) const {
  const bool is_named = place == Place::kSections;
  ElfBuilder builder(EM_X86_64, ET_EXEC);
  const auto add = [&](const std::string& name, uint64_t address, uint32_t flags,
                       std::string bytes) {
    const size_t section = builder.AddSection({.name = is_named ? name : ".x" + name.substr(1),
                                               .flags = SHF_ALLOC,
                                               .address = address,
                                               .bytes = std::move(bytes)});
    builder.AddSegmentOver(section, PT_LOAD, flags);
  };
  add(".gopclntab", kTable, PF_R, Table());
  add(".rodata", kFuncData, PF_R, func_data_);
  if (version_ >= GoTableVersion::kGo116)
    add(".go.module", kModule, PF_R | PF_W, std::string(16, '\0') + ModuleData());
  return builder.Build();
}

}  // namespace flarestack::elf::testing
