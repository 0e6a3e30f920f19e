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
  // Whether a string may be given by its index in a string table. Only profiles have such a table;
  // for other signals the member is unknown and skipped.
  enum class References { kAllowed, kRejected, kSkipped };

  // All must outlive the reader. Elements of lists are stored in the node pool.
  JsonValueReader(JsonInput* in, std::vector<model::KeyValue>* nodes, const Limits* limits,
                  References references)
      : in_(*in), nodes_(*nodes), limits_(*limits), references_(references) {}

  absl::Status ReadValue(JsonInput::Value& value, model::AnyValue* out);

  // Reads an AnyValue that is the whole document.
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

  // Moves the elements of the current list, from `first` on, to the node pool.
  model::Slice TakePending(size_t first);
  absl::Status CheckRoom() const;

  JsonInput& in_;
  std::vector<model::KeyValue>& nodes_;
  const Limits& limits_;
  References references_;
  // Elements of the incomplete lists, outermost first. The elements of one list must end up
  // contiguous.
  std::vector<model::KeyValue> pending_;
};

}  // namespace flarestack::codec::otlp
