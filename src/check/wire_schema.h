// SPDX-License-Identifier: Apache-2.0
//
// The current messages as rows: name, number and type of each field. Private to check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace flarestack::check {

enum class WireMessage : uint8_t {
  kNone,
  kProfilesData,
  kDictionary,
  kResourceProfiles,
  kScopeProfiles,
  kProfile,
  kValueType,
  kSample,
  kMapping,
  kStack,
  kLocation,
  kLine,
  kFunction,
  kLink,
  kKeyValueAndUnit,
  kResource,
  kScope,
  kEntityRef,
  kKeyValue,
  kAnyValue,
  kArrayValue,
  kKeyValueList,
  kCount,
};

enum class WireForm : uint8_t { kVarint, kFixed64, kText, kBytes, kMessage };

struct WireField {
  std::string_view name;
  WireForm form = WireForm::kVarint;
  bool is_repeated = false;
  WireMessage message = WireMessage::kNone;
};

inline constexpr size_t kWireFieldsMax = 11;

// Field numbers have no gaps: row i is field i + 1.
struct WireSchema {
  std::string_view name;
  std::span<const WireField> fields;
};

const WireSchema& SchemaOf(WireMessage message);

}  // namespace flarestack::check
