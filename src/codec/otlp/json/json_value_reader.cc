// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/json/json_value_reader.h"

#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::codec::otlp {

using model::AnyValue;
using model::KeyValue;
using model::Slice;
using Value = JsonInput::Value;

absl::Status JsonValueReader::ReadValue(Value& value, AnyValue* out) {
  return ReadValue(value, 1, out);
}

absl::Status JsonValueReader::ReadValue(Value& value, uint32_t level, AnyValue* out) {
  return ReadMembersOfValue(level, out, [&](std::initializer_list<JsonInput::Member> members) {
    return in_.Object(value).Read(members);
  });
}

absl::Status JsonValueReader::ReadValueDocument(AnyValue* out) {
  return ReadMembersOfValue(1, out, [&](std::initializer_list<JsonInput::Member> members) {
    return in_.ReadDocument(members);
  });
}

// A oneof: if several members are present, the last one wins.
template <typename ReadMembers>
absl::Status JsonValueReader::ReadMembersOfValue(uint32_t level, AnyValue* out,
                                                 ReadMembers read_members) {
  if (level > limits_.nesting_max) {
    return in_.LimitError(base::StrCat("an attribute value is nested deeper than the limit of ",
                                       limits_.nesting_max));
  }
  using Kind = AnyValue::Kind;
  const auto set = [out](Kind kind) {
    *out = AnyValue();
    out->kind = kind;
    return out;
  };
  return read_members({
      {"stringValue", [&](Value& member) { return in_.Read(member, &set(Kind::kString)->text); }},
      {"boolValue", [&](Value& member) { return in_.Read(member, &set(Kind::kBool)->bool_value); }},
      {"intValue", [&](Value& member) { return in_.Read(member, &set(Kind::kInt)->int_value); }},
      {"doubleValue",
       [&](Value& member) { return in_.Read(member, &set(Kind::kDouble)->double_value); }},
      {"arrayValue",
       [&](Value& member) { return ReadArrayValue(member, level, set(Kind::kArray)); }},
      {"kvlistValue",
       [&](Value& member) { return ReadKeyValueList(member, level, set(Kind::kKeyValueList)); }},
      {"bytesValue",
       [&](Value& member) { return in_.ReadBase64(member, &set(Kind::kBytes)->text); }},
      {"stringValueStrindex",
       [&](Value& member) {
         return references_ == References::kSkipped
                    ? in_.Skip(member)
                    : ReadReference(member, &set(Kind::kStringIndex)->string_index);
       }},
  });
}

absl::Status JsonValueReader::ReadArrayValue(Value& value, uint32_t level, AnyValue* out) {
  const auto read_element = [&](Value& element) {
    FLARE_RETURN_IF_ERROR(CheckRoom());
    KeyValue node;
    FLARE_RETURN_IF_ERROR(ReadValue(element, level + 1, &node.value));
    pending_.push_back(node);
    return absl::OkStatus();
  };
  const size_t first = pending_.size();
  FLARE_RETURN_IF_ERROR(in_.Object(value).Read({
      {"values", [&](Value& member) { return in_.ReadArray(member, read_element); }},
  }));
  out->nodes = TakePending(first);
  return absl::OkStatus();
}

absl::Status JsonValueReader::ReadKeyValueList(Value& value, uint32_t level, AnyValue* out) {
  return in_.Object(value).Read({
      {"values", [&](Value& member) { return ReadKeyValues(member, level + 1, &out->nodes); }},
  });
}

absl::Status JsonValueReader::ReadKeyValues(Value& value, uint32_t level, Slice* out) {
  const auto read_node = [&](Value& element) {
    FLARE_RETURN_IF_ERROR(CheckRoom());
    KeyValue node;
    FLARE_RETURN_IF_ERROR(in_.Object(element).Read({
        {"key", [&](Value& member) { return in_.Read(member, &node.key); }},
        {"value", [&](Value& member) { return ReadValue(member, level, &node.value); }},
        {"keyStrindex", [&](Value& member) { return ReadReference(member, &node.key_index); }},
    }));
    pending_.push_back(node);
    return absl::OkStatus();
  };
  const size_t first = pending_.size();
  FLARE_RETURN_IF_ERROR(in_.ReadArray(value, read_node));
  *out = TakePending(first);
  return absl::OkStatus();
}

absl::Status JsonValueReader::ReadReference(Value& value, model::StringIndex* out) {
  if (references_ == References::kRejected) {
    return in_.Error("a string by index, but there is no string table");
  }
  return references_ == References::kSkipped ? in_.Skip(value) : in_.Read(value, out);
}

absl::Status JsonValueReader::CheckRoom() const {
  return in_.CheckLimit(nodes_.size() + pending_.size(), limits_.list_elements_max, "list elements",
                        2 * sizeof(model::KeyValue));
}

Slice JsonValueReader::TakePending(size_t first) {
  const Slice slice = {.begin = static_cast<uint32_t>(nodes_.size()),
                       .count = static_cast<uint32_t>(pending_.size() - first)};
  nodes_.insert(nodes_.end(), pending_.begin() + static_cast<ptrdiff_t>(first), pending_.end());
  pending_.resize(first);
  return slice;
}

}  // namespace flarestack::codec::otlp
