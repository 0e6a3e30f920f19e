// SPDX-License-Identifier: Apache-2.0
//
// The dictionary of one OTLP profiles message. Equal content has one entry; entry 0 of each table
// is empty.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sdk/proto_writer.h"
#include "sdk/sample/sample.h"
#include "sdk/unwind/modules.h"

namespace flarestack::sdk {

class Dictionary {
 public:
  Dictionary();

  uint32_t String(std::string_view text);
  uint32_t TextAttribute(std::string_view key, std::string_view value);
  uint32_t NumberAttribute(std::string_view key, int64_t value);
  uint32_t Link(const OwnContext& context);

  // The stack of a sample. `skipped` frames of the profiler itself come first.
  uint32_t Stack(std::span<const uintptr_t> frames, size_t skipped, WalkEnd end);
  // A stack of one frame that only has a name, such as "[lost samples]".
  uint32_t NoteStack(std::string_view text);

  // Modules may have changed: look addresses up again.
  void UseModules(std::vector<std::shared_ptr<const Module>> modules);

  void WriteTo(ProtoWriter* message) const;  // its fields
  size_t bytes() const;                      // roughly, of the message

 private:
  // A table whose entries are the encoded messages themselves.
  class Table {
   public:
    Table() { Add(ProtoWriter()); }
    uint32_t Add(const ProtoWriter& entry);
    void WriteTo(int field, ProtoWriter* message) const;
    size_t bytes() const { return bytes_; }

   private:
    std::vector<std::string> entries_;
    std::unordered_map<std::string, uint32_t> numbers_;
    size_t bytes_ = 0;
  };

  uint32_t Attribute(std::string_view key, const ProtoWriter& value);
  uint32_t Location(uintptr_t pc, bool is_return_address);
  uint32_t Note(std::string_view text);
  uint32_t Mapping(const Module& module);
  uint32_t AddStack(const std::vector<uint32_t>& locations);
  const Module* FindModule(uintptr_t address) const;

  std::vector<std::string> strings_;
  std::unordered_map<std::string, uint32_t> string_numbers_;
  Table attributes_;
  Table links_;
  Table mappings_;
  Table functions_;
  Table locations_;
  Table stacks_;
  std::vector<std::shared_ptr<const Module>> modules_;  // sorted by begin
  std::map<const Module*, uint32_t> known_mappings_;
  std::unordered_map<uintptr_t, uint32_t> known_locations_;
  std::vector<std::shared_ptr<const Module>> kept_;  // those in known_mappings_
  size_t bytes_ = 0;
};

}  // namespace flarestack::sdk
