// SPDX-License-Identifier: Apache-2.0
//
// Attribute values of OTLP/JSON: AnyValue and lists of KeyValue.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "codec/otlp/json_input.h"
#include "model/dictionary.h"

namespace flarestack::codec::otlp {

class JsonValueReader {
 public:
  // A value in an array in a value is two levels down.
  static constexpr int kLevelsMax = 64;

  // Whether a string may be given by its index in a string table.
  enum class References { kAllowed, kRefused };

  // Both must outlive the reader. Elements of lists go to the dictionary's node pool.
  JsonValueReader(JsonInput* in, model::Dictionary* dictionary, References references)
      : in_(*in), dictionary_(*dictionary), references_(references) {}

  absl::Status ReadValue(JsonInput::Value& value, model::AnyValue* out);

  // The content of an AnyValue, for the one that is a whole document.
  absl::Status ReadValueDocument(model::AnyValue* out);

  absl::Status ReadAttributes(JsonInput::Value& value, model::Slice* out) {
    return ReadKeyValues(value, 1, out);
  }

 private:
  absl::Status ReadValue(JsonInput::Value& value, int level, model::AnyValue* out);
  absl::Status ReadArrayValue(JsonInput::Value& value, int level, model::AnyValue* out);
  absl::Status ReadKeyValueList(JsonInput::Value& value, int level, model::AnyValue* out);
  absl::Status ReadKeyValues(JsonInput::Value& value, int level, model::Slice* out);
  absl::Status ReadReference(JsonInput::Value& value, model::StringIndex* out);

  template <typename ReadMembers>
  absl::Status ReadMembersOfValue(int level, model::AnyValue* out, ReadMembers read_members);

  // Moves the elements from `first` on, of the list that is being read, to the node pool.
  model::Slice TakePending(size_t first);

  JsonInput& in_;
  model::Dictionary& dictionary_;
  References references_;
  // Elements of the lists that are not complete yet, outermost first: those of one list must end up
  // side by side.
  std::vector<model::KeyValue> pending_;
};

}  // namespace flarestack::codec::otlp
