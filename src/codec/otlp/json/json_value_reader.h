// SPDX-License-Identifier: Apache-2.0
//
// Attribute values of OTLP/JSON: AnyValue and lists of KeyValue.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/values/limits.h"
#include "model/any_value.h"

namespace flarestack::codec::otlp {

class JsonValueReader {
 public:
  // Whether a string may be given by its index in a string table. Where only profiles have one,
  // such a member is one that nobody asked for and is skipped.
  enum class References { kAllowed, kRefused, kSkipped };

  // All must outlive the reader. Elements of lists go to the node pool.
  JsonValueReader(JsonInput* in, std::vector<model::KeyValue>* nodes, const Limits* limits,
                  References references)
      : in_(*in), nodes_(*nodes), limits_(*limits), references_(references) {}

  absl::Status ReadValue(JsonInput::Value& value, model::AnyValue* out);

  // The content of an AnyValue, for the one that is a whole document.
  absl::Status ReadValueDocument(model::AnyValue* out);

  absl::Status ReadAttributes(JsonInput::Value& value, model::Slice* out) {
    return ReadKeyValues(value, 1, out);
  }

 private:
  absl::Status ReadValue(JsonInput::Value& value, uint32_t level, model::AnyValue* out);
  absl::Status ReadArrayValue(JsonInput::Value& value, uint32_t level, model::AnyValue* out);
  absl::Status ReadKeyValueList(JsonInput::Value& value, uint32_t level, model::AnyValue* out);
  absl::Status ReadKeyValues(JsonInput::Value& value, uint32_t level, model::Slice* out);
  absl::Status ReadReference(JsonInput::Value& value, model::StringIndex* out);

  template <typename ReadMembers>
  absl::Status ReadMembersOfValue(uint32_t level, model::AnyValue* out, ReadMembers read_members);

  // Moves the elements from `first` on, of the list that is being read, to the node pool.
  model::Slice TakePending(size_t first);
  absl::Status CheckRoom() const;

  JsonInput& in_;
  std::vector<model::KeyValue>& nodes_;
  const Limits& limits_;
  References references_;
  // Elements of the lists that are not complete yet, outermost first: those of one list must end up
  // side by side.
  std::vector<model::KeyValue> pending_;
};

}  // namespace flarestack::codec::otlp
