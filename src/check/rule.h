// SPDX-License-Identifier: Apache-2.0
//
// The rules for a profiles message. Each rule is one row of the table in rules.cc. The ids are part
// of the command line and the JSON output, so an id is never reused for another rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace flarestack::check {

// Error: violates a MUST of the specification, or a receiver cannot read it. Warning: violates a
// SHOULD. Info: allowed, but probably not intended.
enum class Severity : uint8_t { kError, kWarning, kInfo };

std::string_view SeverityName(Severity severity);  // "error", "warning", "info"

// In the order of the table, which is the order of the output.
enum class Rule : uint8_t {
  kOldLayout,
  kResourceProfilesMissing,
  kScopeProfilesMissing,
  kProfilesMissing,
  kDictionaryMissing,
  kTableEmpty,
  kZeroEntry,
  kDefaultProfileEmpty,
  kSchemaUrl,
  kStringIndexRange,
  kMappingIndexRange,
  kLocationIndexRange,
  kFunctionIndexRange,
  kLinkIndexRange,
  kAttributeIndexRange,
  kStackIndexRange,
  kNullLocation,
  kNullAttribute,
  kNullStack,
  kNullFunction,
  kSampleTypeMissing,
  kPeriodType,
  kPeriodNegative,
  kProfileId,
  kOriginalPayloadPair,
  kOriginalPayloadFormat,
  kTimePlausible,
  kDurationPlausible,
  kSampleEmpty,
  kSampleCountsDiffer,
  kSampleManyValues,
  kSampleShape,
  kSampleDuplicate,
  kTimestampRange,
  kMappingRange,
  kMappingBuildId,
  kMappingHtlhash,
  kBuildIdValue,
  kAddressOutsideMapping,
  kLineNegative,
  kColumnWithoutLine,
  kLineBeforeFunction,
  kFunctionNameMissing,
  kLinkIdLength,
  kLinkIdZero,
  kAttributeKeyDuplicate,
  kKeyValueDuplicate,
  kKeyGivenTwice,
  kAttributeKeyEmpty,
  kAttributeValueMissing,
  kAttributeUnit,
  kEntityType,
  kEntityIdKeys,
  kEntityKeyUnknown,
  kAttributeName,
  kAttributeType,
  kAttributePlace,
  kSampleTypeOrder,
  kDocUrl,
  kFrameType,
  kSampleTypeUnit,
  kDuplicateEntry,
  kOrphanEntry,
  kUnknownField,
  kWireType,
  kReservedField,
  kRepeatedSingular,
  kNonMinimalVarint,
  kInvalidUtf8,
  kJsonForm,
  kResponseEmpty,
  kResponseCount,
  kResponseReason,
  kCount,
};

inline constexpr size_t kRuleCount = static_cast<size_t>(Rule::kCount);

struct RuleInfo {
  Rule rule;
  Severity severity;  // of its findings, except where the explanation says otherwise
  std::string_view id;
  std::string_view summary;      // the correct form, in one line
  std::string_view explanation;  // why it matters and what to do
  std::string_view reference;    // section of the specification
};

std::span<const RuleInfo> Rules();

const RuleInfo& Info(Rule rule);

// Returns nullptr if there is no such rule.
const RuleInfo* FindRule(std::string_view id);

}  // namespace flarestack::check
