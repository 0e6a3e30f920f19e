// SPDX-License-Identifier: Apache-2.0
//
// Converts attribute values to pprof labels and back. A label is a text or a number with a unit;
// any other value is written as OTLP/JSON text, such as {"doubleValue":1.5}, and read back as that
// value. A text is read as a value only if the value would be written as exactly this text, so no
// other text is mistaken for one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/pprof/message/profile.h"
#include "model/builder/dictionary_builder.h"
#include "model/dictionary.h"

namespace flarestack::codec::pprof {

// Appends the labels of one attribute. New text is stored in `arena`; the key and plain texts point
// into `dictionary`.
void AppendLabels(const model::Dictionary& dictionary, const model::Attribute& attribute,
                  base::Arena* arena, std::vector<Label>* out);

// The JSON form of a text whose plain form would mean something else.
std::string EscapeText(std::string_view text);

// Appends the attributes for a sample's labels, in the order of the first label of each key.
void AppendAttributes(std::span<const Label> labels, model::DictionaryBuilder* dictionary,
                      std::vector<model::AttributeIndex>* out);

inline constexpr size_t kTraceIdBytes = 16;
inline constexpr size_t kSpanIdBytes = 8;

// Decides whether the labels trace_id and span_id represent a link: both must be ids, in lower-case
// hexadecimal, of the right length, and not all zero. Both directions must agree on this.
inline bool IsHexId(std::string_view text, size_t bytes) {
  return text.size() == bytes * 2 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace flarestack::codec::pprof
