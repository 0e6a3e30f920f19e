// SPDX-License-Identifier: Apache-2.0
//
// Attribute values as pprof labels and back. A label is a text or a number with a unit; what is
// neither is written as OTLP/JSON text, such as {"doubleValue":1.5}, and such a text is read back
// as the value it stands for. A text is only taken for a value when that value would be written as
// exactly this text, so nothing else is ever mistaken for one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/pprof/message/profile.h"
#include "model/dictionary.h"
#include "model/dictionary_builder.h"

namespace flarestack::codec::pprof {

// Appends the labels of one attribute. New text goes to `arena`; the key and plain texts point into
// `dictionary`.
void AppendLabels(const model::Dictionary& dictionary, const model::Attribute& attribute,
                  base::Arena* arena, std::vector<Label>* out);

// A text in the JSON form, where its plain form would mean something else.
std::string EscapeText(std::string_view text);

// The attributes of a sample's labels, in the order of the first label of each key.
void AppendAttributes(std::span<const Label> labels, model::DictionaryBuilder* dictionary,
                      std::vector<model::AttributeIndex>* out);

}  // namespace flarestack::codec::pprof
