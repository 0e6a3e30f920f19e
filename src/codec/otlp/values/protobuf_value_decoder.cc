// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/values/protobuf_value_decoder.h"

#include <bit>

namespace flarestack::codec::otlp {

using model::AnyValue;
using model::Slice;
using wire::kBytes;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

Slice ProtobufValueDecoder::DecodeNodes(std::string_view list, uint32_t field, bool are_key_values,
                                        uint32_t depth) {
  uint32_t count = 0;
  for (Reader in(list, &state_.fault); in.Next(); in.Skip()) {
    count += in.tag() == Tag(field, kBytes) ? 1 : 0;
  }
  Slice slice = {.begin = static_cast<uint32_t>(nodes_.size()), .count = 0};
  if (count == 0)
    return slice;
  if (!state_.fits_every_limit && nodes_.size() + count > state_.limits.list_elements_max) {
    state_.MeetLimit("attribute values");
    return slice;
  }
  if (!state_.TakeMemory(count * 2 * sizeof(model::KeyValue)))
    return slice;
  nodes_.resize(nodes_.size() + count);
  for (Reader in(list, &state_.fault); in.Next();) {
    if (in.tag() != Tag(field, kBytes)) {
      in.Skip();
      continue;
    }
    model::KeyValue node;
    if (are_key_values) {
      DecodeKeyValue(in.Bytes(), depth, &node);
    } else {
      node.value = DecodeAnyValue(in.Bytes(), depth);
    }
    nodes_[slice.begin + slice.count++] = node;  // by index: the pool may have moved
  }
  return slice;
}

void ProtobufValueDecoder::DecodeKeyValue(std::string_view bytes, uint32_t depth,
                                          model::KeyValue* out) {
  Reader in(bytes, &state_.fault);
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        out->key = in.Bytes();
        break;
      case Tag(2, kBytes):
        out->value = DecodeAnyValue(in.Bytes(), depth);
        break;
      case Tag(3, kVarint): {
        const auto index = static_cast<uint32_t>(in.Varint());
        if (references_ == StringReferences::kTaken)
          out->key_index = {index};
        break;
      }
      default:
        in.Skip();
    }
  }
}

AnyValue ProtobufValueDecoder::DecodeAnyValue(std::string_view bytes, uint32_t depth) {
  AnyValue value;
  if (depth >= state_.limits.nesting_max) {
    state_.MeetLimit("nesting of attribute values");
    return value;
  }
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        value = AnyValue::String(in.Bytes());
        break;
      case Tag(2, kVarint):
        value = AnyValue::Bool(in.Bool());
        break;
      case Tag(3, kVarint):
        value = AnyValue::Int(in.Int64());
        break;
      case Tag(4, kFixed64):
        value = AnyValue::Double(std::bit_cast<double>(in.Fixed64()));
        break;
      case Tag(5, kBytes):
        value = AnyValue::Array(DecodeNodes(in.Bytes(), 1, /*are_key_values=*/false, depth + 1));
        break;
      case Tag(6, kBytes):
        value =
            AnyValue::KeyValueList(DecodeNodes(in.Bytes(), 1, /*are_key_values=*/true, depth + 1));
        break;
      case Tag(7, kBytes):
        value = AnyValue::Bytes(in.Bytes());
        break;
      case Tag(8, kVarint): {
        const auto index = static_cast<uint32_t>(in.Varint());
        if (references_ == StringReferences::kTaken)
          value = AnyValue::Reference({index});
        break;
      }
      default:
        in.Skip();
    }
  }
  return value;
}

void ProtobufResourceDecoder::DecodeResource(std::string_view bytes, model::Resource* resource) {
  Reader in(bytes, &state_.fault);
  resource->present = true;
  const Slice attributes = values_.DecodeNodes(in.rest(), 1, /*are_key_values=*/true, 0);
  resource->attributes = state_.Rejoin(resource->attributes, attributes, &pools_.nodes);
  Slice refs = {.begin = static_cast<uint32_t>(pools_.entity_refs.size()), .count = 0};
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(2, kVarint):
        resource->dropped_attributes_count = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(3, kBytes):
        DecodeEntityRef(in.Bytes());
        break;
      default:
        in.Skip();
    }
  }
  refs.count = static_cast<uint32_t>(pools_.entity_refs.size()) - refs.begin;
  resource->entity_refs = state_.Rejoin(resource->entity_refs, refs, &pools_.entity_refs);
}

void ProtobufResourceDecoder::DecodeEntityRef(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(pools_.entity_refs, state_.limits.table_entries_max, "entity_refs"))
    return;
  if (!state_.HasRoom(pools_.entity_keys, state_.limits.list_elements_max, "entity keys"))
    return;
  model::EntityRef ref;
  ref.id_keys.begin = static_cast<uint32_t>(pools_.entity_keys.size());
  entity_keys_.clear();  // buffers the description keys, so that each list is contiguous
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        ref.schema_url = in.Bytes();
        break;
      case Tag(2, kBytes):
        ref.type = in.Bytes();
        break;
      case Tag(3, kBytes):
        pools_.entity_keys.push_back(in.Bytes());
        ++ref.id_keys.count;
        break;
      case Tag(4, kBytes):
        entity_keys_.push_back(in.Bytes());
        break;
      default:
        in.Skip();
    }
  }
  ref.description_keys = {.begin = ref.id_keys.end(),
                          .count = static_cast<uint32_t>(entity_keys_.size())};
  pools_.entity_keys.insert(pools_.entity_keys.end(), entity_keys_.begin(), entity_keys_.end());
  pools_.entity_refs.push_back(ref);
}

void ProtobufResourceDecoder::DecodeScope(std::string_view bytes,
                                          model::InstrumentationScope* scope) {
  Reader in(bytes, &state_.fault);
  scope->present = true;
  const Slice attributes = values_.DecodeNodes(in.rest(), 3, /*are_key_values=*/true, 0);
  scope->attributes = state_.Rejoin(scope->attributes, attributes, &pools_.nodes);
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        scope->name = in.Bytes();
        break;
      case Tag(2, kBytes):
        scope->version = in.Bytes();
        break;
      case Tag(4, kVarint):
        scope->dropped_attributes_count = static_cast<uint32_t>(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
}

}  // namespace flarestack::codec::otlp
