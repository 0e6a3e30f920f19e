// SPDX-License-Identifier: Apache-2.0
//
// Decodes the tables of the dictionary.
#include "base/memory/huge_pages.h"
#include "codec/otlp/profiles/protobuf_decoder.h"

namespace flarestack::codec::otlp {

using wire::kBytes;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

void ProtobufDecoder::DecodeDictionary(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  bool has_stacks = false;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        DecodeMapping(in.Bytes());
        break;
      case Tag(2, kBytes):
        DecodeLocation(in.Bytes());
        break;
      case Tag(3, kBytes):
        DecodeFunction(in.Bytes());
        break;
      case Tag(4, kBytes):
        DecodeLink(in.Bytes());
        break;
      case Tag(5, kBytes): {
        const std::string_view text = in.Bytes();
        if (state_.HasRoom(tables_.strings, state_.limits.table_entries_max, "string_table"))
          tables_.strings.push_back(text);
        break;
      }
      case Tag(6, kBytes):
        DecodeAttribute(in.Bytes());
        break;
      case Tag(7, kBytes):
        if (!has_stacks) {
          has_stacks = true;
          ReserveStacks(in.rest().size());
        }
        DecodeStack(in.Bytes());
        break;
      default:
        SkipForeign(in);
    }
  }
}

// Stacks come last and are most of a large message. The list of their locations becomes a large
// part of the memory used, and incremental growth would move it many times.
void ProtobufDecoder::ReserveStacks(size_t bytes) {
  constexpr size_t kIndexBytes = 2;   // an estimate for most indices; there may be more of them
  constexpr size_t kStackBytes = 24;  // a short stack
  if (bytes < kLargeBytes)
    return;
  base::ReserveLarge(tables_.location_indices.size() + bytes / kIndexBytes,
                     &tables_.location_indices);
  base::ReserveLarge(tables_.stacks.size() + bytes / kStackBytes, &tables_.stacks);
}

void ProtobufDecoder::DecodeMapping(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.mappings, state_.limits.table_entries_max, "mapping_table"))
    return;
  model::Mapping& mapping = tables_.mappings.emplace_back();
  mapping.attributes.begin = static_cast<uint32_t>(tables_.attribute_indices.size());
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        mapping.memory_start = in.Varint();
        break;
      case Tag(2, kVarint):
        mapping.memory_limit = in.Varint();
        break;
      case Tag(3, kVarint):
        mapping.file_offset = in.Varint();
        break;
      case Tag(4, kVarint):
        mapping.filename = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(5, kBytes):
        AppendPacked<model::AttributeIndex>(in.Bytes(), &tables_.attribute_indices);
        break;
      case Tag(5, kVarint):
        tables_.attribute_indices.push_back({static_cast<uint32_t>(in.Varint())});
        break;
      default:
        SkipForeign(in);
    }
  }
  mapping.attributes.count =
      static_cast<uint32_t>(tables_.attribute_indices.size()) - mapping.attributes.begin;
}

[[gnu::always_inline]] inline void ProtobufDecoder::DecodeLine(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.lines, state_.limits.list_elements_max, "lines"))
    return;
  model::Line& line = tables_.lines.emplace_back();
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        line.function = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        line.line = in.Int64();
        break;
      case Tag(3, kVarint):
        line.column = in.Int64();
        break;
      default:
        SkipForeign(in);
    }
  }
}

void ProtobufDecoder::DecodeLocation(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.locations, state_.limits.table_entries_max, "location_table"))
    return;
  model::Location& location = tables_.locations.emplace_back();
  location.lines.begin = static_cast<uint32_t>(tables_.lines.size());
  location.attributes.begin = static_cast<uint32_t>(tables_.attribute_indices.size());
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        location.mapping = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        location.address = in.Varint();
        break;
      case Tag(3, kBytes):
        DecodeLine(in.Bytes());
        break;
      case Tag(4, kBytes):
        AppendPacked<model::AttributeIndex>(in.Bytes(), &tables_.attribute_indices);
        break;
      case Tag(4, kVarint):
        tables_.attribute_indices.push_back({static_cast<uint32_t>(in.Varint())});
        break;
      default:
        SkipForeign(in);
    }
  }
  location.lines.count = static_cast<uint32_t>(tables_.lines.size()) - location.lines.begin;
  location.attributes.count =
      static_cast<uint32_t>(tables_.attribute_indices.size()) - location.attributes.begin;
}

void ProtobufDecoder::DecodeFunction(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.functions, state_.limits.table_entries_max, "function_table"))
    return;
  model::Function& function = tables_.functions.emplace_back();
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        function.name = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        function.system_name = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(3, kVarint):
        function.filename = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(4, kVarint):
        function.start_line = in.Int64();
        break;
      default:
        SkipForeign(in);
    }
  }
}

void ProtobufDecoder::DecodeLink(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.links, state_.limits.table_entries_max, "link_table"))
    return;
  model::Link& link = tables_.links.emplace_back();
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        link.trace_id = in.Bytes();
        break;
      case Tag(2, kBytes):
        link.span_id = in.Bytes();
        break;
      default:
        SkipForeign(in);
    }
  }
}

void ProtobufDecoder::DecodeAttribute(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.attributes, state_.limits.table_entries_max, "attribute_table"))
    return;
  model::Attribute& attribute = tables_.attributes.emplace_back();
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        attribute.key = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kBytes):
        attribute.value = resources_.values().DecodeAnyValue(in.Bytes(), 0);
        break;
      case Tag(3, kVarint):
        attribute.unit = {static_cast<uint32_t>(in.Varint())};
        break;
      default:
        SkipForeign(in);
    }
  }
}

void ProtobufDecoder::DecodeStack(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(tables_.stacks, state_.limits.table_entries_max, "stack_table") ||
      !state_.HasRoom(tables_.location_indices, state_.limits.list_elements_max,
                      "location_indices")) {
    return;
  }
  model::Stack& stack = tables_.stacks.emplace_back();
  stack.locations.begin = static_cast<uint32_t>(tables_.location_indices.size());
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        AppendPacked<model::LocationIndex>(in.Bytes(), &tables_.location_indices);
        break;
      case Tag(1, kVarint):
        tables_.location_indices.push_back({static_cast<uint32_t>(in.Varint())});
        break;
      default:
        SkipForeign(in);
    }
  }
  stack.locations.count =
      static_cast<uint32_t>(tables_.location_indices.size()) - stack.locations.begin;
}

}  // namespace flarestack::codec::otlp
