// SPDX-License-Identifier: Apache-2.0
//
// The fields of the profiles message in each layout, as data for layout_fit.h. Resources, scopes
// and attribute values are opaque here, because no layout changed them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "codec/otlp/profiles/layout.h"

namespace flarestack::codec::otlp {

enum class Part : uint8_t {
  kOpaque,
  kMessage,
  kResourceProfiles,
  kScopeProfiles,
  kProfile,
  kValueType,
  kSample,
  kDictionary,
  kMapping,
  kLocation,
  kLine,
  kFunction,
  kLink,
  kAttribute,
  kUnit,
  kStack,
};
std::string_view PartName(Part part);

enum class FieldKind : uint8_t {
  kNumber,  // varint
  kFixed64,
  kNumbers,   // varints, packed or not
  kFixed64s,  // packed or not
  kBytes,     // text or bytes
  kPart,      // a message, any number of times
  kOnePart,   // a message, at most once
};

// Properties that layout_fit.h checks in addition to the wire type.
enum class FieldRole : uint8_t {
  kNone,
  kStack,
  kAttributes,
  kLink,
  kValues,
  kTimes,
  kProfileId,
  kComments,
  kProfileAttributes,
};

struct SchemaField {
  uint32_t number = 0;
  std::string_view name;
  FieldKind kind = FieldKind::kNumber;
  Part part = Part::kOpaque;  // for kPart and kOnePart
  FieldRole role = FieldRole::kNone;
};

std::span<const SchemaField> FieldsOf(Layout layout, Part part);

}  // namespace flarestack::codec::otlp
