// SPDX-License-Identifier: Apache-2.0
//
// The attributes of the semantic conventions that profiles carry: their types, where they belong,
// and names that were replaced.
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

// Who carries an attribute.
enum class Carrier : uint8_t { kAny, kResource, kScope, kProfile, kSample, kMapping, kLocation };

// "a scope"
std::string_view CarrierName(Carrier carrier);

struct KnownAttribute {
  std::string_view key;
  ValueForm form;
  Carrier carrier = Carrier::kAny;
};

// Nothing when the conventions do not know the key, which is fine.
const KnownAttribute* FindKnownAttribute(std::string_view key);

// What the attribute is called now; nothing when its name is not an old one.
std::optional<std::string> ReplacementOf(std::string_view key);

// The known value of profile.frame.type that is meant by another spelling; nothing when there is
// none.
std::optional<std::string_view> FrameTypeMeantBy(std::string_view value);
bool IsKnownFrameType(std::string_view value);

// The unit that a known sample type should have had, e.g. "count" for samples in nanoseconds.
// Nothing when the pair is fine or the type is not known.
std::optional<std::string_view> UnitExpectedFor(std::string_view sample_type,
                                                std::string_view unit);

}  // namespace flarestack::check
