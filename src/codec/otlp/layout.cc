// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/layout.h"

#include <array>

namespace flarestack::codec::otlp {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Clue::kCount)> kClueText = {
    "tables beside the resources (message fields 3 to 8)",
    "tables inside a profile",
    "Profile fields of 1.6 and 1.7",
    "Profile fields of 1.8",
    "Profile field 12",
    "Profile field 13",
    "a repeated sample_type",
    "ValueType field 3 (aggregation_temporality)",
    "attribute_table entries with a text key",
    "attribute units in Dictionary field 7",
    "Mapping fields 6 to 9 or Location field 5",
    "Dictionary field 8",
    "Sample field 6, or 5 as a number",
    "Sample field 2 as a number",
    "Sample field 3 as packed indices",
    "Sample field 4 as a number",
    "values in Sample field 2",
};

}  // namespace

std::string_view LayoutName(Layout layout) {
  switch (layout) {
    case Layout::kUpTo15:
      return "1.5 or older";
    case Layout::k16:
      return "1.6";
    case Layout::k17:
      return "1.7";
    case Layout::k18:
      return "1.8";
    case Layout::k19:
      return "1.9";
    case Layout::k110:
      return "1.10 or later";
    case Layout::kNewer:
      return "newer than this program";
  }
  return "unknown";
}

Layout JudgeLayout(const Clues& clues) {
  // Oldest first: an old message also shows clues of the younger ones, never the other way round.
  if (clues.Has(Clue::kProfileTables))
    return Layout::kUpTo15;
  if (clues.Has(Clue::kTopLevelTables))
    return Layout::k16;
  for (const Clue clue : {Clue::kProfileOf17, Clue::kRepeatedSampleType, Clue::kKeyValueAttribute,
                          Clue::kAttributeUnit, Clue::kMappingFlags, Clue::kSampleTimestamps17}) {
    if (clues.Has(clue))
      return Layout::k17;
  }
  // One number in field 2 is also a legal, if unusual, way to write a list of one attribute; beside
  // packed values in field 3 it is a length.
  if (clues.Has(Clue::kSampleLength17) && clues.Has(Clue::kSampleAttributes19))
    return Layout::k17;
  if (clues.Has(Clue::kDictionaryField8) &&
      (clues.Has(Clue::kProfileField12) || clues.Has(Clue::kProfileField13))) {
    return Layout::kNewer;
  }
  for (const Clue clue : {Clue::kProfileOf18, Clue::kProfileField12, Clue::kTemporality}) {
    if (clues.Has(clue))
      return Layout::k18;
  }
  for (const Clue clue : {Clue::kSampleAttributes19, Clue::kSampleLink19, Clue::kSampleValues19}) {
    if (clues.Has(clue))
      return Layout::k19;
  }
  return Layout::k110;
}

std::string DescribeClues(const Clues& clues) {
  std::string text;
  for (size_t i = 0; i < kClueText.size(); ++i) {
    if (!clues.Has(static_cast<Clue>(i)))
      continue;
    if (!text.empty())
      text += " and ";
    text += kClueText[i];
  }
  return text;
}

}  // namespace flarestack::codec::otlp
