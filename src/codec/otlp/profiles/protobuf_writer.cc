// SPDX-License-Identifier: Apache-2.0
//
// Fields are written from last to first, because the buffer grows downwards (see
// wire/reverse_writer.h): read each function from bottom to top.
#include "codec/otlp/profiles/protobuf_writer.h"

#include "codec/otlp/values/protobuf_value_encoder.h"

namespace flarestack::codec::otlp {
namespace {

using model::AnyValue;
using model::In;
using model::Slice;
using wire::kIndexBytesMax;
using wire::kIndexFieldBytesMax;
using wire::kLengthFieldBytesMax;
using wire::kNumberFieldBytesMax;
using wire::kVarintBytesMax;
using wire::ReverseCursor;
using wire::ReverseWriter;

constexpr size_t kLinkBytes = 24;

class Encoder {
 public:
  Encoder(const model::Batch& batch, ReverseWriter* out)
      : batch_(batch),
        tables_(batch.dictionary),
        out_(*out),
        resources_({.nodes = batch.dictionary.nodes,
                    .entity_refs = batch.entity_refs,
                    .entity_keys = batch.entity_keys},
                   out) {}

  void Message() {
    const size_t end = out_.size();
    Dictionary();
    out_.CloseMessage(2, end);
    for (size_t i = batch_.resources.size(); i-- > 0;)
      ResourceProfiles(batch_.resources[i]);
  }

 private:
  // For attribute lists inside an entry, which the entry's reservation includes.
  void Attributes(uint32_t field, Slice slice, ReverseCursor* to) {
    to->Packed(field, In(tables_.attribute_indices, slice),
               [](model::AttributeIndex index) { return uint64_t{index.value}; });
  }
  static size_t ListBytesMax(Slice slice) {
    return kLengthFieldBytesMax + slice.count * kIndexBytesMax;
  }

  void Dictionary() {
    Stacks();
    Attributes();
    for (size_t i = tables_.strings.size(); i-- > 0;) {
      out_.Bytes(5, tables_.strings[i]);
    }
    Links();
    Functions();
    for (size_t i = tables_.locations.size(); i-- > 0;) {
      Location(tables_.locations[i]);
    }
    for (size_t i = tables_.mappings.size(); i-- > 0;) {
      Mapping(tables_.mappings[i]);
    }
  }

  void Stacks() {
    for (size_t i = tables_.stacks.size(); i-- > 0;) {
      const Slice locations = tables_.stacks[i].locations;
      ReverseCursor to = out_.Reserve(ListBytesMax(locations) + kLengthFieldBytesMax);
      const size_t end = to.size();
      to.Packed(1, In(tables_.location_indices, locations),
                [](model::LocationIndex index) { return uint64_t{index.value}; });
      to.CloseMessage(7, end);
      out_.Commit(to);
    }
  }

  void Attributes() {
    for (size_t i = tables_.attributes.size(); i-- > 0;) {
      const model::Attribute& attribute = tables_.attributes[i];
      const size_t end = out_.size();
      out_.VarintUnlessZero(3, attribute.unit.value);
      // An attribute with a key and an empty value writes the value; the reserved entry has
      // neither.
      if (attribute.value.kind != AnyValue::Kind::kEmpty || attribute.key) {
        resources_.values().Value(2, attribute.value);
      }
      out_.VarintUnlessZero(1, attribute.key.value);
      out_.CloseMessage(6, end);
    }
  }

  void Functions() {
    constexpr size_t kBytesMax =
        3 * kIndexFieldBytesMax + kNumberFieldBytesMax + kLengthFieldBytesMax;
    for (size_t i = tables_.functions.size(); i-- > 0;) {
      const model::Function& function = tables_.functions[i];
      ReverseCursor to = out_.Reserve(kBytesMax);
      const size_t end = to.size();
      to.VarintUnlessZero(4, static_cast<uint64_t>(function.start_line));
      to.VarintUnlessZero(3, function.filename.value);
      to.VarintUnlessZero(2, function.system_name.value);
      to.VarintUnlessZero(1, function.name.value);
      to.CloseMessage(3, end);
      out_.Commit(to);
    }
  }

  void Mapping(const model::Mapping& mapping) {
    ReverseCursor to = out_.Reserve(3 * kNumberFieldBytesMax + kIndexFieldBytesMax +
                                    ListBytesMax(mapping.attributes) + kLengthFieldBytesMax);
    const size_t end = to.size();
    Attributes(5, mapping.attributes, &to);
    to.VarintUnlessZero(4, mapping.filename.value);
    to.VarintUnlessZero(3, mapping.file_offset);
    to.VarintUnlessZero(2, mapping.memory_limit);
    to.VarintUnlessZero(1, mapping.memory_start);
    to.CloseMessage(1, end);
    out_.Commit(to);
  }

  void Links() {
    for (size_t i = tables_.links.size(); i-- > 0;) {
      const model::Link& link = tables_.links[i];
      const size_t end = out_.size();
      // Our reserved link is empty, like the Collector's. OTLP also allows zero ids of full length,
      // but upstream's conformance checker rejects them.
      out_.BytesUnlessEmpty(2, link.span_id);
      out_.BytesUnlessEmpty(1, link.trace_id);
      out_.CloseMessage(4, end);
    }
  }

  void Location(const model::Location& location) {
    constexpr size_t kLineBytesMax =
        kIndexFieldBytesMax + 2 * kNumberFieldBytesMax + kLengthFieldBytesMax;
    const auto lines = In(tables_.lines, location.lines);
    ReverseCursor to =
        out_.Reserve(kIndexFieldBytesMax + kNumberFieldBytesMax + lines.size() * kLineBytesMax +
                     ListBytesMax(location.attributes) + kLengthFieldBytesMax);
    const size_t location_end = to.size();
    Attributes(4, location.attributes, &to);
    for (size_t i = lines.size(); i-- > 0;) {
      const size_t end = to.size();
      to.VarintUnlessZero(3, static_cast<uint64_t>(lines[i].column));
      to.VarintUnlessZero(2, static_cast<uint64_t>(lines[i].line));
      to.VarintUnlessZero(1, lines[i].function.value);
      to.CloseMessage(3, end);
    }
    to.VarintUnlessZero(2, location.address);
    to.VarintUnlessZero(1, location.mapping.value);
    to.CloseMessage(2, location_end);
    out_.Commit(to);
  }

  void ResourceProfiles(const model::Resource& resource) {
    const size_t outer_end = out_.size();
    out_.BytesUnlessEmpty(3, resource.schema_url);
    for (uint32_t i = resource.scopes.count; i-- > 0;)
      ScopeProfiles(batch_.scopes[resource.scopes.begin + i]);
    if (resource.present) {
      const size_t end = out_.size();
      resources_.Resource(resource);
      out_.CloseMessage(1, end);
    }
    out_.CloseMessage(1, outer_end);
  }

  void ScopeProfiles(const model::Scope& scope) {
    const size_t outer_end = out_.size();
    out_.BytesUnlessEmpty(3, scope.schema_url);
    for (uint32_t i = scope.profiles.count; i-- > 0;)
      Profile(batch_.profiles[scope.profiles.begin + i]);
    if (scope.present) {
      const size_t end = out_.size();
      resources_.Scope(scope);
      out_.CloseMessage(1, end);
    }
    out_.CloseMessage(2, outer_end);
  }

  void Type(uint32_t field, const model::ValueType& type) {
    if (type == model::ValueType{})
      return;
    const size_t end = out_.size();
    out_.VarintUnlessZero(2, type.unit.value);
    out_.VarintUnlessZero(1, type.type.value);
    out_.CloseMessage(field, end);
  }

  void Profile(const model::Profile& profile) {
    const size_t end = out_.size();
    out_.Packed(11, In(tables_.attribute_indices, profile.attributes),
                [](model::AttributeIndex index) { return uint64_t{index.value}; });
    out_.BytesUnlessEmpty(10, profile.original_payload);
    out_.BytesUnlessEmpty(9, profile.original_payload_format);
    out_.VarintUnlessZero(8, profile.dropped_attributes_count);
    out_.BytesUnlessEmpty(7, profile.profile_id);
    out_.VarintUnlessZero(6, static_cast<uint64_t>(profile.period));
    Type(5, profile.period_type);
    out_.VarintUnlessZero(4, profile.duration_nano);
    if (profile.time_unix_nano != 0)
      out_.Fixed64(3, profile.time_unix_nano);
    for (uint32_t i = profile.samples.count; i-- > 0;)
      Sample(batch_.samples[profile.samples.begin + i]);
    Type(1, profile.sample_type);
    out_.CloseMessage(2, end);
  }

  void Sample(const model::Sample& sample) {
    ReverseCursor to = out_.Reserve(
        2 * kIndexFieldBytesMax + 3 * kLengthFieldBytesMax +
        sample.attributes.count * kIndexBytesMax + sample.values.count * kVarintBytesMax +
        sample.timestamps.count * sizeof(uint64_t) + kLengthFieldBytesMax);
    const size_t end = to.size();
    to.PackedFixed64(5, In(batch_.timestamps, sample.timestamps));
    to.Packed(4, In(batch_.values, sample.values),
              [](int64_t value) { return static_cast<uint64_t>(value); });
    to.VarintUnlessZero(3, sample.link.value);
    Attributes(2, sample.attributes, &to);
    to.VarintUnlessZero(1, sample.stack.value);
    to.CloseMessage(2, end);
    out_.Commit(to);
  }

  const model::Batch& batch_;
  const model::Dictionary& tables_;
  ReverseWriter& out_;
  ProtobufResourceEncoder resources_;
};

}  // namespace

size_t EstimateProtobufBytes(const model::Batch& batch) {
  constexpr size_t kEntryBytes = 32;  // a typical table entry with its tags
  constexpr size_t kIndexBytes = 3;
  constexpr size_t kValueBytes = 5;
  const model::Dictionary& tables = batch.dictionary;
  size_t bytes = 1024;
  for (const std::string_view text : tables.strings)
    bytes += text.size() + 4;
  bytes +=
      kEntryBytes * (tables.mappings.size() + tables.locations.size() + tables.functions.size() +
                     tables.attributes.size() + tables.nodes.size() + tables.lines.size());
  bytes += tables.links.size() * (kLinkBytes + 8) + tables.stacks.size() * 6;
  bytes += kIndexBytes * (tables.location_indices.size() + tables.attribute_indices.size());
  bytes +=
      batch.samples.size() * 16 + batch.values.size() * kValueBytes + batch.timestamps.size() * 8;
  return bytes + 256 * (batch.resources.size() + batch.scopes.size() + batch.profiles.size());
}

void EncodeProtobuf(const model::Batch& batch, ReverseWriter* out) {
  Encoder(batch, out).Message();
}

}  // namespace flarestack::codec::otlp
