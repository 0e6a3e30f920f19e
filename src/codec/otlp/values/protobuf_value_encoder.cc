// SPDX-License-Identifier: Apache-2.0
//
// Read each function from bottom to top: fields are written from last to first.
#include "codec/otlp/values/protobuf_value_encoder.h"

#include <bit>

namespace flarestack::codec::otlp {

using model::AnyValue;
using model::In;
using model::Slice;

void ProtobufValueEncoder::Value(uint32_t field, const AnyValue& value) {
  const size_t value_end = out_.size();
  switch (value.kind) {
    case AnyValue::Kind::kEmpty:
      break;
    case AnyValue::Kind::kString:
      out_.Bytes(1, value.text);
      break;
    case AnyValue::Kind::kBool:
      out_.Varint(2, value.bool_value ? 1 : 0);
      break;
    case AnyValue::Kind::kInt:
      out_.Varint(3, static_cast<uint64_t>(value.int_value));
      break;
    case AnyValue::Kind::kDouble:
      out_.Fixed64(4, std::bit_cast<uint64_t>(value.double_value));
      break;
    case AnyValue::Kind::kArray: {
      const size_t end = out_.size();
      const auto nodes = In(nodes_, value.nodes);
      for (size_t i = nodes.size(); i-- > 0;)
        Value(1, nodes[i].value);
      out_.CloseMessage(5, end);
      break;
    }
    case AnyValue::Kind::kKeyValueList: {
      const size_t end = out_.size();
      KeyValues(1, value.nodes);
      out_.CloseMessage(6, end);
      break;
    }
    case AnyValue::Kind::kBytes:
      out_.Bytes(7, value.text);
      break;
    case AnyValue::Kind::kStringIndex:
      out_.Varint(8, value.string_index.value);
      break;
  }
  out_.CloseMessage(field, value_end);
}

void ProtobufValueEncoder::KeyValues(uint32_t field, Slice slice) {
  const auto nodes = In(nodes_, slice);
  for (size_t i = nodes.size(); i-- > 0;) {
    const size_t end = out_.size();
    out_.VarintUnlessZero(3, nodes[i].key_index.value);
    Value(2, nodes[i].value);
    out_.BytesUnlessEmpty(1, nodes[i].key);
    out_.CloseMessage(field, end);
  }
}

void ProtobufResourceEncoder::Resource(const model::Resource& resource) {
  for (uint32_t i = resource.entity_refs.count; i-- > 0;) {
    EntityRef(pools_.entity_refs[resource.entity_refs.begin + i]);
  }
  out_.VarintUnlessZero(2, resource.dropped_attributes_count);
  values_.KeyValues(1, resource.attributes);
}

void ProtobufResourceEncoder::EntityRef(const model::EntityRef& ref) {
  const size_t end = out_.size();
  const auto keys = [&](uint32_t field, Slice slice) {
    for (uint32_t i = slice.count; i-- > 0;)
      out_.Bytes(field, pools_.entity_keys[slice.begin + i]);
  };
  keys(4, ref.description_keys);
  keys(3, ref.id_keys);
  out_.BytesUnlessEmpty(2, ref.type);
  out_.BytesUnlessEmpty(1, ref.schema_url);
  out_.CloseMessage(3, end);
}

void ProtobufResourceEncoder::Scope(const model::InstrumentationScope& scope) {
  out_.VarintUnlessZero(4, scope.dropped_attributes_count);
  values_.KeyValues(3, scope.attributes);
  out_.BytesUnlessEmpty(2, scope.version);
  out_.BytesUnlessEmpty(1, scope.name);
}

}  // namespace flarestack::codec::otlp
