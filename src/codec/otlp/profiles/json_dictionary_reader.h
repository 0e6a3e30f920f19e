// SPDX-License-Identifier: Apache-2.0
//
// The ProfilesDictionary of OTLP/JSON.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/json/json_lists.h"
#include "codec/otlp/json/json_value_reader.h"
#include "codec/otlp/values/limits.h"
#include "model/dictionary.h"

namespace flarestack::codec::otlp {

class JsonDictionaryReader {
 public:
  // All must outlive the reader.
  JsonDictionaryReader(JsonInput* in, JsonValueReader* values, const Limits* limits,
                       model::Dictionary* out)
      : in_(*in), values_(*values), limits_(*limits), out_(*out) {}

  absl::Status Read(JsonInput::Value& value);

  // Appends a list of scalars to a pool.
  template <typename T>
  absl::Status ReadList(JsonInput::Value& value, std::vector<T>* pool, model::Slice* out) {
    return ReadJsonList(in_, limits_, value, pool, out);
  }

  // Shared with profiles and samples, whose attribute references are in the same pool.
  absl::Status ReadAttributeIndices(JsonInput::Value& value, model::Slice* out);

 private:
  absl::Status ReadMapping(JsonInput::Value& value, model::Mapping* out);
  absl::Status ReadLocation(JsonInput::Value& value, model::Location* out);
  absl::Status ReadLine(JsonInput::Value& value, model::Line* out);
  absl::Status ReadFunction(JsonInput::Value& value, model::Function* out);
  absl::Status ReadLink(JsonInput::Value& value, model::Link* out);
  absl::Status ReadAttribute(JsonInput::Value& value, model::Attribute* out);
  absl::Status ReadStack(JsonInput::Value& value, model::Stack* out);

  template <typename Entry, typename ReadEntry>
  absl::Status ReadTable(JsonInput::Value& value, std::vector<Entry>* table, ReadEntry read_entry);

  JsonInput& in_;
  JsonValueReader& values_;
  const Limits& limits_;
  model::Dictionary& out_;
};

// kInvalidArgument for a member that exists only in version 1.7 and older; `message` is the
// enclosing message.
absl::Status OldLayoutError(const JsonInput& in, std::string_view message);

}  // namespace flarestack::codec::otlp
