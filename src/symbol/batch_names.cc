// SPDX-License-Identifier: Apache-2.0
#include "symbol/batch_names.h"

#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "model/frame.h"
#include "model/index.h"

namespace flarestack::symbol {
namespace {

constexpr std::string_view kFrameTypeKey = "profile.frame.type";

class BatchNamer {
 public:
  BatchNamer(TableOf table_of, NameCache* names, model::Batch* batch)
      : table_of_(table_of),
        names_(*names),
        arena_(batch->arena),
        dictionary_(batch->dictionary),
        tables_(dictionary_.mappings.size()) {}

  NamingResult Run() {
    NamingResult result;
    for (model::Location& location : dictionary_.locations) {
      if (!IsNameless(dictionary_, location))
        continue;
      ++(Name(&location) ? result.named : result.unnamed);
    }
    return result;
  }

 private:
  struct MappingTable {
    bool is_known = false;
    std::shared_ptr<const SymbolTable> table;
    CodeAt code;
  };

  MappingTable& TableFor(model::MappingIndex index) {
    MappingTable& entry = tables_[index.value];
    if (!entry.is_known) {
      entry.is_known = true;
      const Module module = ModuleOf(dictionary_, dictionary_.mappings[index.value]);
      if (!module.ids.empty())
        entry.table = table_of_(module);
    }
    return entry;
  }

  bool Name(model::Location* location) {
    MappingTable& mapping = TableFor(location->mapping);
    if (mapping.table == nullptr)
      return false;
    const uint64_t address = FileAddress(
        *mapping.table, dictionary_.mappings[location->mapping.value], location->address);
    if (!mapping.table->Find(address, &mapping.code))
      return false;
    if (mapping.code.frames()[0].function.empty()) {
      NoteFunctionAddress(mapping.code.begin(), location);
      return false;
    }
    const auto begin = static_cast<uint32_t>(dictionary_.lines.size());
    for (const elf::SourceFrame& frame : mapping.code.frames()) {
      dictionary_.lines.push_back(
          {.function = FunctionOf(frame), .line = frame.line, .column = frame.column});
    }
    location->lines = {.begin = begin,
                       .count = static_cast<uint32_t>(dictionary_.lines.size()) - begin};
    return true;
  }

  // The function has no name. Its start address at least groups its code as one function.
  void NoteFunctionAddress(uint64_t begin, model::Location* location) {
    const model::LocationIndex index = {
        static_cast<uint32_t>(location - dictionary_.locations.data())};
    if (model::FunctionAddress(dictionary_, index).has_value())
      return;
    const auto [at, is_new] = function_addresses_.try_emplace(begin, model::AttributeIndex{});
    if (is_new) {
      at->second = {static_cast<uint32_t>(dictionary_.attributes.size())};
      dictionary_.attributes.push_back(
          {.key = String(model::kFunctionAddressKey),
           .value = model::AnyValue::Int(static_cast<int64_t>(begin))});
    }
    const auto first = static_cast<uint32_t>(dictionary_.attribute_indices.size());
    for (uint32_t i = location->attributes.begin; i < location->attributes.end(); ++i) {
      const model::AttributeIndex copied = dictionary_.attribute_indices[i];
      dictionary_.attribute_indices.push_back(copied);
    }
    dictionary_.attribute_indices.push_back(at->second);
    location->attributes = {.begin = first, .count = location->attributes.count + 1};
  }

  // Senders use addresses of the running process or of the file. For file addresses the mapping is
  // where the file's segments are, so both cases give the same result.
  static uint64_t FileAddress(const SymbolTable& table, const model::Mapping& mapping,
                              uint64_t address) {
    const bool is_inside = address >= mapping.memory_start && address < mapping.memory_limit;
    if (!is_inside)
      return address;
    return table
        .AddressOf(address, {.start = mapping.memory_start,
                             .end = mapping.memory_limit,
                             .file_offset = mapping.file_offset})
        .value_or(address);
  }

  // Strings of a table do not move, so their addresses identify them.
  model::FunctionIndex FunctionOf(const elf::SourceFrame& frame) {
    const auto [at, is_new] = functions_.try_emplace(
        {frame.function.data(), frame.file.data(), frame.start_line}, model::FunctionIndex{});
    if (is_new) {
      at->second = {static_cast<uint32_t>(dictionary_.functions.size())};
      const std::string readable = names_.Readable(frame.function);
      const model::StringIndex name = String(readable);
      dictionary_.functions.push_back(
          {.name = name,
           .system_name = readable == frame.function ? name : String(frame.function),
           .filename = String(frame.file),
           .start_line = frame.start_line});
    }
    return at->second;
  }

  model::StringIndex String(std::string_view text) {
    if (text.empty())
      return {};
    const auto known = strings_.find(text);
    if (known != strings_.end())
      return known->second;
    const model::StringIndex index = {static_cast<uint32_t>(dictionary_.strings.size())};
    dictionary_.strings.push_back(arena_.Copy(text));
    strings_.emplace(dictionary_.strings.back(), index);
    return index;
  }

  TableOf table_of_;
  NameCache& names_;
  base::Arena& arena_;
  model::Dictionary& dictionary_;
  std::vector<MappingTable> tables_;
  absl::flat_hash_map<std::tuple<const char*, const char*, uint32_t>, model::FunctionIndex>
      functions_;
  std::unordered_map<std::string_view, model::StringIndex> strings_;  // added by this object
  absl::flat_hash_map<uint64_t, model::AttributeIndex> function_addresses_;
};

}  // namespace

bool IsNameless(const model::Dictionary& dictionary, const model::Location& location) {
  if (!location.mapping || location.address == 0)
    return false;
  for (const model::Line& line : model::In(dictionary.lines, location.lines)) {
    if (dictionary.functions[line.function.value].name)
      return false;
  }
  for (const model::AttributeIndex index :
       model::In(dictionary.attribute_indices, location.attributes)) {
    const model::Attribute& attribute = dictionary.attributes[index.value];
    if (dictionary.Text(attribute.key) == kFrameTypeKey && dictionary.IsString(attribute.value)) {
      const std::string_view type = dictionary.String(attribute.value);
      return type == "native" || type == "kernel" || type == "go" || type == "rust";
    }
  }
  return true;
}

NamingResult NameLocations(TableOf table_of, NameCache* names, model::Batch* batch) {
  return BatchNamer(table_of, names, batch).Run();
}

}  // namespace flarestack::symbol
