// SPDX-License-Identifier: Apache-2.0
//
// The semantic-convention attributes used in profiles: their types, where they belong, and replaced
// names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/any_value.h"

namespace flarestack::check {

enum class ValueForm : uint8_t { kString, kInt, kBool, kStrings, kInts };

// "a string", "a list of integers"
std::string_view FormName(ValueForm form);

// The kind of item that carries an attribute.
enum class Carrier : uint8_t { kAny, kResource, kScope, kProfile, kSample, kMapping, kLocation };

// "a scope"
std::string_view CarrierName(Carrier carrier);

struct KnownAttribute {
  std::string_view key;
  ValueForm form;
  Carrier carrier = Carrier::kAny;
};

// Returns nullptr if the conventions do not define the key, which is allowed.
const KnownAttribute* FindKnownAttribute(std::string_view key);

// Returns the current name of the attribute, or nullopt if the name is not an old one.
std::optional<std::string> ReplacementOf(std::string_view key);

// Returns the known value of profile.frame.type that another spelling means, or nullopt if there is
// none.
std::optional<std::string_view> FrameTypeMeantBy(std::string_view value);
bool IsKnownFrameType(std::string_view value);

// Returns the unit that a known sample type should have, e.g. "count" for samples in nanoseconds.
// Returns nullopt if the pair is fine or the type is unknown.
std::optional<std::string_view> UnitExpectedFor(std::string_view sample_type,
                                                std::string_view unit);

}  // namespace flarestack::check
