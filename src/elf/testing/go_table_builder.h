// SPDX-License-Identifier: Apache-2.0
//
// Builds tables of Go functions in each layout, and small programs around them, so that every
// layout is tested even without Go installed.
//
//   GoTableBuilder builder(GoTableVersion::kGo120);
//   builder.AddFunction({.name = "main.main", .size = 16, .lines = {{16, 7}},
//                        .files = {{16, "a.go"}}});
//   const std::string table = builder.Table();
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "elf/go/go_pclntab_layout.h"

namespace flarestack::elf::testing {

struct NewInlinedCall {
  std::string name;
  uint32_t parent_offset = 0;
  uint32_t start_line = 0;
};

// Each pair is the offset where a value ends, and the value.
struct NewGoFunction {
  std::string name;
  uint32_t size = 0;
  uint32_t start_line = 0;
  std::vector<std::pair<uint32_t, int32_t>> lines;
  std::vector<std::pair<uint32_t, std::string>> files;
  std::vector<std::pair<uint32_t, int32_t>> inlines;  // indices into `tree`
  std::vector<NewInlinedCall> tree;
  std::vector<std::pair<uint32_t, int32_t>> stack_distances;
  uint8_t flags = 0;
};

class GoTableBuilder {
 public:
  // Addresses of the parts of the program.
  static constexpr uint64_t kText = 0x401000;
  static constexpr uint64_t kTable = 0x500000;
  static constexpr uint64_t kFuncData = 0x600000;
  static constexpr uint64_t kModule = 0x700000;

  explicit GoTableBuilder(GoTableVersion version, uint8_t quantum = 1)
      : version_(version), quantum_(quantum) {}

  void AddFunction(const NewGoFunction& function);

  // textStart in the header; 0 as in Go 1.26.
  void set_text_start(uint64_t text_start) { text_start_ = text_start; }

  std::string Table() const;
  std::string FuncData() const { return func_data_; }
  // In the layout of versions from 1.16 on.
  std::string ModuleData() const;

  enum class Place { kSections, kSegmentsOnly };
  // Returns a program with the table, its func data and its module data.
  std::string Program(Place place) const;

 private:
  bool IsGo12() const { return version_ == GoTableVersion::kGo12; }
  uint32_t InternName(const std::string& name);
  uint32_t FileValue(const std::string& file);
  uint32_t AddPcValues(const std::vector<std::pair<uint32_t, int32_t>>& values);
  uint32_t AddTree(const std::vector<NewInlinedCall>& tree);
  std::string Record(size_t index) const;
  // Returns only functab; appends the records that it points at to `records`.
  std::string Functab(uint64_t records_offset, std::string* records) const;
  std::string Go12Table() const;
  std::vector<uint64_t> PartOffsets() const;

  struct Placed {
    uint64_t entry = 0;  // relative to kText
    uint32_t name = 0;
    uint32_t stack_distances = 0;
    uint32_t files = 0;
    uint32_t lines = 0;
    uint32_t inlines = 0;
    uint32_t tree = UINT32_MAX;
    uint32_t start_line = 0;
    uint8_t flags = 0;
  };

  GoTableVersion version_;
  uint8_t quantum_;
  uint64_t text_start_ = kText;
  uint64_t end_ = 0;  // of the code, relative to kText
  std::vector<Placed> functions_;
  std::string names_ = std::string(1, '\0');
  std::string files_;
  std::vector<uint32_t> units_;
  std::map<std::string, uint32_t> file_values_;
  std::string pc_values_ = std::string(1, '\0');
  std::string func_data_ = std::string(8, '\0');
};

}  // namespace flarestack::elf::testing
