// SPDX-License-Identifier: Apache-2.0
#include "store/rocks/dictionary/records.h"

#include <bit>

#include "base/byte_reader.h"

namespace flarestack::store::rocks {
namespace {

using base::AppendSigned;
using base::AppendVarint;
using base::ByteReader;
using Kind = model::AnyValue::Kind;

constexpr int kNestingMax = 64;

void ReadNumbers(ByteReader& in, std::vector<uint32_t>* numbers) {
  numbers->resize(in.Count());
  uint64_t last = 0;  // wraps around if the bytes are broken
  for (uint32_t& number : *numbers) {
    last = base::AddDifference(last, in.Signed());
    number = static_cast<uint32_t>(last);
  }
}

void AppendValue(const model::Dictionary& dictionary, const model::AnyValue& value,
                 std::string* out) {
  // Both ways to send a string are stored the same.
  const Kind kind = value.kind == Kind::kStringIndex ? Kind::kString : value.kind;
  out->push_back(static_cast<char>(kind));
  switch (kind) {
    case Kind::kEmpty:
    case Kind::kStringIndex:
      return;
    case Kind::kString:
      base::AppendBytes(dictionary.String(value), out);
      return;
    case Kind::kBytes:
      base::AppendBytes(value.text, out);
      return;
    case Kind::kBool:
      out->push_back(value.bool_value ? 1 : 0);
      return;
    case Kind::kInt:
      AppendSigned(value.int_value, out);
      return;
    case Kind::kDouble:
      base::AppendBigEndian(std::bit_cast<uint64_t>(value.double_value), out);
      return;
    case Kind::kArray:
    case Kind::kKeyValueList:
      AppendVarint(value.nodes.count, out);
      for (const model::KeyValue& node : model::In(dictionary.nodes, value.nodes)) {
        base::AppendBytes(dictionary.Key(node), out);
        AppendValue(dictionary, node.value, out);
      }
  }
}

// Returns false if the bytes are not a value. The reader itself reports missing bytes.
bool ReadValue(ByteReader& in, int depth, std::vector<model::KeyValue>* nodes,
               model::AnyValue* value) {
  const std::string_view kind = in.Take(1);
  if (kind.empty() || depth > kNestingMax)
    return false;
  switch (static_cast<Kind>(kind[0])) {
    case Kind::kEmpty:
      return true;
    case Kind::kString:
      *value = model::AnyValue::String(in.Bytes());
      return true;
    case Kind::kBytes:
      *value = model::AnyValue::Bytes(in.Bytes());
      return true;
    case Kind::kBool:
      *value = model::AnyValue::Bool(in.Take(1) == std::string_view("\1", 1));
      return true;
    case Kind::kInt:
      *value = model::AnyValue::Int(in.Signed());
      return true;
    case Kind::kDouble:
      *value = model::AnyValue::Double(std::bit_cast<double>(in.BigEndian<uint64_t>()));
      return true;
    case Kind::kArray:
    case Kind::kKeyValueList: {
      std::vector<model::KeyValue> children(in.Count());
      for (model::KeyValue& child : children) {
        child.key = in.Bytes();
        if (!ReadValue(in, depth + 1, nodes, &child.value))
          return false;
      }
      const model::Slice slice = {.begin = static_cast<uint32_t>(nodes->size()),
                                  .count = static_cast<uint32_t>(children.size())};
      nodes->insert(nodes->end(), children.begin(), children.end());
      *value = static_cast<Kind>(kind[0]) == Kind::kArray ? model::AnyValue::Array(slice)
                                                          : model::AnyValue::KeyValueList(slice);
      return true;
    }
    case Kind::kStringIndex:
      return false;
  }
  return false;
}

absl::Status EndOf(const ByteReader& in, const char* what) {
  return in.AtEnd() ? absl::OkStatus() : absl::DataLossError(what);
}

}  // namespace

// Adjacent locations of a stack were often first seen together, so their numbers are close.
void AppendNumbers(std::span<const uint32_t> numbers, std::string* out) {
  AppendVarint(numbers.size(), out);
  uint32_t last = 0;
  for (const uint32_t number : numbers) {
    AppendSigned(int64_t{number} - int64_t{last}, out);
    last = number;
  }
}

void AppendFunction(const model::Function& function, std::string* out) {
  AppendVarint(function.name.value, out);
  AppendVarint(function.system_name.value, out);
  AppendVarint(function.filename.value, out);
  AppendSigned(function.start_line, out);
}

std::string EncodeFunction(const model::Function& function) {
  std::string out;
  AppendFunction(function, &out);
  return out;
}

absl::Status DecodeFunction(std::string_view bytes, model::Function* function) {
  ByteReader in(bytes);
  function->name = {in.Varint32()};
  function->system_name = {in.Varint32()};
  function->filename = {in.Varint32()};
  function->start_line = in.Signed();
  return EndOf(in, "dictionary: a function is corrupt");
}

std::string EncodeMapping(const MappingRecord& record) {
  std::string out;
  AppendVarint(record.mapping.memory_start, &out);
  AppendVarint(record.mapping.memory_limit, &out);
  AppendVarint(record.mapping.file_offset, &out);
  AppendVarint(record.mapping.filename.value, &out);
  AppendNumbers(record.attributes, &out);
  return out;
}

absl::Status DecodeMapping(std::string_view bytes, MappingRecord* record) {
  ByteReader in(bytes);
  record->mapping.memory_start = in.Varint();
  record->mapping.memory_limit = in.Varint();
  record->mapping.file_offset = in.Varint();
  record->mapping.filename = {in.Varint32()};
  ReadNumbers(in, &record->attributes);
  return EndOf(in, "dictionary: a mapping is corrupt");
}

void AppendLocation(const LocationRecord& record, std::string* out) {
  AppendVarint(record.location.mapping.value, out);
  AppendVarint(record.location.address, out);
  AppendVarint(record.lines.size(), out);
  for (const model::Line& line : record.lines) {
    AppendVarint(line.function.value, out);
    AppendSigned(line.line, out);
    AppendSigned(line.column, out);
  }
  AppendNumbers(record.attributes, out);
}

std::string EncodeLocation(const LocationRecord& record) {
  std::string out;
  AppendLocation(record, &out);
  return out;
}

absl::Status DecodeLocation(std::string_view bytes, LocationRecord* record) {
  ByteReader in(bytes);
  record->location.mapping = {in.Varint32()};
  record->location.address = in.Varint();
  record->lines.resize(in.Count());
  for (model::Line& line : record->lines) {
    line.function = {in.Varint32()};
    line.line = in.Signed();
    line.column = in.Signed();
  }
  ReadNumbers(in, &record->attributes);
  return EndOf(in, "dictionary: a location is corrupt");
}

std::string EncodeNumbers(std::span<const uint32_t> numbers) {
  std::string out;
  AppendNumbers(numbers, &out);
  return out;
}

absl::Status DecodeNumbers(std::string_view bytes, std::vector<uint32_t>* numbers) {
  ByteReader in(bytes);
  ReadNumbers(in, numbers);
  return EndOf(in, "dictionary: a list of numbers is corrupt");
}

std::string EncodeAttribute(uint32_t key, uint32_t unit, const model::Dictionary& dictionary,
                            const model::AnyValue& value) {
  std::string out;
  AppendVarint(key, &out);
  AppendVarint(unit, &out);
  AppendValue(dictionary, value, &out);
  return out;
}

absl::Status DecodeAttribute(std::string_view bytes, std::vector<model::KeyValue>* nodes,
                             AttributeRecord* record) {
  ByteReader in(bytes);
  record->key = in.Varint32();
  record->unit = in.Varint32();
  if (!ReadValue(in, 0, nodes, &record->value))
    return absl::DataLossError("dictionary: an attribute is corrupt");
  return EndOf(in, "dictionary: an attribute is corrupt");
}

}  // namespace flarestack::store::rocks
