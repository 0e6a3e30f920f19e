// SPDX-License-Identifier: Apache-2.0
//
// The entries of the dictionary as bytes (docs/formats/store.md). An entry refers to others by
// their numbers in the store. So a record is encoded from, and decoded to, an entry whose indices
// are such numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "model/dictionary.h"

namespace flarestack::store::rocks {

// An entry and its lists, all as numbers of the store.
struct MappingRecord {
  model::Mapping mapping;
  std::vector<uint32_t> attributes;
};
struct LocationRecord {
  model::Location location;
  std::vector<model::Line> lines;
  std::vector<uint32_t> attributes;
};

std::string EncodeFunction(const model::Function& function);
std::string EncodeMapping(const MappingRecord& record);
std::string EncodeLocation(const LocationRecord& record);
std::string EncodeNumbers(std::span<const uint32_t> numbers);  // a stack, a set of attributes
void AppendFunction(const model::Function& function, std::string* out);
void AppendLocation(const LocationRecord& record, std::string* out);
void AppendNumbers(std::span<const uint32_t> numbers, std::string* out);
std::string EncodeAttribute(uint32_t key, uint32_t unit, const model::Dictionary& dictionary,
                            const model::AnyValue& value);

// Return kDataLoss if the bytes are not a record of that kind.
absl::Status DecodeFunction(std::string_view bytes, model::Function* function);
absl::Status DecodeMapping(std::string_view bytes, MappingRecord* record);
absl::Status DecodeLocation(std::string_view bytes, LocationRecord* record);
absl::Status DecodeNumbers(std::string_view bytes, std::vector<uint32_t>* numbers);

// The value's nodes are appended to `nodes`; its text points into `bytes`.
struct AttributeRecord {
  uint32_t key = 0;
  uint32_t unit = 0;
  model::AnyValue value;
};
absl::Status DecodeAttribute(std::string_view bytes, std::vector<model::KeyValue>* nodes,
                             AttributeRecord* record);

}  // namespace flarestack::store::rocks
